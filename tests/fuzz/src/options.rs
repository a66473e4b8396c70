//! The table of options: any value for any option, against a model that keeps what was set.

use arbitrary::{Arbitrary as _, Unstructured};
use regate::policy::{
    Action, Cause, Engine, Event, Instant, Ratio, Settings,
    options::{OPTIONS, OptionKind, OptionSpec, OptionValue},
};

const MOST_FIELD: u64 = 2_147_483_647;

/// # Panics
///
/// Where core and model differ, or where a client of these options does not come to rest.
pub fn check(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let mut settings = Settings::default();
    let mut model: Vec<OptionValue> =
        OPTIONS.iter().map(|spec| settings.value_of(spec.key)).collect();
    while !input.is_empty() {
        let Ok((place, value)) = assignment(&mut input) else { break };
        let spec = &OPTIONS[place];
        let fits = fits(spec, value);
        let before = settings;
        assert_eq!(settings.set(spec.key, value), fits, "{}: {value:?}", spec.path);
        if fits {
            model[place] = kept(spec, value);
        } else {
            assert_eq!(settings, before, "{}: {value:?}", spec.path);
        }
        for (spec, expected) in OPTIONS.iter().zip(&model) {
            assert_eq!(settings.value_of(spec.key), *expected, "{}", spec.path);
        }
    }
    if OPTIONS.iter().zip(&model).all(|(spec, value)| in_bounds(spec, *value)) {
        play(settings);
    }
}

fn assignment(input: &mut Unstructured<'_>) -> arbitrary::Result<(usize, OptionValue)> {
    let place = input.choose_index(OPTIONS.len())?;
    let value = match input.int_in_range(0..=5_u8)? {
        0 => OptionValue::Boolean(bool::arbitrary(input)?),
        1 => OptionValue::Choice(input.int_in_range(0..=4)?),
        2 => OptionValue::Integer(input.int_in_range(0..=100_000)?),
        3 => OptionValue::Integer(u64::arbitrary(input)?),
        4 => OptionValue::Ratio(Ratio::from_millionths(u32::arbitrary(input)?)),
        _ => {
            let mut field = || input.int_in_range(1..=MOST_FIELD);
            let text = format!("{}:{}:{}:{}", field()?, field()?, field()?, field()?);
            OptionValue::Schedule(text.parse().expect("every field is in its bounds"))
        }
    };
    Ok((place, value))
}

fn fits(spec: &OptionSpec, value: OptionValue) -> bool {
    match (spec.kind, value) {
        (OptionKind::Boolean, OptionValue::Boolean(_))
        | (OptionKind::Integer { .. }, OptionValue::Integer(_))
        | (OptionKind::Ratio, OptionValue::Ratio(_))
        | (OptionKind::Schedule, OptionValue::Schedule(_)) => true,
        (OptionKind::Choice(words), OptionValue::Choice(place)) => (place as usize) < words.len(),
        _ => false,
    }
}

/// What is kept of a value: all of it, but for the one field that cannot hold more than it may.
fn kept(spec: &OptionSpec, value: OptionValue) -> OptionValue {
    match value {
        OptionValue::Integer(number) if spec.path == "networking.connectionTimeoutMilliseconds" => {
            OptionValue::Integer(u32::try_from(number).map_or(MOST_FIELD, u64::from))
        }
        _ => value,
    }
}

fn in_bounds(spec: &OptionSpec, value: OptionValue) -> bool {
    match (spec.kind, value) {
        (OptionKind::Integer { least, most }, OptionValue::Integer(number)) => {
            (least..=most).contains(&number)
        }
        _ => true,
    }
}

/// A client of these options whose gateways are all dead, for a while.
fn play(settings: Settings) {
    let mut engine = Engine::new(settings, 2, 1);
    let mut now = 0;
    engine.handle_event(Instant::from_milliseconds(now), Event::ConnectRequested);
    let (mut actions, mut at_once) = (0, 0);
    for _ in 0..200 {
        while let Some(action) = engine.poll_action() {
            actions += 1;
            if let Action::Open { socket, .. } = action {
                let event = Event::SocketFailed { socket, cause: Cause::ConstructorThrew };
                engine.handle_event(Instant::from_milliseconds(now), event);
            }
        }
        let Some(at) = engine.poll_timeout() else { return };
        at_once = if at.as_milliseconds() > now { 0 } else { at_once + 1 };
        assert!(at_once < 100 && actions < 10_000, "it does not come to rest");
        now = now.max(at.as_milliseconds());
        engine.handle_timeout(at.max(Instant::from_milliseconds(now)));
    }
}
