//! Titles and categories over the time of a session.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    CategorySpan, ChartMarker, MarkerKind,
    head::{Broadcast, Change},
};

/// Time within which the same change is one: an account changes the title of several platforms together.
const SAME_CHANGE: TimeDelta = TimeDelta::seconds(60);

/// Markers of the changes. The first title and the first category of a broadcast are none.
pub(super) fn markers(changes: &[Change]) -> Vec<ChartMarker> {
    let mut markers: Vec<ChartMarker> = Vec::new();
    for change in changes.iter().filter(|change| !change.is_first) {
        let kind = if change.kind == "title" { MarkerKind::TitleChange } else { MarkerKind::CategoryChange };
        let marker = ChartMarker { at: change.at, kind, label: change.value.clone() };
        let is_repeated = markers
            .iter()
            .rev()
            .take_while(|known| marker.at - known.at <= SAME_CHANGE)
            .any(|known| known.kind == marker.kind && known.label == marker.label);
        if marker.label.is_some() && !is_repeated {
            markers.push(marker);
        }
    }
    markers
}

/// Begin and end of a span.
type Times = (DateTime<Utc>, DateTime<Utc>);

/// Spans in which a broadcast had a category, by start. Overlapping spans of one category on several platforms
/// are one.
pub(super) fn category_spans(
    broadcasts: &[Broadcast],
    changes: &[Change],
    until: DateTime<Utc>,
) -> Vec<CategorySpan> {
    let mut spans: BTreeMap<&str, Vec<Times>> = BTreeMap::new();
    for broadcast in broadcasts {
        for (name, from, to) in of_broadcast(broadcast, changes, until) {
            spans.entry(name).or_default().push((from, to));
        }
    }
    let mut merged: Vec<CategorySpan> = Vec::new();
    for (name, mut spans) in spans {
        spans.sort_unstable();
        let mut spans = spans.into_iter();
        let Some(mut current) = spans.next() else { continue };
        for (from, to) in spans {
            if from <= current.1 {
                current.1 = current.1.max(to);
            } else {
                merged.push(span(name, current));
                current = (from, to);
            }
        }
        merged.push(span(name, current));
    }
    merged.sort_by(|one, other| (one.started_at, &one.name).cmp(&(other.started_at, &other.name)));
    merged
}

fn span(name: &str, (from, to): (DateTime<Utc>, DateTime<Utc>)) -> CategorySpan {
    CategorySpan { name: name.to_owned(), started_at: from, duration_secs: (to - from).num_seconds() }
}

/// Categories of one broadcast, each with its begin and end. The first category of the platform counts from the
/// start of the broadcast on, even when it was seen later.
fn of_broadcast<'a>(
    broadcast: &'a Broadcast,
    changes: &'a [Change],
    until: DateTime<Utc>,
) -> Vec<(&'a str, DateTime<Utc>, DateTime<Utc>)> {
    let end = broadcast.ended_at.unwrap_or(until);
    let mut own = changes
        .iter()
        .filter(|change| change.kind == "category" && change.platform == broadcast.platform)
        .peekable();
    let mut name = match own.peek() {
        Some(first) => first.value.as_deref(),
        None => broadcast.category.as_deref(),
    };
    let (mut from, mut spans) = (broadcast.started_at, Vec::new());
    for change in own.take_while(|change| change.at < end) {
        let at = change.at.max(broadcast.started_at);
        if change.value.as_deref() != name {
            spans.push((name, from, at));
            (name, from) = (change.value.as_deref(), at);
        }
    }
    spans.push((name, from, end));
    let is_span = |(name, from, to): (Option<&'a str>, _, _)| {
        name.filter(|name| !name.is_empty() && from < to).map(|name| (name, from, to))
    };
    spans.into_iter().filter_map(is_span).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn change(platform: &str, kind: &str, value: Option<&str>, second: i64) -> Change {
        let (platform, kind, value) = (platform.to_owned(), kind.to_owned(), value.map(str::to_owned));
        Change { platform, kind, value, is_first: false, at: at(second) }
    }

    fn broadcast(platform: &str, category: Option<&str>, from: i64, to: Option<i64>) -> Broadcast {
        Broadcast {
            id: Uuid::nil(),
            platform: platform.to_owned(),
            platform_channel_id: String::new(),
            broadcast_id: String::new(),
            title: None,
            category: category.map(str::to_owned),
            started_at: at(from),
            ended_at: to.map(at),
        }
    }

    fn spans(broadcasts: &[Broadcast], changes: &[Change]) -> Vec<(String, i64, i64)> {
        let spans = category_spans(broadcasts, changes, at(1000)).into_iter();
        spans.map(|span| (span.name, span.started_at.timestamp(), span.duration_secs)).collect()
    }

    #[test]
    fn category_spans_follow_the_changes_of_each_broadcast() {
        let changes = [
            change("twitch", "category", Some("A"), 5),
            change("twitch", "title", Some("B"), 6),
            change("twitch", "category", Some("B"), 100),
            change("twitch", "category", None, 150),
            change("twitch", "category", Some("A"), 250),
        ];
        let broadcasts = [broadcast("twitch", None, 0, Some(200)), broadcast("twitch", None, 300, None)];
        let name = |name: &str, from, secs| (name.to_owned(), from, secs);
        assert_eq!(
            spans(&broadcasts, &changes),
            [name("A", 0, 100), name("B", 100, 50), name("A", 300, 700)]
        );
        assert_eq!(spans(&[broadcast("kick", Some("C"), 0, Some(10))], &changes), [name("C", 0, 10)]);
        assert!(spans(&[broadcast("kick", None, 0, Some(10))], &[]).is_empty());
    }

    #[test]
    fn category_spans_of_one_name_are_merged_over_platforms() {
        let changes = [change("kick", "category", Some("A"), 50), change("twitch", "category", Some("A"), 0)];
        let broadcasts = [broadcast("twitch", None, 0, Some(100)), broadcast("kick", None, 50, Some(300))];
        assert_eq!(spans(&broadcasts, &changes), [("A".to_owned(), 0, 300)]);
    }

    #[test]
    fn markers_are_later_changes_and_one_for_those_of_several_platforms() {
        let first = |change| Change { is_first: true, ..change };
        let changes = [
            first(change("twitch", "title", Some("One"), 0)),
            first(change("twitch", "category", Some("A"), 0)),
            first(change("kick", "title", Some("Other"), 10)),
            change("twitch", "title", Some("Two"), 100),
            change("kick", "title", Some("Two"), 103),
            change("twitch", "category", None, 110),
            change("twitch", "category", Some("B"), 120),
            change("twitch", "title", Some("Two"), 400),
        ];
        let found: Vec<_> = markers(&changes)
            .into_iter()
            .map(|marker| (marker.at.timestamp(), marker.kind, marker.label.unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                (100, MarkerKind::TitleChange, "Two".to_owned()),
                (120, MarkerKind::CategoryChange, "B".to_owned()),
                (400, MarkerKind::TitleChange, "Two".to_owned()),
            ]
        );
    }
}
