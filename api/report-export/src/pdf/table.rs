//! Tables, which repeat their heads on each page.

use super::{
    paper::{Area, Paper},
    shape::Shaper,
    theme::{CONTENT_WIDTH, FAINT, INK, MARGIN, MUTED, PANEL},
};
use crate::content::{Align, Column, Table};

const TITLE_HEIGHT: f32 = 30.0;
const ROW_HEIGHT: f32 = 15.5;
const TEXT_SIZE: f32 = 8.0;
const PADDING: f32 = 4.0;

/// Draws a table below what is on the page.
pub(super) fn draw(paper: &mut Paper, shaper: &mut Shaper<'_>, table: &Table) {
    // A title is never alone at the end of a page.
    paper.reserve(TITLE_HEIGHT + 3.0 * ROW_HEIGHT);
    title(paper, shaper, table.title);
    heads(paper, shaper, &table.columns);
    for (at, row) in table.rows.iter().enumerate() {
        if paper.is_full(ROW_HEIGHT) {
            paper.reserve(ROW_HEIGHT);
            heads(paper, shaper, &table.columns);
        }
        if at % 2 == 1 {
            paper.rectangle(row_area(paper), PANEL);
        }
        for (area, cell, column) in cells(paper, &table.columns, row) {
            cell_text(paper, shaper, area, cell, column.align, false);
        }
        paper.y += ROW_HEIGHT;
    }
    if table.hidden_rows > 0 {
        paper.reserve(ROW_HEIGHT);
        let area = row_area(paper);
        cell_text(paper, shaper, area, &format!("and {} more", table.hidden_rows), Align::Left, false);
        paper.y += ROW_HEIGHT;
    }
    paper.y += 6.0;
}

/// Draws the title of a section.
pub(super) fn title(paper: &mut Paper, shaper: &mut Shaper<'_>, text: &str) {
    const SIZE: f32 = 12.0;
    paper.text(shaper.line(text, true), (MARGIN, paper.y + 20.0), SIZE, INK, None);
    paper.y += TITLE_HEIGHT;
}

fn heads(paper: &mut Paper, shaper: &mut Shaper<'_>, columns: &[Column]) {
    let names: Vec<String> = columns.iter().map(|column| column.head.to_owned()).collect();
    for (area, name, column) in cells(paper, columns, &names) {
        cell_text(paper, shaper, area, name, column.align, true);
    }
    let y = paper.y + ROW_HEIGHT;
    paper.line((MARGIN, y), (MARGIN + CONTENT_WIDTH, y), FAINT, 0.8);
    paper.y = y;
}

fn row_area(paper: &Paper) -> Area {
    Area { x: MARGIN, y: paper.y, width: CONTENT_WIDTH, height: ROW_HEIGHT }
}

/// Cells of a row with their places.
fn cells<'t>(paper: &Paper, columns: &'t [Column], row: &'t [String]) -> Vec<(Area, &'t str, &'t Column)> {
    let row_area = row_area(paper);
    let mut x = row_area.x;
    let placed = columns.iter().zip(row).map(|(column, cell)| {
        let area = Area { x, width: column.share * CONTENT_WIDTH, ..row_area };
        x += area.width;
        (area, cell.as_str(), column)
    });
    placed.collect()
}

fn cell_text(
    paper: &mut Paper,
    shaper: &mut Shaper<'_>,
    area: Area,
    text: &str,
    align: Align,
    is_head: bool,
) {
    if text.is_empty() {
        return;
    }
    let room = area.width - 2.0 * PADDING;
    let line = shaper.fit(text, is_head, room / TEXT_SIZE);
    let x = match align {
        Align::Left => area.x + PADDING,
        Align::Right => area.x + area.width - PADDING - line.width * TEXT_SIZE,
    };
    let color = if is_head { MUTED } else { INK };
    paper.text(line, (x, area.y + 10.8), TEXT_SIZE, color, Some(area));
}
