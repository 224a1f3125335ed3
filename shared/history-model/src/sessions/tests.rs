//! Folds of transitions into sessions.

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    broadcast::{Broadcast, Span},
    session::{MAX_SESSION, Session},
    timeline::Timeline,
};
use crate::transitions::Transition;

const CLOSE: i64 = 600;

fn at(second: i64) -> DateTime<Utc> {
    "2026-11-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::seconds(second)
}

fn status(platform: &str, is_online: bool, second: i64) -> Transition {
    Transition {
        id: 0,
        platform: platform.to_owned(),
        platform_channel_id: "channel".into(),
        broadcast_id: None,
        is_online,
        title: None,
        category: None,
        started_at: None,
        at: at(second),
    }
}

fn on(platform: &str, second: i64) -> Transition {
    status(platform, true, second)
}

fn off(platform: &str, second: i64) -> Transition {
    status(platform, false, second)
}

/// Status on air whose platform states the start.
fn started(platform: &str, start: i64, second: i64) -> Transition {
    Transition { started_at: Some(at(start)), ..on(platform, second) }
}

fn named(id: &str, transition: Transition) -> Transition {
    Transition { broadcast_id: Some(id.to_owned()), ..transition }
}

fn timeline() -> Timeline {
    Timeline::new(TimeDelta::seconds(CLOSE), None, None)
}

fn fold(transitions: &[Transition], now: i64) -> Vec<Session> {
    let mut timeline = timeline();
    for transition in transitions {
        timeline.apply(transition);
    }
    timeline.advance(at(now));
    timeline.into_sessions()
}

/// Start, end and kind of sessions.
fn shape(sessions: &[Session]) -> Vec<(i64, Option<i64>, &'static str)> {
    let second = |time: DateTime<Utc>| (time - at(0)).num_seconds();
    let kind = |session: &Session| if session.is_multi() { "multi" } else { "single" };
    sessions
        .iter()
        .map(|session| (second(session.started_at), session.ended_at.map(second), kind(session)))
        .collect()
}

#[test]
fn session_closes_some_time_after_the_last_broadcast_at_its_end() {
    let transitions = [on("twitch", 0), off("twitch", 1000)];
    assert_eq!(shape(&fold(&transitions, 1000 + CLOSE - 1)), [(0, None, "single")]);
    let closed = fold(&transitions, 1000 + CLOSE);
    assert_eq!(shape(&closed), [(0, Some(1000), "single")]);
    assert_eq!(closed[0].duration_secs(), Some(1000));
    assert_eq!((closed[0].minutes_from, closed[0].minutes_to), (at(0), Some(at(1020))));
}

#[test]
fn session_resumes_within_the_time_and_another_opens_after_it() {
    let within = [on("twitch", 0), off("twitch", 100), on("twitch", 100 + CLOSE - 1), off("twitch", 2000)];
    assert_eq!(shape(&fold(&within, 9000)), [(0, Some(2000), "single")]);
    let after = [on("twitch", 0), off("twitch", 100), on("twitch", 100 + CLOSE), off("twitch", 2000)];
    assert_eq!(shape(&fold(&after, 9000)), [(0, Some(100), "single"), (700, Some(2000), "single")]);
}

#[test]
fn sessions_in_succession_are_single_and_overlapping_ones_multi() {
    let successive = [on("twitch", 0), off("twitch", 100), on("kick", 100), off("kick", 300)];
    let sessions = fold(&successive, 9000);
    assert_eq!(shape(&sessions), [(0, Some(300), "single")]);
    assert_eq!(sessions[0].platforms(), ["kick", "twitch"]);
    let overlap = [on("twitch", 0), on("kick", 99), off("twitch", 100), off("kick", 300)];
    assert_eq!(shape(&fold(&overlap, 9000)), [(0, Some(300), "multi")]);
    let same = [named("a", on("youtube", 0)), named("b", on("youtube", 10))];
    assert_eq!(shape(&fold(&same, 20)), [(0, None, "single")], "two broadcasts of one platform");
}

#[test]
fn session_type_is_that_of_the_times_and_not_of_the_order_of_arrival() {
    let late_end = [on("twitch", 0), on("kick", 101), off("twitch", 100), off("kick", 300)];
    assert_eq!(shape(&fold(&late_end, 9000)), [(0, Some(300), "single")]);
    let late_start = [on("twitch", 0), off("twitch", 200), started("kick", 150, 220), off("kick", 400)];
    assert_eq!(shape(&fold(&late_start, 9000)), [(0, Some(400), "multi")]);
    let resumed = [on("twitch", 0), off("twitch", 100), on("kick", 110), off("kick", 120), on("twitch", 130)];
    assert_eq!(shape(&fold(&resumed, 140)), [(0, None, "single")], "one was off while the other was on");
}

#[test]
fn session_begins_at_the_stated_start() {
    let sessions = fold(&[started("twitch", -7200, 0)], 1);
    assert_eq!(shape(&sessions), [(-7200, None, "single")]);
    assert_eq!(sessions[0].recount_from, Some(at(-7200)));
    let learned = fold(&[on("twitch", 0), started("twitch", -50, 60)], 61);
    assert_eq!(shape(&learned), [(-50, None, "single")]);
    assert_eq!((learned[0].broadcasts.len(), learned[0].broadcasts[0].spans[0].0), (1, at(-50)));
    let future = fold(&[started("twitch", 500, 0)], 1);
    assert_eq!(shape(&future), [(0, None, "single")], "a start that is yet to come is an error of a clock");
    let ancient = fold(&[started("twitch", -MAX_SESSION.num_seconds(), 0)], 1);
    assert_eq!(shape(&ancient), [(0, None, "single")]);
}

#[test]
fn session_ends_a_broadcast_that_starts_anew_at_the_new_start() {
    let sessions = fold(&[started("twitch", 0, 5), started("twitch", 1000, 1060)], 1100);
    assert_eq!(shape(&sessions), [(0, None, "single")]);
    let [first, second] = sessions[0].broadcasts.as_slice() else { panic!("two broadcasts") };
    assert_eq!((first.started_at, first.ended_at), (at(0), Some(at(1000))));
    assert_eq!((second.started_at, second.ended_at), (at(1000), None));
    let late = fold(&[started("kick", 0, 5), off("kick", 900), started("kick", 800, 910)], 1000);
    assert_eq!(late[0].broadcasts[0].ended_at, Some(at(800)), "the end was seen late");
    let rounded = fold(&[started("twitch", 0, 5), started("twitch", 30, 60)], 70);
    assert_eq!(rounded[0].broadcasts.len(), 1, "a list rounds the start");
}

#[test]
fn session_ends_the_broadcast_of_a_former_channel() {
    let other = Transition { platform_channel_id: "other".into(), ..on("twitch", 100) };
    let sessions = fold(&[on("twitch", 0), other], 200);
    assert_eq!(shape(&sessions), [(0, None, "single")]);
    assert_eq!(sessions[0].broadcasts[0].ended_at, Some(at(100)));
}

#[test]
fn session_keeps_broadcasts_with_ids_separate_and_resumes_them() {
    let transitions = [
        named("a", on("youtube", 0)),
        named("b", on("youtube", 10)),
        named("a", off("youtube", 20)),
        named("a", on("youtube", 30)),
        named("a", off("youtube", 40)),
        named("b", off("youtube", 50)),
    ];
    let sessions = fold(&transitions, 9000);
    assert_eq!(shape(&sessions), [(0, Some(50), "single")]);
    let [a, b] = sessions[0].broadcasts.as_slice() else { panic!("two broadcasts") };
    assert_eq!((a.broadcast_id.as_str(), a.ended_at), ("a", Some(at(40))));
    assert_eq!(a.spans, [Span(at(0), Some(at(20))), Span(at(30), Some(at(40)))]);
    assert_eq!((b.broadcast_id.as_str(), b.ended_at), ("b", Some(at(50))));
}

#[test]
fn sessions_ignore_repeated_and_unknown_transitions() {
    let once = [on("twitch", 0), off("twitch", 100)];
    let repeated =
        [off("twitch", -5), on("twitch", 0), on("twitch", 50), off("kick", 60), off("twitch", 100)];
    let mut again = repeated.to_vec();
    again.push(off("twitch", 150));
    assert_eq!(shape(&fold(&once, 9000)), shape(&fold(&again, 9000)));
    assert!(fold(&[off("twitch", 0)], 9000).is_empty());
}

#[test]
fn session_resumed_after_its_end_is_another_that_begins_when_it_was_seen() {
    let transitions = [started("twitch", 0, 5), off("twitch", 100), started("twitch", 0, 5000)];
    assert_eq!(shape(&fold(&transitions, 5001)), [(0, Some(100), "single"), (5000, None, "single")]);
}

#[test]
fn session_is_divided_after_seven_days() {
    let week = MAX_SESSION.num_seconds();
    let mut transitions = vec![on("twitch", 30), named("a", on("youtube", 40))];
    let sessions = fold(&transitions, 2 * week + 100);
    let second = |time: DateTime<Utc>| (time - at(0)).num_seconds();
    assert_eq!(
        shape(&sessions),
        [(30, Some(week), "multi"), (week, Some(2 * week), "multi"), (2 * week, None, "multi")]
    );
    for pair in sessions.windows(2) {
        assert_eq!(pair[0].minutes_to, Some(pair[1].minutes_from));
        assert_ne!(pair[0].broadcasts[0].broadcast_id, pair[1].broadcasts[0].broadcast_id);
        assert_eq!(pair[0].broadcasts[1].broadcast_id, pair[1].broadcasts[1].broadcast_id);
    }
    transitions.extend([off("twitch", week + 50), named("a", off("youtube", week + 60))]);
    let ended = fold(&transitions, 9 * week);
    assert_eq!(ended.len(), 2);
    assert_eq!(second(ended[1].ended_at.unwrap()), week + 60);
}

#[test]
fn sessions_record_changes_of_titles_and_categories_once() {
    let with = |title: &str, category: &str, second| Transition {
        title: Some(title.to_owned()),
        category: Some(category.to_owned()),
        ..on("twitch", second)
    };
    let transitions = [with("One", "A", 0), with("Two", "A", 60), with("Two", "B", 120), on("twitch", 180)];
    let sessions = fold(&transitions, 200);
    let changes: Vec<(&str, &str, bool, i64)> = sessions[0]
        .changes
        .iter()
        .map(|change| {
            (change.kind, change.value.as_str(), change.is_first, (change.at - at(0)).num_seconds())
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("title", "One", true, 0),
            ("category", "A", true, 0),
            ("title", "Two", false, 60),
            ("category", "B", false, 120)
        ]
    );
    let session = &sessions[0];
    assert_eq!((session.title.as_deref(), session.category.as_deref()), (Some("Two"), Some("B")));
    assert_eq!(session.categories.iter().map(String::as_str).collect::<Vec<_>>(), ["A", "B"]);
}

#[test]
fn sessions_share_no_minute() {
    let mut timeline = Timeline::new(TimeDelta::seconds(10), None, None);
    for transition in [on("twitch", 5), off("twitch", 15), on("twitch", 30), off("twitch", 100)] {
        timeline.apply(&transition);
    }
    timeline.advance(at(200));
    let sessions = timeline.into_sessions();
    assert_eq!(shape(&sessions), [(5, Some(15), "single"), (30, Some(100), "single")]);
    assert_eq!((sessions[0].minutes_from, sessions[0].minutes_to), (at(0), Some(at(60))));
    assert_eq!((sessions[1].minutes_from, sessions[1].minutes_to), (at(60), Some(at(120))));
}

/// Numbers without a pattern, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 % bound).unwrap()
    }
}

/// Times on air of each platform.
type Schedule = Vec<(&'static str, Vec<(i64, i64)>)>;

fn schedule(numbers: &mut Numbers) -> Schedule {
    vec![("twitch", spans(numbers)), ("kick", spans(numbers)), ("trovo", spans(numbers))]
}

fn spans(numbers: &mut Numbers) -> Vec<(i64, i64)> {
    let mut second = numbers.below(3000);
    let mut spans = Vec::new();
    for _ in 0..=numbers.below(5) {
        let from = second + 1 + numbers.below(1200);
        second = from + 1 + numbers.below(2000);
        spans.push((from, second));
    }
    spans
}

/// Sessions by definition: spans that are less than the closing time apart belong together.
fn expected(schedule: &Schedule) -> Vec<(i64, Option<i64>, &'static str)> {
    let mut spans: Vec<(i64, i64, &str)> = schedule
        .iter()
        .flat_map(|(platform, spans)| spans.iter().map(|(from, to)| (*from, *to, *platform)))
        .collect();
    spans.sort_unstable();
    let mut groups: Vec<Vec<(i64, i64, &str)>> = Vec::new();
    for span in spans {
        let end = groups.last().and_then(|group| group.iter().map(|span| span.1).max());
        match groups.last_mut() {
            Some(group) if end.is_some_and(|end| span.0 < end + CLOSE) => group.push(span),
            _ => groups.push(vec![span]),
        }
    }
    let is_multi = |group: &[(i64, i64, &str)]| {
        group
            .iter()
            .any(|one| group.iter().any(|other| one.2 != other.2 && one.0 < other.1 && other.0 < one.1))
    };
    let shape = |group: Vec<(i64, i64, &str)>| {
        let kind = if is_multi(&group) { "multi" } else { "single" };
        (group[0].0, group.iter().map(|span| span.1).max(), kind)
    };
    groups.into_iter().map(shape).collect()
}

#[test]
fn sessions_of_random_broadcasts_are_those_by_definition() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..2000 {
        let schedule = schedule(&mut numbers);
        let mut transitions: Vec<Transition> = Vec::new();
        for (platform, spans) in &schedule {
            for (from, to) in spans {
                transitions.extend([on(platform, *from), off(platform, *to)]);
                if numbers.below(3) == 0 {
                    // Seen once more in between.
                    transitions.push(on(platform, from + (to - from) / 2));
                }
            }
        }
        transitions.sort_by_key(|transition| (transition.at, transition.is_online));
        // Applied in any number of steps, with checks in between.
        let mut timeline = timeline();
        for transition in &transitions {
            if numbers.below(2) == 0 {
                timeline.advance(transition.at);
            }
            timeline.apply(transition);
        }
        timeline.advance(at(100_000));
        let sessions = timeline.into_sessions();
        assert_eq!(shape(&sessions), expected(&schedule), "round {round}: {schedule:?}");
        for pair in sessions.windows(2) {
            assert!(pair[0].minutes_to.unwrap() <= pair[1].minutes_from, "round {round}");
        }
        let broadcasts: Vec<&Broadcast> = sessions.iter().flat_map(|session| &session.broadcasts).collect();
        assert!(broadcasts.iter().all(|one| one.ended_at.is_some_and(|end| end >= one.started_at)));
    }
}
