//! The options, as the package hands them over: checked, and as numbers.

use wasm_bindgen::prelude::*;

use super::clock::to_u64;
use crate::policy::{
    FirstConnect, Ratio, Reconnect, Settings, TcpTimeouts,
    options::{KEYS, Place},
};

#[wasm_bindgen]
extern "C" {
    /// A list of numbers that is used up as it is read.
    #[derive(Debug)]
    pub type Numbers;

    /// The first of them, which is no longer there then; NaN where there is none.
    #[wasm_bindgen(method)]
    fn shift(this: &Numbers) -> f64;
}

impl Numbers {
    fn next(&self) -> u64 {
        to_u64(self.shift())
    }

    /// All that are left, which are no zeros.
    pub(super) fn rest(&self) -> impl Iterator<Item = u64> {
        core::iter::from_fn(|| Some(self.next()).filter(|&number| number != 0))
    }

    fn next_u32(&self) -> u32 {
        u32::try_from(self.next()).unwrap_or(u32::MAX)
    }
}

/// The settings of these options.
pub(super) fn read(numbers: &Numbers) -> Settings {
    let mut settings = Settings::default();
    set(&mut settings, numbers);
    settings
}

/// Sets options: of each its place in the table, counted from 1, and its value, which is one number, of a schedule
/// four. The package has checked them by the same table.
pub(super) fn set(settings: &mut Settings, numbers: &Numbers) {
    let key = || KEYS.get(usize::try_from(numbers.next().checked_sub(1)?).ok()?);
    while let Some(key) = key() {
        match settings.place(*key) {
            Place::Boolean(place) => *place = numbers.next() != 0,
            Place::FirstConnect(place) => {
                *place = FirstConnect::from_choice(numbers.next_u32()).unwrap_or(*place);
            }
            Place::Integer(place) => *place = numbers.next(),
            Place::Milliseconds(place) => *place = numbers.next_u32(),
            Place::Ratio(place) => *place = Ratio::from_millionths(numbers.next_u32()),
            Place::Reconnect(place) => {
                *place = Reconnect::from_choice(numbers.next_u32()).unwrap_or(*place);
            }
            Place::Schedule(place) => {
                *place = TcpTimeouts::from_numbers([(); 4].map(|()| numbers.next_u32()));
            }
        }
    }
}
