//! What the documents say of the options is what the code has.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail by any of them"
)]

use regate::policy::{
    Settings, TcpTimeouts,
    failure_log::SUMMARY_MILLISECONDS,
    options::{MAX_SAFE_INTEGER, OPTIONS, OptionKind, OptionSpec, OptionValue},
    tcp_timeouts::MAX_FIELD_MILLISECONDS,
};

const README: &str = include_str!("../README.md");
const FLEETS: &str = include_str!("../www/guides/schedule.md");
const STORM: &str = include_str!("../benches/results/storm/README.md");
const NUMBERS: &str = include_str!("../src/docs/numbers.md");
const TYPES: &str = include_str!("../pkg-config/index.d.ts");
const READER: &str = include_str!("../pkg-config/options.js");
const LANE: &str = include_str!("../pkg-config/lane.js");

/// The default as the documents write it.
fn default_of(spec: &OptionSpec) -> String {
    match (Settings::default().value_of(spec.key), spec.kind) {
        (OptionValue::Boolean(value), _) => value.to_string(),
        (OptionValue::Choice(place), OptionKind::Choice(words)) => {
            words[usize::try_from(place).unwrap()].to_owned()
        }
        (OptionValue::Integer(value), _) => value.to_string(),
        (OptionValue::Ratio(ratio), _) => (f64::from(ratio.millionths()) / 1_000_000.0).to_string(),
        (OptionValue::Schedule(schedule), _) => schedule.to_string(),
        (value, kind) => panic!("{}: {value:?} of {kind:?}", spec.path),
    }
}

/// The cells of a table's row that begins with this option.
fn row<'a>(document: &'a str, path: &str) -> Vec<&'a str> {
    let start = format!("| `{path}` |");
    let rows: Vec<_> = document.lines().filter(|line| line.starts_with(&start)).collect();
    assert_eq!(rows.len(), 1, "rows of {path}");
    rows[0].split('|').map(str::trim).skip(1).collect()
}

#[test]
fn the_readme_lists_every_option_with_its_name_and_default() {
    for spec in OPTIONS {
        let cells = row(README, spec.path);
        assert!(cells[1].len() > 10, "{}: meaning", spec.path);
        assert_eq!(cells[3], format!("`{}`", default_of(spec)), "{}", spec.path);
        let (source, reasoned) = (cells[5], row(NUMBERS, spec.path)[4]);
        assert!(["ORB", "Hazelcast", "ours"].contains(&source), "{}: {source}", spec.path);
        assert!(reasoned.contains(source), "{}: {source}, not {reasoned}", spec.path);
    }
    let listed = README.lines().filter(|line| line.starts_with("| `") && line.contains('.'));
    let options = listed.filter(|line| {
        ["networking.", "messaging.", "limits.", "heartbeat."]
            .iter()
            .any(|group| line[3..].starts_with(group))
    });
    // Two options of these groups are JavaScript's own.
    assert_eq!(options.count(), OPTIONS.len() + 2, "a row of no option");
}

/// Names that begin with `hazelcast.` are listed without it in one paragraph, others are rows.
#[test]
fn the_readme_lists_the_names_of_an_existing_configuration() {
    let after = README.split("with `hazelcast.` before it:").nth(1).unwrap();
    let (paragraph, _) = after.split_once("The ORB's are these:").unwrap();
    let mut listed: Vec<_> = paragraph.split('`').skip(1).step_by(2).collect();
    for spec in OPTIONS {
        match spec.existing_name.strip_prefix("hazelcast.") {
            Some(rest) => {
                assert_eq!(rest, spec.path);
                let place = listed.iter().position(|path| *path == rest);
                listed.swap_remove(place.unwrap_or_else(|| panic!("{rest} is not listed")));
            }
            None if spec.existing_name.is_empty() => {}
            None => assert_eq!(row(README, spec.existing_name)[1], format!("`{}`", spec.path)),
        }
    }
    assert!(listed.is_empty(), "{listed:?} are names of nothing");
}

#[test]
fn the_numbers_are_those_of_the_code() {
    for spec in OPTIONS {
        let cells = row(NUMBERS, spec.path);
        assert_eq!(cells[1], format!("`{}`", default_of(spec)), "{}", spec.path);
        assert!(cells[3].len() > 10 && cells[4].len() > 3, "{}: reason and source", spec.path);
    }
    assert!(NUMBERS.contains(&format!("`{SUMMARY_MILLISECONDS}`")));
    assert!(NUMBERS.contains(&format!("`{MAX_FIELD_MILLISECONDS}`")));
}

#[test]
fn the_types_name_every_option_with_its_default() {
    for spec in OPTIONS {
        let (group, name) = spec.path.split_once('.').unwrap();
        let interface = match group {
            "networking" => "interface NetworkingOptions {",
            "messaging" => "interface MessagingOptions {",
            "heartbeat" => "interface HeartbeatOptions {",
            _ => "interface LimitOptions {",
        };
        let body = TYPES.split(interface).nth(1).unwrap().split("\n}").next().unwrap();
        let before = body.split(&format!("readonly {name}?:")).next().unwrap();
        assert_ne!(before, body, "{} is not declared", spec.path);
        let default = before.rsplit("@default ").next().unwrap().lines().next().unwrap();
        assert_eq!(default.trim_matches('"'), default_of(spec), "{}", spec.path);
    }
}

/// A GatewaySocket holds frames before there is any wasm to ask.
#[test]
fn what_a_socket_may_hold_by_default_is_what_a_client_may() {
    let limits = Settings::default().limits;
    for (name, most) in
        [("FRAMES", limits.max_pending_operations), ("BYTES", limits.max_buffered_bytes)]
    {
        let written = LANE.replace('_', "");
        assert!(written.contains(&format!("const MOST{name} = {most};")), "{name}: {most}");
    }
}

/// The table by which the package reads options, in JavaScript.
#[test]
fn the_package_reads_options_by_the_same_table() {
    let (_, after) = READER.split_once("const OPTIONS = [").unwrap();
    let (table, _) = after.split_once("\n];").unwrap();
    let plain = |text: &str| text.split_whitespace().collect::<String>().replace(",]", "]");
    let kind = |kind| match kind {
        OptionKind::Boolean => "'boolean'".to_owned(),
        OptionKind::Choice(words) => format!("{words:?}").replace('"', "'"),
        OptionKind::Integer { least: 0, most: MAX_SAFE_INTEGER } => "SAFE".to_owned(),
        OptionKind::Integer { least, most } => {
            let most = match most {
                MAX_SAFE_INTEGER => "SAFE[1]".to_owned(),
                most if most == u64::from(MAX_FIELD_MILLISECONDS) => "MOST_MILLISECONDS".to_owned(),
                most => most.to_string(),
            };
            format!("[{least}, {most}]")
        }
        OptionKind::Ratio => "'ratio'".to_owned(),
        OptionKind::Schedule => "'schedule'".to_owned(),
    };
    let rows = OPTIONS.iter().map(|spec| {
        let existing = if spec.existing_name.is_empty() {
            String::new()
        } else {
            format!(", '{}'", spec.existing_name)
        };
        format!("['{}', {}{existing}],", spec.path, kind(spec.kind))
    });
    let rows: Vec<String> = rows.collect();
    assert_eq!(plain(table), plain(&rows.concat()), "it should be:\n{}", rows.join("\n"));
    assert!(READER.contains("\nconst SAFE = [0, Number.MAX_SAFE_INTEGER];\n"));
    assert!(READER.contains("\nconst MOST_MILLISECONDS = 2_147_483_647;\n"));
    assert_eq!(MAX_FIELD_MILLISECONDS, 2_147_483_647);
    assert_eq!(OPTIONS.last().unwrap().path, "heartbeat.periodMilliseconds"); // as a codec without ping has it
}

/// What a client dials of one gateway that is dead, within a minute that begins with the first dial.
fn dials_of_first_minute(schedule: TcpTimeouts) -> usize {
    let mut waits = schedule.waits();
    let mut last = 0;
    let mut at = 0;
    let mut dials = 0;
    while at < 60_000 {
        dials += 1;
        last = waits.next().unwrap_or(last);
        at += last;
    }
    dials
}

#[test]
fn the_guide_to_schedules_counts_rightly() {
    let rows = FLEETS.lines().filter(|line| line.starts_with("| `"));
    let mut count = 0;
    for line in rows {
        let cells: Vec<_> = line.split('|').map(str::trim).skip(1).collect();
        let schedule: TcpTimeouts = cells[0].split('`').nth(1).unwrap().parse().unwrap();
        let number =
            |cell: &str| cell.trim_end_matches(" ms").replace(',', "").parse::<u64>().unwrap();
        let waits: Vec<u64> = schedule.waits().collect();
        assert_eq!(number(cells[1]), waits.len() as u64, "{line}");
        assert_eq!(number(cells[2]), waits.iter().sum::<u64>(), "{line}");
        assert_eq!(number(cells[3]), dials_of_first_minute(schedule) as u64, "{line}");
        assert_eq!(number(cells[4]), 60_000 / waits.last().unwrap(), "{line}");
        count += 1;
    }
    assert_eq!(count, 5);
}

/// Columns of the storm's table by their place in the guide's, which leaves some out.
#[test]
fn the_guide_to_schedules_has_the_numbers_of_the_storm() {
    let cells =
        |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).skip(1).collect::<Vec<_>>();
    let rows = FLEETS.lines().filter(|line| line.starts_with("| [") && line.contains("/storm/"));
    let mut count = 0;
    for line in rows {
        let said = cells(line);
        let name = said[0].split(['[', ']']).nth(1).unwrap().to_owned();
        let start = format!("| [{name}](");
        let measured = cells(STORM.lines().find(|row| row.starts_with(&start)).unwrap());
        let expected = [2, 4, 5, 7, 9, 10].map(|place| measured[place].clone());
        assert_eq!(said[1..7], expected, "{name}");
        count += 1;
    }
    assert_eq!(count, 10);
    let (defaults, fleet) = ("58.6 %", "3,493,157");
    assert!(FLEETS.contains(defaults) && STORM.contains(defaults));
    assert!(FLEETS.contains(fleet) && STORM.contains(fleet));
}
