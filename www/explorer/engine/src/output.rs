//! What a play comes to, as `www/explorer/README.md` describes it.

use crate::{
    json::{ToJson, write_fields},
    told::Told,
};

/// More entries of a list than that are for no reader.
pub(crate) const MOST_LISTED: usize = 2_000;

/// A list that grows no further than a reader can follow.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    entries: Vec<T>,
    pub(crate) cut: bool,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), cut: false }
    }
}

impl<T> Listed<T> {
    pub(crate) fn push(&mut self, entry: T) {
        if self.entries.len() < MOST_LISTED && !self.cut {
            self.entries.push(entry);
        } else {
            self.cut = true;
        }
    }

    /// The last entry, unless that was not listed any more.
    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        if self.cut { None } else { self.entries.last_mut() }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Play {
    pub(crate) until: u64,
    pub(crate) cut: Option<&'static str>,
    pub(crate) state: &'static str,
    pub(crate) totals: Totals,
    pub(crate) gateways: Vec<Gateway>,
    pub(crate) connected: Vec<i64>,
    pub(crate) states: Listed<State>,
    pub(crate) waits: Listed<Wait>,
    pub(crate) rounds: Listed<Round>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) log: Listed<Told>,
    pub(crate) notices: Listed<Told>,
    /// Lists that are not whole.
    pub(crate) cut_lists: Option<Vec<String>>,
}

#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) clients: u64,
    pub(crate) dials: u64,
    pub(crate) opened: u64,
    pub(crate) failed: u64,
    pub(crate) abandoned: u64,
    pub(crate) dials_in_first_minute: u64,
    /// Of one gateway.
    pub(crate) most_dials_in_a_bucket: u64,
    pub(crate) rounds: u64,
    pub(crate) waits: u64,
    pub(crate) attempts: u64,
    pub(crate) performed: u64,
    pub(crate) connected_at_end: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Gateway {
    pub(crate) label: String,
    pub(crate) dials: Listed<Dial>,
    pub(crate) connections: Listed<Connection>,
    pub(crate) counts: Counts,
    pub(crate) buckets: Vec<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) dials: u64,
    pub(crate) opened: u64,
    pub(crate) failed: u64,
    pub(crate) abandoned: u64,
    pub(crate) connections: u64,
}

impl<T: ToJson> ToJson for Listed<T> {
    fn write(&self, out: &mut String) {
        self.entries.write(out);
    }
}

/// How a dial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DialEnd {
    Abandoned,
    Failed,
    Opened,
    Pending,
}

impl ToJson for DialEnd {
    fn write(&self, out: &mut String) {
        let word = match self {
            Self::Abandoned => "abandoned",
            Self::Failed => "failed",
            Self::Opened => "opened",
            Self::Pending => "pending",
        };
        word.write(out);
    }
}

#[derive(Debug)]
pub(crate) struct Dial {
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
    pub(crate) end: DialEnd,
    pub(crate) cause: Option<String>,
    pub(crate) verdict: Option<&'static str>,
    pub(crate) round: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
    pub(crate) cause: Option<String>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) state: &'static str,
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
    pub(crate) reason: Option<String>,
    pub(crate) gateway: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
    pub(crate) milliseconds: u64,
    pub(crate) round: u32,
}

#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) round: u32,
    pub(crate) from: u64,
    pub(crate) dials: u64,
}

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) name: Option<String>,
    pub(crate) kind: &'static str,
    pub(crate) at: u64,
    pub(crate) redoable: bool,
    pub(crate) attempts: Listed<Attempt>,
    pub(crate) performed: Vec<Performed>,
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) number: u32,
    pub(crate) gateway: usize,
    pub(crate) at: u64,
    /// Since the end of the attempt before, or since the call.
    pub(crate) after_milliseconds: u64,
    pub(crate) ended: Option<u64>,
    pub(crate) row: Option<&'static str>,
    pub(crate) decision: Option<&'static str>,
    pub(crate) because: Option<Vec<&'static str>>,
}

#[derive(Debug)]
pub(crate) struct Performed {
    pub(crate) at: u64,
    pub(crate) gateway: usize,
    /// Its number among those of the operation.
    pub(crate) attempt: u32,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) at: u64,
    pub(crate) code: &'static str,
    pub(crate) completion: &'static str,
    pub(crate) attempts: u32,
    pub(crate) elapsed_milliseconds: u64,
    pub(crate) row: &'static str,
    pub(crate) because: Vec<&'static str>,
}

write_fields! {
    Play { until, cut, state, totals, gateways, connected, states, waits, rounds, operations, log, notices, cut_lists }
    Totals { clients, dials, opened, failed, abandoned, dials_in_first_minute, most_dials_in_a_bucket, rounds, waits, attempts, performed, connected_at_end }
    Gateway { label, dials, connections, counts, buckets }
    Counts { dials, opened, failed, abandoned, connections }
    Dial { from, to, end, cause, verdict, round }
    Connection { from, to, cause }
    State { state, from, to, reason, gateway }
    Wait { from, to, milliseconds, round }
    Round { round, from, dials }
    Operation { name, kind, at, redoable, attempts, performed, outcome }
    Attempt { number, gateway, at, after_milliseconds, ended, row, decision, because }
    Performed { at, gateway, attempt }
    Outcome { at, code, completion, attempts, elapsed_milliseconds, row, because }
}
