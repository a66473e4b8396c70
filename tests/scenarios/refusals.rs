//! Handshakes that are answered with an HTTP status.

use regate::policy::{Cause, ClientState, HttpStatus, Judgement, Notice, Verdict};

use crate::driver::{Dial, OPEN, Script, Stage, exact};

use Verdict::{Next, Refresh};

const fn refused(status: u16) -> Cause {
    Cause::Refused(HttpStatus::from_response(status))
}

/// A transport that sees how a handshake was answered tells the status.
#[test]
fn a_refusal_has_the_verdict_of_its_status() {
    for (status, verdict) in [
        (200, Next),
        (302, Next),
        (400, Next),
        (401, Refresh),
        (403, Refresh),
        (404, Next),
        (429, Next),
        (500, Next),
        (503, Next),
    ] {
        let cause = refused(status);
        let mut stage = Stage::of(exact(), 2, OPEN);
        stage.gateways[0] = Script::always(Dial::Throw(cause));
        stage.connect();
        stage.run_until(0);
        let told = stage.notices.iter().find_map(|(_, notice)| match notice {
            Notice::DialFailed { verdict, cause, .. } => Some((*verdict, *cause)),
            _ => None,
        });
        assert_eq!(told, Some((verdict, cause)), "{status}");
        assert_eq!((stage.dialled(), stage.engine.state()), ("AB".into(), ClientState::Connected));
    }
}

/// What a fresh token does not cure is given up.
#[test]
fn a_gateway_that_refuses_a_second_token_is_not_dialled_again() {
    for (status, dialled) in [(401, "AA"), (403, "AA"), (503, "AAAAA")] {
        let cause = refused(status);
        let mut stage = Stage::of(exact(), 1, Dial::Throw(cause));
        stage.connect();
        stage.run_until(3_750);
        assert_eq!(stage.dialled(), dialled, "{status}");
        assert_eq!(stage.engine.state() == ClientState::Closed, status != 503, "{status}");
    }
}

#[test]
fn the_policy_is_told_the_status_and_has_the_last_word() {
    let mut settings = exact();
    settings.connection.hooks.close_policy = true;
    let mut stage = Stage::of(settings, 2, Dial::Throw(refused(403)));
    stage.judgements = Script::always(Judgement { verdict: Some(Next), wait_milliseconds: 3_000 });
    stage.connect();
    stage.run_until(3_000);
    let judged = |gateway| (0, gateway, refused(403), Refresh);
    assert_eq!(stage.judged[..2], [judged('A'), judged('B')]);
    assert_eq!((stage.dialled(), stage.waits()), ("ABAB".into(), vec![3_000, 3_000]));
}
