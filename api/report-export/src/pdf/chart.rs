//! Charts over the time of the session (reference/history.md#charts).

use history_model::report::ChartMarker;

use super::{
    paper::{Area, Mark, Paper, Points},
    series::{Series, Values},
    shape::Shaper,
    table,
    theme::{CONTENT_WIDTH, Color, FAINT, MARGIN, MARKER, MUTED},
};
use crate::content::{MAX_ROWS, figures::grouped};

const TITLE_HEIGHT: f32 = 30.0;
const LEGEND_HEIGHT: f32 = 14.0;
const PLOT_HEIGHT: f32 = 150.0;
const AXIS_HEIGHT: f32 = 22.0;
/// Room for the numbers of the vertical axis.
const NUMBERS_WIDTH: f32 = 38.0;
const LABEL_SIZE: f32 = 7.0;
const TIMES: usize = 6;
/// Parts of the vertical axis.
const STEPS: f64 = 4.0;
/// Room for the number of a marker.
const MARKER_ROOM: f32 = 10.0;

/// A line of a chart.
pub(super) struct Curve {
    pub name: String,
    pub color: Color,
    pub values: Values,
    pub width: f32,
}

/// A chart.
pub(super) struct Chart<'a> {
    pub title: &'static str,
    pub curves: Vec<Curve>,
    /// True for a tinted area below the first line.
    pub is_filled: bool,
    pub markers: &'a [ChartMarker],
}

/// Scale of the two axes.
struct Scale {
    area: Area,
    /// Value at the upper end, and distance of two numbers.
    top: f64,
    step: f64,
    points: usize,
}

/// Draws a chart below what is on the page.
pub(super) fn draw(paper: &mut Paper, shaper: &mut Shaper<'_>, series: &Series, chart: &Chart<'_>) {
    paper.reserve(TITLE_HEIGHT + LEGEND_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT);
    table::title(paper, shaper, chart.title);
    if chart.curves.is_empty() {
        paper.text(shaper.line("No samples", false), (MARGIN, paper.y + 8.0), 9.0, MUTED, None);
        paper.y += AXIS_HEIGHT;
        return;
    }
    legend(paper, shaper, series, chart);
    let scale = Scale::of(paper.y, series, chart);
    grid(paper, shaper, &scale);
    times(paper, shaper, series, &scale);
    markers(paper, shaper, series, chart.markers, &scale);
    for (at, curve) in chart.curves.iter().enumerate() {
        draw_curve(paper, curve, &scale, chart.is_filled && at == 0);
    }
    paper.y += PLOT_HEIGHT + AXIS_HEIGHT;
}

impl Scale {
    fn of(y: f32, series: &Series, chart: &Chart<'_>) -> Self {
        let area =
            Area { x: MARGIN + NUMBERS_WIDTH, y, width: CONTENT_WIDTH - NUMBERS_WIDTH, height: PLOT_HEIGHT };
        let values = chart.curves.iter().flat_map(|curve| curve.values.iter().flatten());
        let largest = values.copied().fold(0.0, f64::max);
        let step = step(largest);
        Self { area, top: (largest / step).ceil().max(1.0) * step, step, points: series.len() }
    }

    fn x(&self, place: f64) -> f32 {
        let last = self.points.saturating_sub(1).max(1) as f64;
        self.area.x + (place.clamp(0.0, last) / last) as f32 * self.area.width
    }

    fn y(&self, value: f64) -> f32 {
        self.area.y + self.area.height - (value / self.top) as f32 * self.area.height
    }
}

/// Distance of two numbers on the axis: 1, 2 or 5 times a power of ten, at least 1.
fn step(largest: f64) -> f64 {
    let rough = (largest / STEPS).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough).unwrap_or(10.0 * power)
}

fn legend(paper: &mut Paper, shaper: &mut Shaper<'_>, series: &Series, chart: &Chart<'_>) {
    let (mut x, y) = (MARGIN, paper.y);
    for curve in &chart.curves {
        paper.rectangle(Area { x, y: y + 1.0, width: 7.0, height: 7.0 }, curve.color);
        let name = shaper.fit(&curve.name, false, 12.0);
        let width = name.width * LABEL_SIZE;
        paper.text(name, (x + 10.0, y + 7.2), LABEL_SIZE, MUTED, None);
        x += width + 24.0;
    }
    if series.minutes() > 1 {
        let note = shaper.line(&format!("each point is the average of {} minutes", series.minutes()), false);
        let x = MARGIN + CONTENT_WIDTH - note.width * LABEL_SIZE;
        paper.text(note, (x, y + 7.2), LABEL_SIZE, MUTED, None);
    }
    paper.y += LEGEND_HEIGHT;
}

/// Horizontal lines with their numbers.
fn grid(paper: &mut Paper, shaper: &mut Shaper<'_>, scale: &Scale) {
    let (left, right) = (scale.area.x, scale.area.x + scale.area.width);
    let count = (scale.top / scale.step).round() as usize;
    for at in 0..=count {
        let value = at as f64 * scale.step;
        let y = scale.y(value);
        paper.line((left, y), (right, y), FAINT, 0.6);
        let number = shaper.line(&grouped(value.round() as i64), false);
        let x = left - 5.0 - number.width * LABEL_SIZE;
        paper.text(number, (x, y + 2.4), LABEL_SIZE, MUTED, None);
    }
}

/// Times below the horizontal axis.
fn times(paper: &mut Paper, shaper: &mut Shaper<'_>, series: &Series, scale: &Scale) {
    let last = scale.points.saturating_sub(1);
    let is_long = last * series.minutes() > 24 * 60;
    let pattern = if is_long { "%m-%d %H:%M" } else { "%H:%M" };
    let count = TIMES.min(last + 1);
    for at in 0..count {
        let place = last as f64 * at as f64 / (count.max(2) - 1) as f64;
        let time = shaper.line(&series.time(place).format(pattern).to_string(), false);
        let width = time.width * LABEL_SIZE;
        let x = scale.x(place) - width / 2.0;
        let x = x.clamp(scale.area.x, scale.area.x + scale.area.width - width);
        paper.text(time, (x, scale.area.y + scale.area.height + 11.0), LABEL_SIZE, MUTED, None);
    }
}

/// Moments as dashed lines with the numbers that their table has.
fn markers(
    paper: &mut Paper,
    shaper: &mut Shaper<'_>,
    series: &Series,
    markers: &[ChartMarker],
    scale: &Scale,
) {
    let (top, bottom) = (scale.area.y, scale.area.y + scale.area.height);
    let (mut lines, mut free) = (Vec::new(), scale.area.x);
    for (at, marker) in markers.iter().take(MAX_ROWS).enumerate() {
        let x = scale.x(series.place(marker.at));
        lines.push(vec![(x, top), (x, bottom)]);
        if x >= free {
            let number = shaper.line(&(at + 1).to_string(), true);
            free = x + MARKER_ROOM.max(number.width * LABEL_SIZE + 3.0);
            paper.text(number, (x + 1.5, top + 6.0), LABEL_SIZE, MARKER, None);
        }
    }
    if !lines.is_empty() {
        paper.draw(Mark::Stroke { parts: lines, color: MARKER, width: 0.6, is_dashed: true });
    }
}

/// One point for each known value; a gap stays a gap.
fn draw_curve(paper: &mut Paper, curve: &Curve, scale: &Scale, is_filled: bool) {
    let known = curve
        .values
        .iter()
        .enumerate()
        .map(|(at, value)| value.map(|value| (scale.x(at as f64), scale.y(value))));
    let known: Vec<Option<(f32, f32)>> = known.collect();
    let parts = known.split(Option::is_none).map(|part| part.iter().flatten().copied().collect::<Points>());
    let (lines, alone): (Vec<_>, Vec<_>) =
        parts.filter(|part| !part.is_empty()).partition(|part| part.len() > 1);
    if is_filled {
        let bottom = scale.area.y + scale.area.height;
        for line in &lines {
            paper.draw(Mark::Fill { points: area_below(line, bottom), color: curve.color, opacity: 0.14 });
        }
    }
    if !lines.is_empty() {
        paper.draw(Mark::Stroke { parts: lines, color: curve.color, width: curve.width, is_dashed: false });
    }
    for (x, y) in alone.into_iter().flatten() {
        paper.rectangle(Area { x: x - 1.0, y: y - 1.0, width: 2.0, height: 2.0 }, curve.color);
    }
}

fn area_below(line: &Points, bottom: f32) -> Points {
    let ends =
        line.first().zip(line.last()).map(|((first, _), (last, _))| [(*last, bottom), (*first, bottom)]);
    line.iter().copied().chain(ends.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_of_an_axis_is_round() {
        for (largest, expected) in [
            (0.0, 1.0),
            (3.0, 1.0),
            (5.0, 2.0),
            (17.0, 5.0),
            (100.0, 50.0),
            (1234.0, 500.0),
            (36_000.0, 10_000.0),
        ] {
            assert_eq!(step(largest), expected, "{largest}");
        }
    }
}
