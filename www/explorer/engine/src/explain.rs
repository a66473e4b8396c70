//! Why an operation was run again, or not: the rows of the retry table, and what the core would have
//! said had a setting been another.

use regate::policy::{
    AttemptEnd, Completion, Decision, ErrorCode, MessagingSettings, Redo, Standing, decide,
};

use crate::{json::write_fields, scenario::OperationKind};

/// A row of the table beside `decide`, in the same words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) row: &'static str,
    pub(crate) ended_by: &'static str,
    pub(crate) completion: &'static str,
    pub(crate) retried_when: &'static str,
}

const fn row(
    row: &'static str,
    ended_by: &'static str,
    completion: &'static str,
    retried_when: &'static str,
) -> Row {
    Row { row, ended_by, completion, retried_when }
}

/// The retry table.
pub(crate) const ROWS: [Row; 11] = [
    row("neverSentNotYet", "never sent, not connected yet", "no", "always"),
    row(
        "neverSentReconnecting",
        "never sent, reconnecting",
        "no",
        "redoable and `retryOnClientReconnecting`; or `retryUnsentOperations`",
    ),
    row("sendThrew", "`send` threw", "no", "as the row above"),
    row("wrongContext", "`send` threw, wrong context", "no", "never"),
    row("lost", "sent, then lost", "maybe", "redoable and `retryOnConnectionLost`"),
    row("blamed", "sent, then closed with 1003, 1007, 1009", "maybe", "never"),
    row("answeredRetryable", "answered \"not performed, try again\"", "no", "always"),
    row("answeredRejected", "answered with -32700, -32600, -32601, -32602", "no", "never"),
    row("answeredError", "answered with any other error", "yes", "never"),
    row("answeredNeither", "answered with neither", "maybe", "never"),
    row("responseTimedOut", "no answer in time", "maybe", "never"),
];

/// What ends an operation beside the rows of the table.
pub(crate) const LIMITS: [(&str, &str); 6] = [
    ("result", "answered with a result"),
    ("retryTimeout", "`retryTimeoutSeconds` are over, or are 0"),
    ("timeout", "`timeoutMilliseconds` are over"),
    ("overloaded", "more operations are pending than `limits` allow"),
    ("clientClosed", "the client is closed"),
    ("gaveUp", "the client gave up"),
];

pub(crate) const fn row_of(end: AttemptEnd, standing: Standing) -> &'static str {
    match (end, standing) {
        (AttemptEnd::NeverSent, Standing::NotYet) => "neverSentNotYet",
        (AttemptEnd::NeverSent, Standing::Connected | Standing::Reconnecting) => {
            "neverSentReconnecting"
        }
        (AttemptEnd::SendThrew, _) => "sendThrew",
        (AttemptEnd::WrongContext, _) => "wrongContext",
        (AttemptEnd::Lost, _) => "lost",
        (AttemptEnd::BlamedAlone | AttemptEnd::BlamedAmongOthers, _) => "blamed",
        (AttemptEnd::AnsweredRetryable, _) => "answeredRetryable",
        (AttemptEnd::AnsweredRejected, _) => "answeredRejected",
        (AttemptEnd::AnsweredError, _) => "answeredError",
        (AttemptEnd::AnsweredNeither, _) => "answeredNeither",
        (AttemptEnd::ResponseTimedOut, _) => "responseTimedOut",
    }
}

/// The limit that a code tells of.
pub(crate) const fn limit_of(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::RetryTimeout => "retryTimeout",
        ErrorCode::Timeout => "timeout",
        ErrorCode::Overloaded => "overloaded",
        ErrorCode::ClientClosed => "clientClosed",
        _ => "gaveUp",
    }
}

/// Everything that a decision rests on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) end: AttemptEnd,
    pub(crate) known: Completion,
    pub(crate) standing: Standing,
    pub(crate) redo: Redo,
    pub(crate) kind: OperationKind,
    pub(crate) settings: MessagingSettings,
}

impl Facts {
    pub(crate) fn decide(&self) -> Decision {
        decide(self.end, self.known, self.standing, self.redo, &self.settings)
    }

    /// The settings without each of which the core would have decided otherwise.
    pub(crate) fn because(&self) -> Vec<&'static str> {
        let is_retry = |facts: &Self| facts.decide() == Decision::Retry;
        let retries = is_retry(self);
        let mut found = Vec::new();
        let mut ask = |name, change: fn(&mut Self)| {
            let mut other = *self;
            change(&mut other);
            if is_retry(&other) != retries {
                found.push(name);
            }
        };
        let redo = if self.kind == OperationKind::Read { "readOnly" } else { "redoOperations" };
        ask(redo, |facts| {
            facts.redo = match facts.redo {
                Redo::Once => Redo::Redoable,
                Redo::Redoable => Redo::Once,
            };
        });
        ask("retryOnConnectionLost", |facts| {
            facts.settings.retry_on_connection_lost ^= true;
        });
        ask("retryOnClientReconnecting", |facts| {
            facts.settings.retry_on_client_reconnecting ^= true;
        });
        ask("retryUnsentOperations", |facts| {
            facts.settings.retry_unsent_operations ^= true;
        });
        found
    }
}

write_fields! {
    Row { row, ended_by, completion, retried_when }
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    /// The table in the documentation of `decide` is the one that people read.
    #[test]
    fn the_rows_are_those_that_the_core_documents() {
        let source = include_str!("../../../../src/policy/operations/decision.rs");
        let documented: Vec<Vec<&str>> = source
            .lines()
            .filter_map(|line| line.strip_prefix("/// | "))
            .filter(|line| !line.starts_with("---") && !line.starts_with("what ended"))
            .map(|line| line.trim_end_matches(" |").split(" | ").collect())
            .collect();
        let ours: Vec<Vec<&str>> =
            ROWS.iter().map(|row| vec![row.ended_by, row.completion, row.retried_when]).collect();
        assert_eq!(ours, documented);
    }
}
