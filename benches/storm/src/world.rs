//! The fleet, the gateways, and what is on its way between them.

use std::{mem, num::NonZero, panic::resume_unwind, thread};

use regate::policy::{Engine, Rng};

use crate::{
    alone::{Outage, play_alone},
    client::{Client, Happening, What},
    gateway::{Caller, Gateway, Reception, WhenDown},
    scenario::{
        ALL_DIE_AT, CLIENTS_PER_ACCEPT, END_AT, FIRST_TO_DIE, GATEWAYS, ONE_DIES_AT, RETURN_AT,
        STARTED_AT, TICK_MILLISECONDS, Variant,
    },
    tally::Tally,
    wheel::Wheel,
};

/// From the arrival of a dial until the socket is open: with the way there, three round trips.
const WAYS_TO_OPEN: u64 = 5;

/// How often it is told how far a run is, in clients of the outage.
const CLIENTS_PER_PROGRESS: usize = 20_000;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How much of the time is played. Of the outage, the clients: so much of them.
    pub played_milliseconds: u64,
    /// How many dials there were.
    pub dials: u64,
}

/// A fleet and its gateways.
#[derive(Debug)]
struct World {
    clients: Vec<Client>,
    gateways: Vec<Gateway>,
    when_down: WhenDown,
    coming: Wheel<Happening>,
    tally: Tally,
}

/// Plays the [scenario](crate::scenario) with a fleet of so many clients.
///
/// `watch` is told how far it is.
///
/// # Panics
///
/// Where an engine dials a gateway that there is not, or four billion times.
pub fn play(variant: &Variant, fleet: u32, seed: u64, mut watch: impl FnMut(Progress)) -> Tally {
    let mut world = World::new(variant, fleet, seed);
    world.play_until(ALL_DIE_AT, &mut watch);
    world.strike();
    world.play_outage(&mut watch);
    world.play_until(END_AT, &mut watch);
    world.tally
}

impl World {
    /// A fleet whose clients will start one by one.
    fn new(variant: &Variant, fleet: u32, seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed);
        let most_per_tick = usize::try_from(fleet.div_ceil(CLIENTS_PER_ACCEPT)).unwrap_or(1);
        let mut coming = Wheel::new();
        let mut client = |number| {
            let engine = Engine::new(variant.settings(), GATEWAYS, rng.up_to(u64::MAX));
            let (least, most) =
                (*variant.way_milliseconds.start(), *variant.way_milliseconds.end());
            let way = least + rng.up_to(most - least);
            let started = Happening { client: number, what: What::Started };
            coming.push(rng.up_to(STARTED_AT - 1), started);
            Client::new(number, engine, way)
        };
        Self {
            clients: (0..fleet).map(&mut client).collect(),
            gateways: (0..GATEWAYS)
                .map(|_| Gateway::new(most_per_tick, variant.when_down))
                .collect(),
            when_down: variant.when_down,
            coming,
            tally: Tally::new(fleet),
        }
    }

    fn play_until(&mut self, until: u64, watch: &mut impl FnMut(Progress)) {
        while self.coming.now() < until {
            if self.coming.now().is_multiple_of(1_000) {
                self.tell(self.coming.now(), watch);
            }
            self.play_tick();
        }
    }

    fn play_tick(&mut self) {
        self.strike();
        for gateway in 0..self.gateways.len() {
            for caller in self.gateways[gateway].begin_tick() {
                self.open_soon(caller);
            }
        }
        for _ in 0..TICK_MILLISECONDS {
            self.play_millisecond();
        }
    }

    fn play_millisecond(&mut self) {
        loop {
            let due = self.coming.take_due();
            if due.is_empty() {
                break;
            }
            for happening in due {
                self.happen(happening);
            }
        }
        self.coming.turn();
    }

    /// While all gateways are down they take no dial, so that clients have nothing to do with
    /// each other: each plays the whole outage by itself, and several do so side by side. That is
    /// several times faster, as an engine then stays in the processor's cache.
    fn play_outage(&mut self, watch: &mut impl FnMut(Progress)) {
        let mut all = self.coming.skip_to(RETURN_AT);
        all.sort_by_key(|(_, happening)| happening.client); // keeps the order of each client's own
        let outage = Outage { fleet: self.tally.fleet(), when_down: self.when_down };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let mut clients = mem::take(&mut self.clients);
        let mut played = 0;
        for some in clients.chunks_mut(CLIENTS_PER_PROGRESS) {
            played += some.len() as u64;
            let parts = some.chunks_mut(some.len().div_ceil(threads));
            thread::scope(|scope| {
                let run = |part| scope.spawn(|| play_alone(part, &outage, &all));
                let running: Vec<_> = parts.map(run).collect();
                for part in running {
                    let (tally, rest) = part.join().unwrap_or_else(|panic| resume_unwind(panic));
                    self.tally.add(&tally);
                    rest.into_iter().for_each(|(at, happening)| self.coming.push(at, happening));
                }
            });
            self.tell(
                ALL_DIE_AT + (RETURN_AT - ALL_DIE_AT) * played / u64::from(outage.fleet),
                watch,
            );
        }
        self.clients = clients;
    }

    fn tell(&self, played_milliseconds: u64, watch: &mut impl FnMut(Progress)) {
        watch(Progress { played_milliseconds, dials: self.tally.dials() });
    }

    /// What befalls the gateways now.
    fn strike(&mut self) {
        match self.coming.now() {
            ONE_DIES_AT => self.kill(FIRST_TO_DIE),
            ALL_DIE_AT => (0..GATEWAYS).for_each(|gateway| self.kill(gateway)),
            RETURN_AT => self.gateways.iter_mut().for_each(Gateway::return_to_life),
            _ => {}
        }
    }

    fn kill(&mut self, gateway: u32) {
        for caller in self.gateways[gateway as usize].die() {
            self.close_soon(caller);
        }
    }

    fn happen(&mut self, Happening { client, what }: Happening) {
        let now = self.coming.now();
        if let What::Arrived { socket, gateway } = what {
            self.receive(Caller { client, socket }, usize::from(gateway));
        } else {
            let client = &mut self.clients[client as usize];
            client.handle(now, what, &mut self.coming, &mut self.tally);
        }
    }

    fn receive(&mut self, caller: Caller, gateway: usize) {
        self.tally.dialled(self.coming.now(), gateway);
        match self.gateways[gateway].receive(caller) {
            Reception::Accepted => self.open_soon(caller),
            Reception::Refused => self.close_soon(caller),
            Reception::TurnedAway => {
                self.tally.turned_away_one();
                self.close_soon(caller);
            }
            Reception::Unheard | Reception::Waits => {}
        }
    }

    fn open_soon(&mut self, caller: Caller) {
        let what = What::Opened { socket: caller.socket };
        self.push(caller, WAYS_TO_OPEN, what);
    }

    fn close_soon(&mut self, caller: Caller) {
        self.push(caller, 1, What::Closed { socket: caller.socket });
    }

    fn push(&mut self, caller: Caller, ways: u64, what: What) {
        let now = self.coming.now();
        self.clients[caller.client as usize].push(now, ways, what, &mut self.coming);
    }
}

#[cfg(test)]
mod tests {
    use super::World;
    use crate::scenario::{ALL_DIE_AT, RETURN_AT, variants};

    #[test]
    fn an_outage_is_the_same_whether_clients_play_it_together_or_alone() {
        for variant in variants() {
            let world = || {
                let mut world = World::new(&variant, 500, 7);
                world.play_until(ALL_DIE_AT, &mut |_| {});
                world
            };
            let (mut together, mut alone) = (world(), world());
            together.play_until(RETURN_AT, &mut |_| {});
            alone.strike();
            alone.play_outage(&mut |_| {});
            assert_eq!(together.tally, alone.tally, "{}", variant.name);
            let mut coming = [&mut together, &mut alone].map(|world| {
                let mut coming = world.coming.skip_to(RETURN_AT);
                coming.sort_by_key(|(at, happening)| (*at, happening.client));
                coming
            });
            let [together, alone] = coming.each_mut();
            assert_eq!(together, alone, "{}", variant.name);
        }
    }
}
