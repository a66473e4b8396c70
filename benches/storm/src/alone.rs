//! Clients whose gateways are all down, each by itself.

use crate::{
    client::{Client, Happening, Queue, What},
    gateway::WhenDown,
    scenario::RETURN_AT,
    tally::Tally,
};

/// What one client has before it: a handful of things, so that the next one is looked for.
#[derive(Debug)]
struct Few {
    coming: Vec<(u64, Happening)>,
}

impl Queue for Few {
    fn push(&mut self, at: u64, happening: Happening) {
        self.coming.push((at, happening));
    }
}

impl Few {
    /// The first of the earliest ones, where that is before `until`.
    fn pop_before(&mut self, until: u64) -> Option<(u64, Happening)> {
        let places = self.coming.iter().enumerate();
        let (place, _) =
            places.min_by_key(|(_, (at, _))| *at).filter(|(_, (at, _))| *at < until)?;
        Some(self.coming.remove(place))
    }
}

/// The time in which no gateway takes a dial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outage {
    pub(crate) fleet: u32,
    pub(crate) when_down: WhenDown,
}

/// Plays clients until the gateways return; says what was counted, and what is still to come.
/// `pending` holds what they have before them, by client.
pub(crate) fn play_alone(
    clients: &mut [Client],
    outage: &Outage,
    pending: &[(u64, Happening)],
) -> (Tally, Vec<(u64, Happening)>) {
    let (mut tally, mut rest) = (Tally::new(outage.fleet), Vec::new());
    for client in clients {
        let pending = of_client(pending, client.number());
        rest.extend(play_one(client, outage.when_down, pending, &mut tally));
    }
    (tally, rest)
}

fn play_one(
    client: &mut Client,
    when_down: WhenDown,
    pending: &[(u64, Happening)],
    tally: &mut Tally,
) -> Vec<(u64, Happening)> {
    let mut few = Few { coming: pending.to_vec() };
    while let Some((now, Happening { what, .. })) = few.pop_before(RETURN_AT) {
        if let What::Arrived { socket, gateway } = what {
            tally.dialled(now, usize::from(gateway));
            if when_down == WhenDown::Refuses {
                client.push(now, 1, What::Closed { socket }, &mut few);
            }
        } else {
            client.handle(now, what, &mut few, tally);
        }
    }
    few.coming
}

fn of_client(pending: &[(u64, Happening)], number: u32) -> &[(u64, Happening)] {
    let from = pending.partition_point(|(_, happening)| happening.client < number);
    let to = pending.partition_point(|(_, happening)| happening.client <= number);
    &pending[from..to]
}
