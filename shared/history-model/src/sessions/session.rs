//! A session while transitions are applied.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::broadcast::{Broadcast, Span};
use crate::{
    minutes::{MINUTE, begin},
    transitions::Transition,
};

/// Maximum length of a session. Then it ends, and the next one begins in the same moment.
pub const MAX_SESSION: TimeDelta = TimeDelta::days(7);

/// End of the newest closed session of an account. No later session begins before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    /// End of the last broadcast.
    pub ended_at: DateTime<Utc>,
    /// First minute that is free for another session.
    pub minutes_to: DateTime<Utc>,
}

/// Session of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Id.
    pub id: Uuid,
    /// Title of the newest change.
    pub title: Option<String>,
    /// Category of the newest change.
    pub category: Option<String>,
    /// Categories that were seen.
    pub categories: BTreeSet<String>,
    /// Start of the first broadcast.
    pub started_at: DateTime<Utc>,
    /// End; `None` while open.
    pub ended_at: Option<DateTime<Utc>>,
    /// End of the last broadcast; `None` while one is on air.
    pub last_off_at: Option<DateTime<Utc>>,
    /// First minute.
    pub minutes_from: DateTime<Utc>,
    /// End of the last minute; `None` while open.
    pub minutes_to: Option<DateTime<Utc>>,
    /// Minute from which lines are counted again, because they came before the session was known.
    pub recount_from: Option<DateTime<Utc>>,
    /// Broadcasts by their begin in the session.
    pub broadcasts: Vec<Broadcast>,
    /// Changes that are not stored yet.
    pub changes: Vec<Change>,
}

/// Title or category from a time on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Platform.
    pub platform: String,
    /// `title` or `category`.
    pub kind: &'static str,
    /// New value.
    pub value: String,
    /// True for the first value of a broadcast.
    pub is_first: bool,
    /// Time.
    pub at: DateTime<Utc>,
}

impl Session {
    /// Opens a session with its first broadcast.
    pub(super) fn opened(transition: &Transition, start: DateTime<Utc>, floor: Option<Floor>) -> Self {
        let minutes_from = first_minute(start, floor);
        let mut session = Self::empty(start, minutes_from);
        session.recount_from = Some(minutes_from);
        session.begin(transition, start);
        session
    }

    /// Opens the session that continues this one from `end` on, with everything that is on air.
    pub(super) fn continued(&self, end: DateTime<Utc>) -> Self {
        let mut next = Self::empty(end, end);
        for running in self.broadcasts.iter().filter(|broadcast| broadcast.ended_at.is_none()) {
            let (title, category) = (running.title.clone(), running.category.clone());
            next.broadcasts.push(running.continued(end));
            next.note(next.broadcasts.len().checked_sub(1), title.as_deref(), category.as_deref(), end);
        }
        next
    }

    fn empty(started_at: DateTime<Utc>, minutes_from: DateTime<Utc>) -> Self {
        Self {
            id: shared::id::new(),
            title: None,
            category: None,
            categories: BTreeSet::new(),
            started_at,
            ended_at: None,
            last_off_at: None,
            minutes_from,
            minutes_to: None,
            recount_from: None,
            broadcasts: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Applies a status that is on air. `start` is the stated start, or else the time of the observation.
    pub(super) fn on_air(&mut self, transition: &Transition, start: DateTime<Utc>, floor: Option<Floor>) {
        self.end_former(transition, start);
        let own = self.broadcasts.iter().rposition(|broadcast| broadcast.is_of(transition));
        let (title, category) = (transition.title.as_deref(), transition.category.as_deref());
        match own.and_then(|index| self.broadcasts.get(index)) {
            Some(running) if running.ended_at.is_none() => {
                if self.learn_start(own, transition, start) {
                    self.begin_earlier(start, floor);
                }
                self.note(own, title, category, transition.at);
            }
            Some(ended) if ended.is_resumed_by(transition) => {
                if let Some(ended) = own.and_then(|index| self.broadcasts.get_mut(index)) {
                    ended.resume(transition.at);
                }
                self.is_on_air_again();
                self.note(own, title, category, transition.at);
            }
            _ => {
                self.begin(transition, start);
                self.begin_earlier(start, floor);
                self.is_on_air_again();
            }
        }
    }

    fn learn_start(&mut self, own: Option<usize>, transition: &Transition, start: DateTime<Utc>) -> bool {
        let running = own.and_then(|index| self.broadcasts.get_mut(index));
        running.is_some_and(|running| running.learn_start(transition, start))
    }

    /// Applies a status that is off air.
    pub(super) fn off_air(&mut self, transition: &Transition) {
        let running =
            |broadcast: &&mut Broadcast| broadcast.ended_at.is_none() && broadcast.is_of(transition);
        if let Some(broadcast) = self.broadcasts.iter_mut().rfind(running) {
            broadcast.end(transition.at);
            self.update_last_off();
        }
    }

    /// Ends the session. Returns the bound of the next one.
    pub(super) fn close(&mut self, ended_at: DateTime<Utc>) -> Floor {
        for broadcast in self.broadcasts.iter_mut().filter(|broadcast| broadcast.ended_at.is_none()) {
            broadcast.end(ended_at);
        }
        // The last second of a minute belongs to it, its end to the next.
        let minutes_to = if begin(ended_at) < ended_at { begin(ended_at) + MINUTE } else { ended_at };
        let minutes_to = minutes_to.max(self.minutes_from + MINUTE);
        (self.last_off_at, self.ended_at, self.minutes_to) =
            (Some(ended_at), Some(ended_at), Some(minutes_to));
        Floor { ended_at, minutes_to }
    }

    /// End of the session when it stays on air: a whole minute.
    pub(super) fn max_end(&self) -> DateTime<Utc> {
        begin(self.started_at + MAX_SESSION)
    }

    /// True when broadcasts of two platforms were on air at the same time.
    #[must_use]
    pub fn is_multi(&self) -> bool {
        let mut ends: Vec<(DateTime<Utc>, bool, &str)> = Vec::new();
        for broadcast in &self.broadcasts {
            for Span(from, to) in
                broadcast.spans.iter().filter(|Span(from, to)| to.is_none_or(|to| *from < to))
            {
                ends.push((*from, true, &broadcast.platform));
                ends.push((to.unwrap_or(DateTime::<Utc>::MAX_UTC), false, &broadcast.platform));
            }
        }
        // Of the same time ends come first: a broadcast that follows another does not overlap it.
        ends.sort_unstable();
        let mut on_air: Vec<&str> = Vec::new();
        for (_, is_begin, platform) in ends {
            if is_begin {
                on_air.push(platform);
            } else if let Some(index) = on_air.iter().position(|known| *known == platform) {
                on_air.swap_remove(index);
            }
            if on_air.iter().any(|known| Some(known) != on_air.first()) {
                return true;
            }
        }
        false
    }

    /// Platforms of the session, sorted.
    #[must_use]
    pub fn platforms(&self) -> Vec<&str> {
        let platforms: BTreeSet<&str> =
            self.broadcasts.iter().map(|broadcast| broadcast.platform.as_str()).collect();
        platforms.into_iter().collect()
    }

    /// Seconds from start to end; `None` while open.
    #[must_use]
    pub fn duration_secs(&self) -> Option<i64> {
        self.ended_at.map(|ended_at| (ended_at - self.started_at).num_seconds().max(0))
    }

    /// Ends broadcasts that cannot be on air beside the new one: of another channel of the platform, and, where a
    /// channel has one broadcast, of another start.
    fn end_former(&mut self, transition: &Transition, start: DateTime<Utc>) {
        for broadcast in &mut self.broadcasts {
            if broadcast.is_replaced_by(transition)
                && broadcast.ended_at.is_none_or(|ended_at| start < ended_at)
            {
                broadcast.end(start);
            }
        }
    }

    fn begin(&mut self, transition: &Transition, start: DateTime<Utc>) {
        self.broadcasts.push(Broadcast::begun(transition, start));
        let index = self.broadcasts.len().checked_sub(1);
        self.note(index, transition.title.as_deref(), transition.category.as_deref(), start);
    }

    fn begin_earlier(&mut self, start: DateTime<Utc>, floor: Option<Floor>) {
        if start < self.started_at {
            self.started_at = start;
            let minute = first_minute(start, floor);
            if minute < self.minutes_from {
                self.minutes_from = minute;
                self.recount_from = Some(minute);
            }
        }
    }

    /// The minutes since the end of the last broadcast belong to the session after all.
    fn is_on_air_again(&mut self) {
        if let Some(off) = self.last_off_at.take() {
            let minute = begin(off);
            self.recount_from = Some(self.recount_from.map_or(minute, |known| known.min(minute)));
        }
    }

    fn update_last_off(&mut self) {
        let ends: Option<Vec<DateTime<Utc>>> =
            self.broadcasts.iter().map(|broadcast| broadcast.ended_at).collect();
        self.last_off_at = ends.and_then(|ends| ends.into_iter().max());
    }

    /// Records new values of a broadcast. Values that were not reported are kept.
    fn note(&mut self, index: Option<usize>, title: Option<&str>, category: Option<&str>, at: DateTime<Utc>) {
        let Some(broadcast) = index.and_then(|index| self.broadcasts.get_mut(index)) else { return };
        for (kind, known, new) in
            [("title", &mut broadcast.title, title), ("category", &mut broadcast.category, category)]
        {
            let Some(new) = new.filter(|new| known.as_deref() != Some(*new)) else { continue };
            let (platform, value) = (broadcast.platform.clone(), new.to_owned());
            self.changes.push(Change { platform, kind, value: value.clone(), is_first: known.is_none(), at });
            *known = Some(value.clone());
            if kind == "title" {
                self.title = Some(value);
            } else {
                self.categories.insert(value.clone());
                self.category = Some(value);
            }
        }
    }
}

/// First minute of a session that begins at `start`, after the minutes of the session before.
fn first_minute(start: DateTime<Utc>, floor: Option<Floor>) -> DateTime<Utc> {
    let minute = begin(start);
    floor.map_or(minute, |floor| minute.max(floor.minutes_to))
}
