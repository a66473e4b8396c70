//! The runs as pictures.
#![expect(clippy::float_arithmetic, reason = "a picture has no exact places")]

use std::{error::Error, path::Path};

use plotters::{coord::Shift, prelude::*};

use crate::{
    report::Run,
    scenario::{ALL_DIE_AT, END_AT, ONE_DIES_AT, RETURN_AT, TICK_MILLISECONDS},
};

const SIZE: (u32, u32) = (960, 600);
/// A point of a line is the most of so many ticks: half a second.
const TICKS_PER_POINT: usize = 5;
/// The least share that is drawn, in percent; what is less is drawn there.
const LEAST_PERCENT: f64 = 0.001;

/// What a picture shows changes at these times.
const MOMENTS: [(u64, &str); 3] =
    [(ONE_DIES_AT, "one dies"), (ALL_DIE_AT, "all down"), (RETURN_AT, "all back")];

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// Draws the dials of the busiest gateway, and the connected clients below.
///
/// # Errors
///
/// Where the file cannot be written.
pub fn draw(run: &Run, path: &Path) -> Drawn {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (dials, connected) = root.split_vertically((60).percent_height());
    let fleet = f64::from(run.tally.fleet());
    let percent = |count: f64| count * 100.0 / fleet;
    let busiest = points(&run.tally.busiest(), |&count| percent(f64::from(count)));
    draw_dials(run, &dials, &busiest)?;
    let clients = run.tally.connected_clients();
    let clients: Vec<u32> = clients.into_iter().map(u32::try_from).collect::<Result<_, _>>()?;
    draw_connected(&connected, &points(&clients, |&count| percent(f64::from(count))))?;
    root.present()?;
    Ok(())
}

fn draw_dials(run: &Run, panel: &Panel<'_>, line: &[(f64, f64)]) -> Drawn {
    let title =
        format!("{}: dials of the busiest gateway in 100 ms, % of the fleet", run.variant.name);
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(20)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..seconds(END_AT), (LEAST_PERCENT..100.0).log_scale())?;
    chart.configure_mesh().light_line_style(TRANSPARENT).draw()?;
    chart.draw_series(MOMENTS.map(|(at, _)| moment(at, LEAST_PERCENT)))?;
    chart.draw_series(
        MOMENTS.map(|(at, name)| Text::new(name, (seconds(at) + 2.0, 80.0), ("sans-serif", 13))),
    )?;
    let line = line.iter().map(|&(at, percent)| (at, percent.max(LEAST_PERCENT)));
    chart.draw_series(LineSeries::new(line, &RED))?;
    Ok(())
}

fn draw_connected(panel: &Panel<'_>, line: &[(f64, f64)]) -> Drawn {
    let mut chart = ChartBuilder::on(panel)
        .caption("connected clients, % of the fleet", ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(35)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..seconds(END_AT), 0.0..100.0)?;
    chart.configure_mesh().light_line_style(TRANSPARENT).x_desc("seconds").draw()?;
    chart.draw_series(MOMENTS.map(|(at, _)| moment(at, 0.0)))?;
    chart.draw_series(LineSeries::new(line.iter().copied(), &BLUE))?;
    Ok(())
}

fn points(counts: &[u32], height: impl Fn(&u32) -> f64) -> Vec<(f64, f64)> {
    let at = (0_u32..).map(|point| f64::from(point) * 0.5);
    let most = counts.chunks(TICKS_PER_POINT).filter_map(|ticks| ticks.iter().max());
    at.zip(most.map(height)).collect()
}

/// A line from the top to the bottom.
fn moment(at: u64, bottom: f64) -> PathElement<(f64, f64)> {
    PathElement::new(vec![(seconds(at), bottom), (seconds(at), 100.0)], BLACK.mix(0.4))
}

fn seconds(at: u64) -> f64 {
    u32::try_from(at / TICK_MILLISECONDS).map_or(0.0, |ticks| f64::from(ticks) / 10.0)
}
