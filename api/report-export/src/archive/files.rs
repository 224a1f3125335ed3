//! Files of the archive: heads and rows (reference/history.md#csv).

use csv::{Terminator, Writer, WriterBuilder};
use history_model::report::{MarkerKind, Report, Sample};

use super::cells::Cell;
use crate::Failure;

/// Rows of a file, as RFC 4180 writes them.
pub(super) struct Rows(Writer<Vec<u8>>);

impl Default for Rows {
    fn default() -> Self {
        Self(WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new()))
    }
}

impl Rows {
    fn with_head(head: &[&str]) -> Result<Self, Failure> {
        let mut rows = Self::default();
        rows.0.write_record(head).map_err(|error| error.to_string())?;
        Ok(rows)
    }

    /// Adds a row.
    pub fn push<'a, const N: usize>(&mut self, cells: [Cell<'a>; N]) -> Result<(), Failure> {
        self.0.write_record(cells.iter().map(Cell::as_str)).map_err(|error| error.to_string())
    }

    /// Bytes of the file.
    pub fn into_bytes(self) -> Result<Vec<u8>, Failure> {
        self.0.into_inner().map_err(|error| error.to_string())
    }
}

/// Figures of the session, one in a row.
pub(super) fn summary(report: &Report) -> Result<Rows, Failure> {
    let mut rows = Rows::with_head(&["field", "value"])?;
    let (session, totals, moderation) = (&report.session, &report.totals, &report.moderation);
    let (id, platforms) = (session.id.to_string(), session.platforms.join(" "));
    for (field, cell) in [
        ("id", Cell::text(&id)),
        ("session_type", Cell::text(&session.session_type)),
        ("platforms", Cell::text(&platforms)),
        ("title", Cell::optional_text(session.title.as_deref())),
        ("category", Cell::optional_text(session.category.as_deref())),
        ("started_at", Cell::time(session.started_at)),
        ("ended_at", Cell::optional_time(session.ended_at)),
        ("duration_secs", Cell::optional_number(session.duration_secs)),
        ("peak_viewers", Cell::optional_number(session.peak_viewers)),
        ("avg_viewers", Cell::optional_decimal(session.avg_viewers)),
        ("total_messages", Cell::number(session.total_messages)),
        ("messages_per_minute_peak", Cell::number(report.messages_per_minute_peak)),
        ("unique_chatters", Cell::optional_number(session.unique_chatters)),
        ("new_followers", Cell::optional_number(session.new_followers)),
        ("new_subscribers", Cell::optional_number(session.new_subscribers)),
        ("follows", Cell::number(totals.follows)),
        ("subs", Cell::number(totals.subs)),
        ("gift_subs", Cell::number(totals.gift_subs)),
        ("resubs", Cell::number(totals.resubs)),
        ("cheers_bits", Cell::number(totals.cheers_bits)),
        ("raids_in", Cell::number(totals.raids_in)),
        ("raid_viewers", Cell::number(totals.raid_viewers)),
        ("redemptions", Cell::number(totals.redemptions)),
        ("superchats", Cell::number(totals.superchats)),
        ("bans", Cell::number(moderation.bans)),
        ("timeouts", Cell::number(moderation.timeouts)),
        ("deletions", Cell::number(moderation.deletions)),
    ] {
        rows.push([Cell::text(field), cell])?;
    }
    for tip in &totals.tips {
        let field = format!("tips_{}", tip.currency);
        rows.push([Cell::text(&field), Cell::Plain(tip.amount.clone())])?;
    }
    Ok(rows)
}

pub(super) fn streams(report: &Report) -> Result<Rows, Failure> {
    let mut rows = Rows::with_head(&[
        "platform",
        "broadcast_id",
        "title",
        "category",
        "started_at",
        "ended_at",
        "peak_viewers",
        "avg_viewers",
    ])?;
    for stream in &report.streams {
        rows.push([
            Cell::text(&stream.platform),
            Cell::text(&stream.broadcast_id),
            Cell::optional_text(stream.title.as_deref()),
            Cell::optional_text(stream.category.as_deref()),
            Cell::time(stream.started_at),
            Cell::optional_time(stream.ended_at),
            Cell::optional_number(stream.peak_viewers),
            Cell::optional_decimal(stream.avg_viewers),
        ])?;
    }
    Ok(rows)
}

pub(super) fn samples_head() -> Result<Rows, Failure> {
    Rows::with_head(&["at", "platform", "viewer_count", "message_count", "unique_chatters", "follower_delta"])
}

pub(super) fn sample_row(sample: &Sample) -> [Cell<'_>; 6] {
    [
        Cell::time(sample.at),
        Cell::text(&sample.platform),
        Cell::optional_number(sample.viewer_count),
        Cell::number(sample.message_count),
        Cell::number(sample.unique_chatters),
        Cell::number(sample.follower_delta),
    ]
}

pub(super) fn chatters(report: &Report) -> Result<Rows, Failure> {
    let mut rows = Rows::with_head(&[
        "platform",
        "platform_user_id",
        "username",
        "display_name",
        "avatar_url",
        "message_count",
    ])?;
    for chatter in &report.top_chatters {
        rows.push([
            Cell::text(&chatter.platform),
            Cell::optional_text(chatter.platform_user_id.as_deref()),
            Cell::text(&chatter.username),
            Cell::text(&chatter.display_name),
            Cell::optional_text(chatter.avatar_url.as_deref()),
            Cell::number(chatter.message_count),
        ])?;
    }
    Ok(rows)
}

/// Emotes and animated pictures.
pub(super) fn emotes(report: &Report) -> Result<Rows, Failure> {
    let mut rows = Rows::with_head(&["kind", "id", "name", "provider", "url", "count"])?;
    for emote in &report.top_emotes {
        rows.push([
            Cell::text("emote"),
            Cell::text(&emote.id),
            Cell::text(&emote.name),
            Cell::text(&emote.provider),
            Cell::optional_text(emote.url.as_deref()),
            Cell::number(emote.count),
        ])?;
    }
    for gif in &report.top_gifs {
        rows.push([
            Cell::text("gif"),
            Cell::text(&gif.id),
            Cell::optional_text(gif.alt.as_deref()),
            Cell::text(&gif.provider),
            Cell::text(&gif.url),
            Cell::number(gif.count),
        ])?;
    }
    Ok(rows)
}

/// Counts of events, moments, categories and songs.
pub(super) fn events(report: &Report) -> Result<Rows, Failure> {
    let mut rows = Rows::with_head(&["kind", "at", "type", "label", "count", "duration_secs"])?;
    for (event_type, count) in &report.events_by_type {
        let count = Cell::number(*count);
        rows.push([
            Cell::text("count"),
            Cell::Empty,
            Cell::text(event_type),
            Cell::Empty,
            count,
            Cell::Empty,
        ])?;
    }
    for marker in &report.chart_markers {
        rows.push([
            Cell::text("marker"),
            Cell::time(marker.at),
            Cell::text(marker_type(marker.kind)),
            Cell::optional_text(marker.label.as_deref()),
            Cell::Empty,
            Cell::Empty,
        ])?;
    }
    for category in &report.categories {
        rows.push([
            Cell::text("category"),
            Cell::time(category.started_at),
            Cell::Empty,
            Cell::text(&category.name),
            Cell::Empty,
            Cell::number(category.duration_secs),
        ])?;
    }
    for track in &report.music {
        let label = format!("{} – {}", track.artist, track.title);
        let (at, label) = (Cell::time(track.played_at), Cell::text(&label));
        rows.push([Cell::text("track"), at, Cell::Empty, label, Cell::Empty, Cell::Empty])?;
    }
    Ok(rows)
}

/// Type of a marker as JSON names it.
const fn marker_type(kind: MarkerKind) -> &'static str {
    match kind {
        MarkerKind::TitleChange => "title_change",
        MarkerKind::CategoryChange => "category_change",
        MarkerKind::Raid => "raid",
        MarkerKind::HypeTrain => "hype_train",
        MarkerKind::Clip => "clip",
        MarkerKind::AdBreak => "ad_break",
    }
}
