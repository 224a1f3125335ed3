//! Tables of a report.

use history_model::report::{MarkerKind, Report};

use super::{
    Align::{Left, Right},
    Column, MAX_ROWS, Table,
    figures::{decimal, duration, grouped, moment, platform_name},
};

/// Every table, also those without rows.
pub(super) fn all(report: &Report) -> Vec<Table> {
    vec![
        streams(report),
        events(report),
        chatters(report),
        emotes(report),
        gifs(report),
        moments(report),
        categories(report),
        songs(report),
        event_types(report),
    ]
}

impl Table {
    fn new(
        title: &'static str,
        columns: &[(&'static str, super::Align, f32)],
        rows: impl ExactSizeIterator<Item = Vec<String>>,
    ) -> Self {
        let hidden_rows = rows.len().saturating_sub(MAX_ROWS);
        let columns =
            columns.iter().map(|(head, align, share)| Column { head, align: *align, share: *share });
        Self { title, columns: columns.collect(), rows: rows.take(MAX_ROWS).collect(), hidden_rows }
    }
}

fn known(number: Option<i64>) -> String {
    number.map_or_else(|| "–".to_owned(), grouped)
}

fn streams(report: &Report) -> Table {
    let columns = [
        ("Platform", Left, 0.1),
        ("Start", Left, 0.16),
        ("End", Left, 0.16),
        ("Peak", Right, 0.09),
        ("Average", Right, 0.1),
        ("Title", Left, 0.25),
        ("Category", Left, 0.14),
    ];
    let rows = report.streams.iter().map(|stream| {
        vec![
            platform_name(&stream.platform),
            moment(stream.started_at),
            stream.ended_at.map_or_else(|| "–".to_owned(), moment),
            known(stream.peak_viewers),
            stream.avg_viewers.map_or_else(|| "–".to_owned(), decimal),
            stream.title.clone().unwrap_or_default(),
            stream.category.clone().unwrap_or_default(),
        ]
    });
    Table::new("Streams", &columns, rows)
}

/// Sums of events, tips, raids and moderation that are not zero.
fn events(report: &Report) -> Table {
    let (totals, moderation) = (&report.totals, &report.moderation);
    let counts = [
        ("Follows", totals.follows),
        ("Subscriptions", totals.subs),
        ("Gifted subscriptions", totals.gift_subs),
        ("Renewed subscriptions", totals.resubs),
        ("Bits", totals.cheers_bits),
        ("Super Chats", totals.superchats),
        ("Redemptions", totals.redemptions),
        ("Raids", totals.raids_in),
        ("Viewers of raids", totals.raid_viewers),
        ("Bans", moderation.bans),
        ("Timeouts", moderation.timeouts),
        ("Deleted messages", moderation.deletions),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count != 0);
    let mut rows: Vec<_> = counts.map(|(name, count)| vec![name.to_owned(), grouped(count)]).collect();
    let tips = totals.tips.iter().map(|tip| vec![format!("Tips in {}", tip.currency), tip.amount.clone()]);
    rows.extend(tips);
    Table::new("Events", &[("Event", Left, 0.7), ("Sum", Right, 0.3)], rows.into_iter())
}

fn chatters(report: &Report) -> Table {
    let columns = [
        ("#", Right, 0.06),
        ("Messages", Right, 0.14),
        ("Platform", Left, 0.14),
        ("Name", Left, 0.33),
        ("Login", Left, 0.33),
    ];
    let rows = report.top_chatters.iter().enumerate().map(|(at, chatter)| {
        vec![
            (at + 1).to_string(),
            grouped(chatter.message_count),
            platform_name(&chatter.platform),
            chatter.display_name.clone(),
            chatter.username.clone(),
        ]
    });
    Table::new("Top chatters", &columns, rows)
}

fn emotes(report: &Report) -> Table {
    let columns = [("#", Right, 0.06), ("Uses", Right, 0.14), ("Provider", Left, 0.2), ("Emote", Left, 0.6)];
    let rows = report.top_emotes.iter().enumerate().map(|(at, emote)| {
        vec![(at + 1).to_string(), grouped(emote.count), emote.provider.clone(), emote.name.clone()]
    });
    Table::new("Top emotes", &columns, rows)
}

fn gifs(report: &Report) -> Table {
    let columns = [
        ("#", Right, 0.06),
        ("Uses", Right, 0.14),
        ("Provider", Left, 0.14),
        ("Description", Left, 0.26),
        ("Address", Left, 0.4),
    ];
    let rows = report.top_gifs.iter().enumerate().map(|(at, gif)| {
        vec![
            (at + 1).to_string(),
            grouped(gif.count),
            gif.provider.clone(),
            gif.alt.clone().unwrap_or_default(),
            gif.url.clone(),
        ]
    });
    Table::new("Top GIFs", &columns, rows)
}

/// Markers of the chart with their numbers.
fn moments(report: &Report) -> Table {
    let columns = [("#", Right, 0.06), ("Time", Left, 0.2), ("Moment", Left, 0.2), ("Text", Left, 0.54)];
    let rows = report.chart_markers.iter().enumerate().map(|(at, marker)| {
        vec![
            (at + 1).to_string(),
            moment(marker.at),
            marker_name(marker.kind).to_owned(),
            marker.label.clone().unwrap_or_default(),
        ]
    });
    Table::new("Moments", &columns, rows)
}

fn categories(report: &Report) -> Table {
    let columns = [("Start", Left, 0.2), ("Length", Right, 0.15), ("Category", Left, 0.65)];
    let rows = report
        .categories
        .iter()
        .map(|span| vec![moment(span.started_at), duration(span.duration_secs), span.name.clone()]);
    Table::new("Categories", &columns, rows)
}

fn songs(report: &Report) -> Table {
    let columns = [("Time", Left, 0.2), ("Artist", Left, 0.35), ("Title", Left, 0.45)];
    let rows =
        report.music.iter().map(|song| vec![moment(song.played_at), song.artist.clone(), song.title.clone()]);
    Table::new("Music", &columns, rows)
}

fn event_types(report: &Report) -> Table {
    let rows =
        report.events_by_type.iter().map(|(event_type, count)| vec![event_type.clone(), grouped(*count)]);
    Table::new("Events by type", &[("Type", Left, 0.7), ("Number", Right, 0.3)], rows)
}

/// Name of a kind of marker.
pub(crate) const fn marker_name(kind: MarkerKind) -> &'static str {
    match kind {
        MarkerKind::TitleChange => "New title",
        MarkerKind::CategoryChange => "New category",
        MarkerKind::Raid => "Raid",
        MarkerKind::HypeTrain => "Hype train",
        MarkerKind::Clip => "Clip",
        MarkerKind::AdBreak => "Ad break",
    }
}
