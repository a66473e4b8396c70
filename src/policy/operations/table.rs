//! Where operations are kept: found by number in constant time, stored in pieces that never move.

use alloc::vec::Vec;

/// Operations a piece: small enough not to be felt, large enough that a piece is rarely made.
const PIECE: usize = 128;

/// Where an operation is kept, until it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(u32);

#[derive(Debug)]
enum Cell<T> {
    Vacant { next: Option<Slot> },
    Occupied(T),
}

/// A store of `T`s in pieces: growing copies nothing, and a freed place is used again.
#[derive(Debug)]
pub(super) struct Store<T> {
    pieces: Vec<Vec<Cell<T>>>,
    vacant: Option<Slot>,
    len: usize,
}

impl<T> Store<T> {
    pub(super) const fn new() -> Self {
        Self { pieces: Vec::new(), vacant: None, len: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no place left, at nearly 2^32 items.
    pub(super) fn is_full(&self) -> bool {
        u32::try_from(self.len.saturating_add(PIECE)).is_err()
    }

    /// Keeps `item`; `None` where it [is full](Self::is_full).
    pub(super) fn insert(&mut self, item: T) -> Option<Slot> {
        if let Some(slot) = self.vacant
            && let Some(cell) = self.cell_mut(slot)
            && let Cell::Vacant { next } = *cell
        {
            *cell = Cell::Occupied(item);
            self.vacant = next;
            self.len = self.len.saturating_add(1);
            return Some(slot);
        }
        if self.pieces.last().is_none_or(|piece| piece.len() == PIECE) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        let before = self.pieces.len().saturating_sub(1).saturating_mul(PIECE);
        let piece = self.pieces.last_mut()?;
        let place = u32::try_from(before.saturating_add(piece.len())).ok()?;
        piece.push(Cell::Occupied(item));
        self.len = self.len.saturating_add(1);
        Some(Slot(place))
    }

    pub(super) fn get(&self, slot: Slot) -> Option<&T> {
        let (piece, place) = split(slot)?;
        match self.pieces.get(piece)?.get(place)? {
            Cell::Occupied(item) => Some(item),
            Cell::Vacant { .. } => None,
        }
    }

    pub(super) fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        match self.cell_mut(slot)? {
            Cell::Occupied(item) => Some(item),
            Cell::Vacant { .. } => None,
        }
    }

    /// Drops an item where it is.
    pub(super) fn remove(&mut self, slot: Slot) {
        let next = self.vacant;
        let Some(cell @ Cell::Occupied(_)) = self.cell_mut(slot) else { return };
        *cell = Cell::Vacant { next };
        self.vacant = Some(slot);
        self.len = self.len.saturating_sub(1);
        if self.len == 0 {
            self.pieces.truncate(1); // nothing is kept of a burst that is over
            self.pieces.iter_mut().for_each(Vec::clear);
            self.vacant = None;
        }
    }

    /// Every item, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Slot, &T)> {
        self.pieces.iter().flatten().zip(0_u32..).filter_map(|(cell, place)| match cell {
            Cell::Occupied(item) => Some((Slot(place), item)),
            Cell::Vacant { .. } => None,
        })
    }

    fn cell_mut(&mut self, slot: Slot) -> Option<&mut Cell<T>> {
        let (piece, place) = split(slot)?;
        self.pieces.get_mut(piece)?.get_mut(place)
    }
}

fn split(slot: Slot) -> Option<(usize, usize)> {
    let place = usize::try_from(slot.0).ok()?;
    Some((place / PIECE, place % PIECE))
}

/// Which slot a number stands for: open addressing, linear probing, no tombstones.
///
/// Numbers are never 0, so 0 marks an empty place. At most three quarters are full. A number is
/// spread over the places (Fibonacci hashing), as long-lived numbers in a row would otherwise
/// make a wall that each later one has to walk along.
#[derive(Debug, Default)]
pub(super) struct Index {
    places: Vec<(u64, u32)>,
    len: usize,
}

const FEWEST_PLACES: usize = 64;

impl Index {
    pub(super) const fn new() -> Self {
        Self { places: Vec::new(), len: 0 }
    }

    pub(super) fn insert(&mut self, number: u64, slot: Slot) {
        if self.len.saturating_mul(4) >= self.places.len().saturating_mul(3) {
            self.grow();
        }
        let Some(place) = self.find(number) else { return };
        if let Some(entry) = self.places.get_mut(place) {
            if entry.0 == 0 {
                self.len = self.len.saturating_add(1);
            }
            *entry = (number, slot.0);
        }
    }

    pub(super) fn get(&self, number: u64) -> Option<Slot> {
        let &(found, slot) = self.places.get(self.find(number)?)?;
        (found == number && number != 0).then_some(Slot(slot))
    }

    pub(super) fn remove(&mut self, number: u64) {
        let Some(mut hole) = self.find(number) else { return };
        if number == 0 || self.places.get(hole).is_none_or(|entry| entry.0 != number) {
            return;
        }
        self.len = self.len.saturating_sub(1);
        if self.len == 0 && self.places.len() > FEWEST_PLACES {
            self.places = Vec::new(); // nothing is kept of a burst that is over
            return;
        }
        // Move back what was pushed away from its own place by the entry that goes.
        let mut place = hole;
        loop {
            place = self.following(place);
            let Some(&entry) = self.places.get(place) else { break };
            if entry.0 == 0 {
                break;
            }
            let home = self.home(entry.0);
            let stays = if hole <= place {
                hole < home && home <= place
            } else {
                hole < home || home <= place
            };
            if !stays {
                self.put(hole, entry);
                hole = place;
            }
        }
        self.put(hole, (0, 0));
    }

    fn put(&mut self, place: usize, entry: (u64, u32)) {
        if let Some(at) = self.places.get_mut(place) {
            *at = entry;
        }
    }

    /// The place of `number`, or the empty one where it would go; `None` without any place.
    fn find(&self, number: u64) -> Option<usize> {
        let mut place = self.home(number);
        loop {
            let &(found, _) = self.places.get(place)?;
            if found == number || found == 0 {
                return Some(place);
            }
            place = self.following(place);
        }
    }

    fn home(&self, number: u64) -> usize {
        let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        usize::try_from(spread).unwrap_or(0) & self.mask()
    }

    fn following(&self, place: usize) -> usize {
        place.saturating_add(1) & self.mask()
    }

    /// The number of places is a power of two.
    fn mask(&self) -> usize {
        self.places.len().saturating_sub(1)
    }

    fn grow(&mut self) {
        let larger = self.places.len().saturating_mul(2).max(FEWEST_PLACES);
        let old = core::mem::replace(&mut self.places, alloc::vec![(0, 0); larger]);
        self.len = 0;
        for (number, slot) in old.into_iter().filter(|entry| entry.0 != 0) {
            self.insert(number, Slot(slot));
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))] // proptest is for the host
mod tests {
    use super::{FEWEST_PLACES, Index, PIECE, Slot, Store};
    use alloc::{collections::BTreeMap, vec::Vec};
    use proptest::prelude::*;

    #[test]
    fn a_store_uses_freed_places_again_and_keeps_nothing_of_a_burst() {
        let mut store = Store::new();
        let slots: Vec<Slot> = (0..PIECE * 3).map(|item| store.insert(item).unwrap()).collect();
        for &slot in &slots[..PIECE] {
            store.remove(slot);
            assert_eq!(store.get(slot), None);
            store.remove(slot); // nothing is removed twice
        }
        let again: Vec<Slot> = (0..PIECE).map(|item| store.insert(item).unwrap()).collect();
        assert_eq!(store.pieces.len(), 3);
        assert_eq!(store.iter().count(), PIECE * 3);
        for &slot in again.iter().chain(&slots[PIECE..]) {
            store.remove(slot);
        }
        assert_eq!((store.len(), store.pieces.len()), (0, 1));
        assert_eq!(store.insert(7), Some(Slot(0)));
        assert_eq!(store.get(Slot(0)), Some(&7));
    }

    #[test]
    fn an_index_keeps_nothing_of_a_burst_and_little_of_it_is_walked_through() {
        let mut index = Index::new();
        for number in 1..=48 {
            index.insert(number, Slot(0));
        }
        assert_eq!(index.places.len(), FEWEST_PLACES);
        let walked = (1..=48).map(|number| {
            index.find(number).unwrap().wrapping_sub(index.home(number)) & index.mask()
        });
        assert!(walked.sum::<usize>() < 48 * 2, "numbers in a row make no wall");
        for number in 1..=48 {
            index.remove(number);
        }
        assert_eq!(index.places.len(), FEWEST_PLACES, "the first places stay");
        for number in 1..=1_000 {
            index.insert(number, Slot(0));
        }
        for number in 1..=1_000 {
            assert!(index.places.len() > 1_000);
            index.remove(number);
        }
        assert_eq!(index.places.len(), 0);
    }

    proptest! {
        #[test]
        fn an_index_is_a_map(steps in prop::collection::vec((any::<bool>(), 1_u64..300), 0..900)) {
            let mut index = Index::new();
            let mut map = BTreeMap::new();
            for (insert, number) in steps {
                if insert {
                    let slot = Slot(u32::try_from(map.len()).unwrap());
                    index.insert(number, slot);
                    map.insert(number, slot);
                } else {
                    index.remove(number);
                    map.remove(&number);
                }
                prop_assert_eq!(index.len, map.len());
            }
            for number in 0..300 {
                prop_assert_eq!(index.get(number), map.get(&number).copied());
            }
        }
    }
}
