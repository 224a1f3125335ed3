//! Content of a report for readers: title, figures and tables. Text and PDF lay it out.

pub(crate) mod figures;
mod tables;

use history_model::report::Report;

use self::figures::{date, decimal, duration, grouped, moment, platform_name};

/// Largest number of rows of a table; beyond it the table ends with the number of the others.
pub(crate) const MAX_ROWS: usize = 400;

/// Content of a report.
pub(crate) struct Content {
    /// Title of the stream.
    pub title: String,
    /// Time, length and platforms.
    pub subtitle: String,
    /// Figures with their names, the most important ones first.
    pub figures: Vec<Figure>,
    /// Tables with at least one row.
    pub tables: Vec<Table>,
}

/// Figure with its name.
pub(crate) struct Figure {
    pub name: &'static str,
    /// `–` where nothing is known.
    pub value: String,
}

/// Side at which a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub head: &'static str,
    pub align: Align,
    /// Share of the width of a page.
    pub share: f32,
}

/// Table with its rows, each as long as `columns`.
pub(crate) struct Table {
    pub title: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
    /// Rows that [`MAX_ROWS`] cut off.
    pub hidden_rows: usize,
}

impl Content {
    /// Content of a report.
    pub fn of(report: &Report) -> Self {
        Self {
            title: title(report),
            subtitle: subtitle(report),
            figures: figures(report),
            tables: tables::all(report).into_iter().filter(|table| !table.rows.is_empty()).collect(),
        }
    }
}

/// Title of the stream, or its date.
fn title(report: &Report) -> String {
    let title = report.session.title.as_deref().unwrap_or_default().trim();
    if title.is_empty() { format!("Stream of {}", date(report.session.started_at)) } else { title.to_owned() }
}

fn subtitle(report: &Report) -> String {
    let session = &report.session;
    let mut parts = vec![match session.ended_at {
        Some(ended) => format!("{} to {} UTC", moment(session.started_at), moment(ended)),
        None => format!("{} UTC", moment(session.started_at)),
    }];
    parts.extend(session.duration_secs.map(duration));
    parts.push(
        session.platforms.iter().map(|platform| platform_name(platform)).collect::<Vec<_>>().join(", "),
    );
    parts.extend(session.category.clone());
    parts.join(" · ")
}

fn figures(report: &Report) -> Vec<Figure> {
    let session = &report.session;
    let known = |number: Option<i64>| number.map_or_else(|| "–".to_owned(), grouped);
    vec![
        Figure { name: "Peak viewers", value: known(session.peak_viewers) },
        Figure {
            name: "Average viewers",
            value: session.avg_viewers.map_or_else(|| "–".to_owned(), decimal),
        },
        Figure { name: "Messages", value: grouped(session.total_messages) },
        Figure { name: "Chatters", value: known(session.unique_chatters) },
        Figure { name: "New followers", value: known(session.new_followers) },
        Figure { name: "New subscribers", value: known(session.new_subscribers) },
        Figure { name: "Peak messages per minute", value: grouped(report.messages_per_minute_peak) },
        Figure { name: "Duration", value: session.duration_secs.map_or_else(|| "–".to_owned(), duration) },
    ]
}
