//! Report as plain text (reference/history.md#text).

use history_model::report::{Report, Sample};
use unicode_width::UnicodeWidthStr;

use crate::{
    Failure,
    content::{
        Align, Content, Table,
        figures::{grouped, moment},
    },
    driver::Write,
    visible::visible,
};

/// Writer of the text.
#[derive(Debug)]
pub(crate) struct Text;

/// Widest column that others are aligned after.
const MAX_COLUMN: usize = 48;
/// Columns of the samples: head and width.
const SAMPLES: [(&str, usize); 6] = [
    ("Minute (UTC)", 16),
    ("Platform", 10),
    ("Viewers", 12),
    ("Messages", 12),
    ("Chatters", 12),
    ("New followers", 14),
];

impl Write for Text {
    fn begin(&mut self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
        let content = Content::of(report);
        let title = visible(&content.title);
        line(out, &title);
        line(out, &"=".repeat(title.width().clamp(1, 100)));
        line(out, &visible(&content.subtitle));
        line(out, "");
        let widest = content.figures.iter().map(|figure| figure.name.width()).max().unwrap_or_default();
        for figure in &content.figures {
            line(out, &format!("{}  {}", padded(figure.name, widest, Align::Left), figure.value));
        }
        for table in &content.tables {
            write_table(out, table);
        }
        line(out, "");
        heading(out, "Samples");
        let heads = SAMPLES.map(|(head, _)| head.to_owned());
        sample_line(out, &heads);
        Ok(())
    }

    fn samples(&mut self, page: &[Sample], out: &mut Vec<u8>) -> Result<(), Failure> {
        for sample in page {
            let cells = [
                moment(sample.at),
                visible(&sample.platform).into_owned(),
                sample.viewer_count.map_or_else(|| "–".to_owned(), grouped),
                grouped(sample.message_count),
                grouped(sample.unique_chatters),
                grouped(sample.follower_delta),
            ];
            sample_line(out, &cells);
        }
        Ok(())
    }

    fn end(&mut self, _report: &Report, _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }
}

fn line(out: &mut Vec<u8>, text: &str) {
    out.extend(text.trim_end().bytes());
    out.push(b'\n');
}

fn heading(out: &mut Vec<u8>, text: &str) {
    line(out, text);
    line(out, &"-".repeat(text.width()));
}

fn write_table(out: &mut Vec<u8>, table: &Table) {
    line(out, "");
    heading(out, table.title);
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(|cell| visible(cell).into_owned()).collect()).collect();
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width());
            cells.max().unwrap_or_default().max(column.head.width()).min(MAX_COLUMN)
        })
        .collect();
    let mut write = |cells: &mut dyn Iterator<Item = &str>| {
        let columns = table.columns.iter().zip(&widths);
        let cells = columns.zip(cells).map(|((column, width), cell)| padded(cell, *width, column.align));
        line(out, &cells.collect::<Vec<_>>().join("  "));
    };
    write(&mut table.columns.iter().map(|column| column.head));
    for row in &rows {
        write(&mut row.iter().map(String::as_str));
    }
    if table.hidden_rows > 0 {
        line(out, &format!("and {} more", table.hidden_rows));
    }
}

fn sample_line(out: &mut Vec<u8>, cells: &[String; 6]) {
    let padded =
        cells.iter().zip(SAMPLES).enumerate().map(|(at, (cell, (_, width)))| {
            padded(cell, width, if at < 2 { Align::Left } else { Align::Right })
        });
    line(out, &padded.collect::<Vec<_>>().join("  "));
}

/// The text with spaces up to a width in columns of a terminal.
fn padded(text: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => format!("{text}{space}"),
        Align::Right => format!("{space}{text}"),
    }
}
