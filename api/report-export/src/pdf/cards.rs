//! Cards with the figures of the session.

use super::{
    paper::{Area, Paper},
    shape::Shaper,
    theme::{ACCENT, CONTENT_WIDTH, INK, MARGIN, MUTED, PANEL},
};
use crate::content::Figure;

const COLUMNS: usize = 4;
const GAP: f32 = 8.0;
const HEIGHT: f32 = 50.0;
const PADDING: f32 = 9.0;

/// Draws the figures in rows of cards.
pub(super) fn draw(paper: &mut Paper, shaper: &mut Shaper<'_>, figures: &[Figure]) {
    let width = (CONTENT_WIDTH - GAP * (COLUMNS - 1) as f32) / COLUMNS as f32;
    for row in figures.chunks(COLUMNS) {
        paper.reserve(HEIGHT + GAP);
        for (at, figure) in row.iter().enumerate() {
            let x = MARGIN + at as f32 * (width + GAP);
            card(paper, shaper, Area { x, y: paper.y, width, height: HEIGHT }, figure);
        }
        paper.y += HEIGHT + GAP;
    }
}

fn card(paper: &mut Paper, shaper: &mut Shaper<'_>, area: Area, figure: &Figure) {
    const NAME_SIZE: f32 = 7.5;
    const VALUE_SIZE: f32 = 17.0;
    paper.rectangle(area, PANEL);
    paper.rectangle(Area { width: 2.5, ..area }, ACCENT);
    let (x, room) = (area.x + PADDING, area.width - 1.5 * PADDING);
    let name = shaper.fit(figure.name, false, room / NAME_SIZE);
    paper.text(name, (x, area.y + 16.0), NAME_SIZE, MUTED, None);
    let value = shaper.fit(&figure.value, true, room / VALUE_SIZE);
    paper.text(value, (x, area.y + 38.0), VALUE_SIZE, INK, None);
}
