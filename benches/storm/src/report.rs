//! The runs as a document.

use std::fmt::Write;

use crate::{
    bars::{Bar, Peaks, bars, times},
    scenario::{ALL_DIE_AT, ONE_DIES_AT, RETURN_AT, Variant},
    tally::Tally,
};

/// So many hundredths of the fleet count as all of it: a wait of the last ones says little.
const ALL_HUNDREDTHS: u64 = 99;

/// One variant, and what was counted.
#[derive(Debug)]
pub struct Run {
    /// The settings.
    pub variant: Variant,
    /// The counts.
    pub tally: Tally,
}

impl Run {
    /// The peaks.
    #[must_use]
    pub fn peaks(&self) -> Peaks {
        Peaks::of(&self.tally, self.variant.connection.failover_spread_milliseconds)
    }

    fn dials_per_client_in_outage(&self) -> String {
        let fleet = u64::from(self.tally.fleet());
        tenths(self.tally.dials_in(ALL_DIE_AT..RETURN_AT) * 10 / fleet)
    }

    fn connected_again(&self, since: u64) -> String {
        let at = self.tally.connected_again(since, ALL_HUNDREDTHS);
        at.map_or("not in time".into(), |milliseconds| format!("{} s", tenths(milliseconds / 100)))
    }

    fn row(&self) -> String {
        let Run { variant, tally, .. } = self;
        let peaks = self.peaks();
        format!(
            "| [{name}](#{name}) | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            thousands(tally.fleet().into()),
            peaks.one_died,
            peaks.one_died_over_mean.map_or("–".into(), times),
            self.connected_again(ONE_DIES_AT),
            peaks.outage_first,
            peaks.outage_next,
            peaks.outage_late,
            self.dials_per_client_in_outage(),
            peaks.returned,
            self.connected_again(RETURN_AT),
            thousands(tally.turned_away()),
            name = variant.name,
        )
    }

    fn section(&self) -> String {
        let Variant { name, meaning, reason, .. } = &self.variant;
        let Peaks { one_died, outage_first, outage_next, outage_late, returned, .. } = self.peaks();
        let (again, back) = (self.connected_again(ONE_DIES_AT), self.connected_again(RETURN_AT));
        let dials = self.dials_per_client_in_outage();
        let turned_away = match self.tally.turned_away() {
            0 => "No gateway was overrun.".into(),
            dials => format!("Gateways that were up refused {} dials.", thousands(dials)),
        };
        format!(
            "## {name}\n\n{meaning}\n\n![dials and connected clients]({name}.svg)\n\n\
             When one gateway died, the busiest of the others got dials of {one_died} of the fleet in its \
             busiest 100 ms, and 99 % were connected {again} later. While all were down a client dialled \
             {dials} times, and the busiest gateway got {outage_first} in 100 ms of the first 20 s, \
             {outage_next} in the next 40 s, {outage_late} after that. When all returned it got {returned}, \
             and 99 % were connected {back} later. {turned_away}\n\n{reason}\n"
        )
    }
}

/// The document: what was played, one table, and a section for each run. The first is the one
/// with the bars.
#[must_use]
pub fn document(runs: &[Run], about: &str) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(text, "\n{about}\n");
    text.push_str(TABLE);
    for run in runs {
        let _ = writeln!(text, "{}", run.row());
    }
    if let Some(run) = runs.first() {
        let _ = writeln!(text, "\nWhat must hold for {}:\n", run.variant.name);
        for Bar { what, most, found, holds } in bars(&run.peaks()) {
            let verdict = if holds { "holds" } else { "does not hold" };
            let _ = writeln!(text, "- {what}: {found}, at most {most}: {verdict}");
        }
    }
    text.push_str(LOWER);
    for run in runs {
        let _ = write!(text, "\n{}", run.section());
    }
    text
}

const HEAD: &str = "\
# The storm

Written by `make storm`. A fleet of clients, each with the real engine, and five gateways, in a simulated world whose rules are in
[benches/storm/src/lib.rs](../../storm/src/lib.rs). The clients start over 100 s. At 120 s one gateway dies for good, at 180 s the others
die too, and at 300 s all five are back. The question is how many dials one gateway gets within 100 ms, as a share of the fleet: a gateway
here accepts 0.2 % in that time, and as many as that ten times over may wait.
";

const TABLE: &str = "\
Peaks: the most dials that one gateway got in 100 ms, as a share of the fleet. Fewer clients make no other shares, but
less even ones.

| settings | clients | one died: peak | against the mean over the spread | 99 % connected again | all down: peak of the first 20 s | of the next 40 s | of the second minute | dials of a client | all back: peak | 99 % connected again | turned away |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
";

const LOWER: &str = "
## What lowers the peak of an outage

It is made of the rounds that fall into the spread: each round brings one dial of each client to each gateway, parted by
`failoverSpreadMilliseconds`. So two things lower it: a longer spread, which makes each round thinner, and a longer first wait, which lets
fewer of them fall together. More jitter does not. It is what keeps an old outage even: without it the fleet goes on dialling in the
bursts that the spread has made. With the default of a fifth and no spread, the fleet is in step for most of a minute.
";

fn tenths(count: u64) -> String {
    format!("{}.{}", count / 10, count % 10)
}

/// A number with a comma between thousands.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Run, document, tenths, thousands};
    use crate::{scenario::large_fleet, world::play};

    #[test]
    fn numbers_are_written_out() {
        assert_eq!(
            [0, 12, 999, 1_000, 12_345_678].map(thousands).join(" "),
            "0 12 999 1,000 12,345,678"
        );
        assert_eq!(tenths(607), "60.7");
    }

    #[test]
    fn every_row_has_a_cell_for_each_column() {
        let variant = large_fleet();
        let tally = play(&variant, 100, 1, |_| {});
        let text = document(&[Run { variant, tally }], "");
        let cells =
            text.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count());
        assert_eq!(cells.collect::<Vec<_>>(), [13, 13, 13]);
    }
}
