//! What is drawn: settings so short that every deadline fires, and calls of every kind.

use arbitrary::{Arbitrary as _, Result, Unstructured};
use regate::policy::{
    Answer, Binding, Call, Cause, CloseCode, ConnectionSettings, FirstConnect, Heartbeat, Hooks,
    Limits, MessagingSettings, Purpose, Ratio, Reconnect, Redo, SendFailure, Settings, SocketId,
    TcpTimeouts, Verdict,
};

pub(super) fn settings(input: &mut Unstructured<'_>) -> Result<Settings> {
    if input.ratio(1, 8)? {
        return Ok(Settings::default());
    }
    Ok(Settings {
        connection: connection(input)?,
        messaging: messaging(input)?,
        limits: Limits {
            max_pending_operations: *input.choose(&[10_000, 3, 1, 0])?,
            max_in_flight_operations: *input.choose(&[10_000, 3, 1, 0])?,
            max_buffered_bytes: *input.choose(&[1 << 24, 100, 10, 0])?,
            max_message_bytes: *input.choose(&[0, 50])?,
        },
        redo_operations: bool::arbitrary(input)?,
        heartbeat: Heartbeat { period_milliseconds: *input.choose(&[0, 30, 1, 15_000])? },
    })
}

fn connection(input: &mut Unstructured<'_>) -> Result<ConnectionSettings> {
    let schedules =
        ["40:400:100:150", "10:60:50", "1:5:1", "25:100:100:25", "70:1:1", "1:2147483647:1:1"];
    let reads = ["20:60:20", "1:1:1", "2000:6000:20"];
    let parse = |text: &str| text.parse::<TcpTimeouts>().expect("a schedule");
    Ok(ConnectionSettings {
        connect_timeouts: parse(input.choose(&schedules)?),
        read_timeouts: parse(input.choose(&reads)?),
        connection_timeout_milliseconds: *input.choose(&[100, 1, 10_000])?,
        dial_stagger_milliseconds: *input.choose(&[0, 1, 30, 2_000])?,
        shuffle_addresses: bool::arbitrary(input)?,
        reconnect: *input.choose(&[Reconnect::Always, Reconnect::Schedule, Reconnect::Never])?,
        first_connect: *input.choose(&[FirstConnect::Schedule, FirstConnect::Always])?,
        jitter: ratio(input)?,
        steady_milliseconds: *input.choose(&[60, 0, 5_000])?,
        failover_spread_milliseconds: *input.choose(&[0, 50])?,
        session_timeout_milliseconds: *input.choose(&[80, 1, 10_000])?,
        hooks: Hooks {
            close_policy: bool::arbitrary(input)?,
            list: bool::arbitrary(input)?,
            session: bool::arbitrary(input)?,
        },
    })
}

fn ratio(input: &mut Unstructured<'_>) -> Result<Ratio> {
    Ok(Ratio::from_millionths(*input.choose(&[0, 200_000, 1_000_000])?))
}

fn messaging(input: &mut Unstructured<'_>) -> Result<MessagingSettings> {
    Ok(MessagingSettings {
        retry_timeout_seconds: *input.choose(&[1, 0, 20, u64::MAX])?,
        max_fast_invocation_count: *input.choose(&[2, 0, 5])?,
        min_retry_delay_milliseconds: *input.choose(&[10, 1, 400])?,
        retry_on_connection_lost: bool::arbitrary(input)?,
        retry_on_client_reconnecting: bool::arbitrary(input)?,
        retry_unsent_operations: bool::arbitrary(input)?,
        wait_for_response_milliseconds: *input.choose(&[60, 0, 1, 500])?,
        jitter: ratio(input)?,
    })
}

/// A call; `session` is the socket of a session hook that runs, where one does.
pub(super) fn call(input: &mut Unstructured<'_>, session: Option<SocketId>) -> Result<Call> {
    let binding = match input.int_in_range(0..=5_u8)? {
        0 => Binding::Connection,
        1 => Binding::Session(session.unwrap_or(SocketId::from_u64(u64::arbitrary(input)?))),
        _ => session
            .filter(|_| bool::arbitrary(input).unwrap_or(false))
            .map_or(Binding::Anywhere, Binding::Session),
    };
    let subscribes = binding == Binding::Anywhere && input.ratio(1, 4)?;
    let timeout = *input.choose(&[None, Some(0), Some(30), Some(1_000), Some(u64::MAX)])?;
    Ok(Call {
        purpose: if subscribes { Purpose::Subscription } else { Purpose::Request },
        binding,
        redo: if bool::arbitrary(input)? { Redo::Redoable } else { Redo::Once },
        timeout_milliseconds: timeout.filter(|_| !subscribes), // a subscription has none
        bytes: *input.choose(&[5, 0, 60, u64::MAX])?,
        buffered_bytes: *input.choose(&[0, 0, 8, u64::MAX])?,
        messaging: if input.ratio(1, 8)? { Some(Box::new(messaging(input)?)) } else { None },
    })
}

/// What ends a dial at once: the constructor throws, or it is as if it had closed.
pub(super) fn cause(input: &mut Unstructured<'_>) -> Result<Cause> {
    Ok(match input.int_in_range(0..=9_u8)? {
        0 => Cause::ConstructorThrew,
        1 => Cause::Unusable,
        _ => closed(input)?,
    })
}

pub(super) fn closed(input: &mut Unstructured<'_>) -> Result<Cause> {
    const CODES: [u16; 20] = [
        1006, 0, 1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 4400,
        4401, 4408, 4429, 4499, 4500,
    ];
    Ok(Cause::Closed(CloseCode::from_event(*input.choose(&CODES)?)))
}

pub(super) fn answer(input: &mut Unstructured<'_>) -> Result<Answer> {
    Ok(match input.int_in_range(0..=7_u8)? {
        0 => Answer::Retryable { after_milliseconds: *input.choose(&[0, 5, 2_000, u64::MAX])? },
        1 => Answer::Error { code: *input.choose(&[-32_700, -32_600, -32_601, -32_602])? },
        2 => Answer::Error { code: i32::arbitrary(input)? },
        3 => Answer::Neither,
        _ => Answer::Result,
    })
}

pub(super) fn failure(input: &mut Unstructured<'_>) -> Result<SendFailure> {
    Ok(*input.choose(&[
        SendFailure::NotOpen,
        SendFailure::Threw,
        SendFailure::WrongContext,
        SendFailure::NotEncoded,
    ])?)
}

pub(super) fn verdict(input: &mut Unstructured<'_>) -> Result<Option<Verdict>> {
    let verdicts = [
        None,
        Some(Verdict::Next),
        Some(Verdict::Same),
        Some(Verdict::Refresh),
        Some(Verdict::Stop),
    ];
    Ok(*input.choose(&verdicts)?)
}
