//! `make storm`: plays every variant, writes what came of it, and fails where a bar is missed.
//!
//! storm --clients 1000000 --seed 1 --out benches/results/storm

use std::{
    env,
    error::Error,
    fs,
    io::{IsTerminal, Write, stderr},
    mem,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use regate::policy::Engine;
use regate_storm::{
    bars::bars,
    charts,
    report::{Run, document, thousands},
    scenario::{END_AT, Variant, WITH_WHOLE_FLEET, variants},
    world::{Progress, play},
};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let clients: u32 = argument("--clients", "1000000")?.parse()?;
    let seed: u64 = argument("--seed", "1")?.parse()?;
    let out = argument("--out", "benches/results/storm")?;
    let out = Path::new(&out);
    fs::create_dir_all(out)?;

    let began = now();
    let mut runs = Vec::new();
    for (place, variant) in variants().into_iter().enumerate() {
        let whole = place < WITH_WHOLE_FLEET;
        runs.push(run(variant, if whole { clients } else { clients.div_ceil(10) }, seed));
    }
    let about = about(clients, seed, began.elapsed());
    fs::write(out.join("README.md"), document(&runs, &about))?;
    for run in &runs {
        charts::draw(run, &out.join(run.variant.name).with_extension("svg"))?;
    }
    println!("{about}\nwritten to {}", out.display());
    Ok(judge(&runs))
}

fn run(variant: Variant, clients: u32, seed: u64) -> Run {
    let began = now();
    let mut line = Line::new(variant.name);
    let tally = play(&variant, clients, seed, |progress| line.show(&progress));
    let dials = thousands(tally.dials());
    line.end(&format!(
        "{dials} dials, {}.{} s",
        began.elapsed().as_secs(),
        began.elapsed().subsec_millis() / 100
    ));
    Run { variant, tally }
}

/// Prints the bars, which are for the first variant.
fn judge(runs: &[Run]) -> ExitCode {
    let bars = runs.first().map(|run| bars(&run.peaks())).unwrap_or_default();
    for bar in &bars {
        println!("{bar}");
    }
    if bars.iter().all(|bar| bar.holds) && !bars.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What was run, and what it took.
fn about(clients: u32, seed: u64, took: Duration) -> String {
    let date = Command::new("date").args(["-u", "+%F"]).output();
    let date = date.map(|date| String::from_utf8_lossy(&date.stdout).trim().to_owned());
    let memory = most_memory_bytes().map_or(String::new(), |bytes| {
        let each = thousands(bytes / u64::from(clients));
        format!(
            ", at most {} MB of memory ({each} bytes a client, queue and counts included)",
            bytes / 1_000_000
        )
    });
    format!(
        "{}: {} clients, seed {seed}; {} s in all{memory}. An engine has {} bytes of its own, before what it allocates.",
        date.unwrap_or_default(),
        thousands(clients.into()),
        took.as_secs(),
        thousands(mem::size_of::<Engine>() as u64),
    )
}

/// The most memory that the process ever had, where the system tells.
fn most_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn argument(name: &str, default: &str) -> Result<String, String> {
    let mut arguments = env::args().skip_while(|argument| argument != name);
    match arguments.next() {
        None => Ok(default.to_owned()),
        Some(_) => arguments.next().ok_or_else(|| format!("{name} needs a value")),
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a run takes decides nothing in it")]
fn now() -> Instant {
    Instant::now()
}

/// A line that says how far a run is: drawn over itself on a terminal, else now and then.
struct Line {
    name: &'static str,
    told_percent: u64,
}

impl Line {
    const fn new(name: &'static str) -> Self {
        Self { name, told_percent: 0 }
    }

    fn show(&mut self, progress: &Progress) {
        let percent = progress.played_milliseconds * 100 / END_AT;
        let step = if stderr().is_terminal() { 1 } else { 25 };
        if percent < self.told_percent + step {
            return;
        }
        self.told_percent = percent;
        self.write(&format!("{percent:3} %, {} dials", thousands(progress.dials)));
    }

    fn end(&self, text: &str) {
        self.write(text);
        if stderr().is_terminal() {
            eprintln!();
        }
    }

    fn write(&self, text: &str) {
        let end = if stderr().is_terminal() { '\r' } else { '\n' };
        let _ = write!(stderr(), "{:25} {text:40}{end}", self.name);
    }
}
