//! The gateways: their URLs, what may be shown of them, and the numbers that they keep.

use alloc::vec::Vec;

use wasm_bindgen::JsValue;

use crate::policy::GatewayIndex;

/// What failed where there was no gateway to fail: the option that gives the list.
pub(super) const LIST: &str = "gateways";

/// How many gateways are remembered beyond those that are listed, before numbers are used again.
const MOST_UNLISTED: usize = 1_000;

/// One entry of a list, in texts of JavaScript: they come from there and go back as they are.
#[derive(Clone, Debug)]
pub(super) struct Gateway {
    /// Its URL without what changes while the gateway stays the same.
    pub(super) identity: JsValue,
    pub(super) url: JsValue,
    /// Its origin and position: all that may be shown of it.
    pub(super) label: JsValue,
    pub(super) protocols: JsValue,
}

/// Every gateway that is or was listed, by its number.
///
/// A fresh token makes no new gateway: what is listed again under the same identity keeps its
/// number. Entries alike in that are told apart by their order.
#[derive(Debug, Default)]
pub(super) struct Gateways {
    known: Vec<Gateway>,
    listed: Vec<GatewayIndex>,
}

impl Gateways {
    /// Takes in a list, and says the numbers of its gateways in order. `kept` is a number that is
    /// in use, whatever the list says.
    pub(super) fn take(
        &mut self,
        entries: Vec<Gateway>,
        kept: Option<GatewayIndex>,
    ) -> Vec<GatewayIndex> {
        let mut numbers: Vec<GatewayIndex> = Vec::with_capacity(entries.len());
        for entry in entries {
            let known = (0..).zip(&self.known).find(|&(number, known)| {
                let number = GatewayIndex::from_position(number);
                known.identity == entry.identity && !numbers.contains(&number)
            });
            let number = match known {
                Some((number, _)) => number,
                None => self.vacant(&numbers, kept),
            };
            let place = usize::try_from(number).unwrap_or(usize::MAX);
            match self.known.get_mut(place) {
                Some(known) => *known = entry,
                None => self.known.push(entry),
            }
            numbers.push(GatewayIndex::from_position(number));
        }
        self.listed.clone_from(&numbers);
        numbers
    }

    pub(super) fn get(&self, index: GatewayIndex) -> Option<&Gateway> {
        self.known.get(usize::try_from(index.position()).ok()?)
    }

    /// The full URL, which may hold a secret; `undefined` where there is no such gateway.
    pub(super) fn url(&self, index: GatewayIndex) -> JsValue {
        self.get(index).map(|gateway| gateway.url.clone()).unwrap_or_default()
    }

    pub(super) fn label(&self, index: GatewayIndex) -> JsValue {
        self.get(index).map(|gateway| gateway.label.clone()).unwrap_or_default()
    }

    /// A number for a gateway that was never seen: a new one, until too many are remembered.
    fn vacant(&self, taken: &[GatewayIndex], kept: Option<GatewayIndex>) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        if self.known.len() <= self.listed.len().saturating_add(MOST_UNLISTED) {
            return next;
        }
        let used = |number: &GatewayIndex| {
            taken.contains(number) || self.listed.contains(number) || kept == Some(*number)
        };
        let unlisted = (0..next).map(GatewayIndex::from_position).find(|number| !used(number));
        unlisted.map_or(next, GatewayIndex::position)
    }
}

/// The gateways of a list as the package has read it: four values of each, one after the other.
#[cfg(feature = "npm")]
pub(super) fn of_row(list: &js_sys::Array) -> Vec<Gateway> {
    let entry = |place| Gateway {
        identity: list.get(place),
        url: list.get(place.saturating_add(1)),
        label: list.get(place.saturating_add(2)),
        protocols: list.get(place.saturating_add(3)),
    };
    (0..list.length()).step_by(4).map(entry).collect()
}
