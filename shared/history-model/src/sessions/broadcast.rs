//! A broadcast while transitions are applied.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::transitions::Transition;

/// Difference of two stated starts from which they are of two broadcasts. Lists and events of a platform round
/// them differently.
const RESTART_TOLERANCE: TimeDelta = TimeDelta::seconds(60);
/// Maximum number of spans of a broadcast; a further interruption is left out.
const MAX_SPANS: usize = 500;

/// Broadcast of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Broadcast {
    /// Id.
    pub id: Uuid,
    /// Platform.
    pub platform: String,
    /// Channel on the platform.
    pub platform_channel_id: String,
    /// Id on the platform, else the text of `id`.
    pub broadcast_id: String,
    /// Newest title.
    pub title: Option<String>,
    /// Newest category.
    pub category: Option<String>,
    /// Start in the session.
    pub started_at: DateTime<Utc>,
    /// End; `None` while on air.
    pub ended_at: Option<DateTime<Utc>>,
    /// Start by the platform's statement.
    pub stated_start: Option<DateTime<Utc>>,
    /// Times on air.
    pub spans: Vec<Span>,
}

/// Time on air: begin, and end unless it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span(pub DateTime<Utc>, pub Option<DateTime<Utc>>);

impl Broadcast {
    pub(super) fn begun(transition: &Transition, start: DateTime<Utc>) -> Self {
        let id = shared::id::new();
        Self {
            id,
            platform: transition.platform.clone(),
            platform_channel_id: transition.platform_channel_id.clone(),
            broadcast_id: transition.broadcast_id.clone().unwrap_or_else(|| id.to_string()),
            title: None,
            category: None,
            started_at: start,
            ended_at: None,
            stated_start: transition.started_at,
            spans: vec![Span(start, None)],
        }
    }

    pub(super) fn continued(&self, start: DateTime<Utc>) -> Self {
        let id = shared::id::new();
        let broadcast_id = if self.has_own_id() { self.broadcast_id.clone() } else { id.to_string() };
        Self {
            id,
            broadcast_id,
            title: None,
            category: None,
            started_at: start,
            ended_at: None,
            spans: vec![Span(start, None)],
            ..self.clone()
        }
    }

    /// True when the platform names its broadcasts.
    fn has_own_id(&self) -> bool {
        self.broadcast_id != self.id.to_string()
    }

    pub(super) fn is_of(&self, transition: &Transition) -> bool {
        let has_id = match &transition.broadcast_id {
            Some(id) => self.broadcast_id == *id,
            None => !self.has_own_id(),
        };
        has_id
            && self.platform == transition.platform
            && self.platform_channel_id == transition.platform_channel_id
    }

    pub(super) fn is_replaced_by(&self, transition: &Transition) -> bool {
        if self.platform != transition.platform {
            return false;
        }
        self.platform_channel_id != transition.platform_channel_id || self.is_restarted_by(transition)
    }

    /// True when a status of the channel's only broadcast states a later start than the one of this broadcast.
    fn is_restarted_by(&self, transition: &Transition) -> bool {
        let starts = self.stated_start.zip(transition.started_at);
        transition.broadcast_id.is_none()
            && self.is_of(transition)
            && starts.is_some_and(|(known, new)| new - known >= RESTART_TOLERANCE)
    }

    /// True when a status on air is of this broadcast, which was off meanwhile.
    pub(super) fn is_resumed_by(&self, transition: &Transition) -> bool {
        let starts = self.stated_start.zip(transition.started_at);
        transition.broadcast_id.is_some()
            || starts.is_some_and(|(known, new)| (new - known).abs() < RESTART_TOLERANCE)
    }

    /// Takes over a start that the platform states later than the broadcast; true when it is an earlier one.
    pub(super) fn learn_start(&mut self, transition: &Transition, start: DateTime<Utc>) -> bool {
        let Some(stated) = transition.started_at else { return false };
        if self.stated_start.is_some_and(|known| known <= stated) {
            return false;
        }
        self.stated_start = Some(stated);
        let is_earlier = start < self.started_at;
        if is_earlier {
            self.started_at = start;
            if let Some(Span(from, _)) = self.spans.first_mut() {
                *from = start;
            }
        }
        is_earlier
    }

    pub(super) fn resume(&mut self, at: DateTime<Utc>) {
        let at = self.ended_at.take().map_or(at, |ended_at| at.max(ended_at));
        if self.spans.len() < MAX_SPANS {
            self.spans.push(Span(at, None));
        } else if let Some(Span(_, to)) = self.spans.last_mut() {
            *to = None;
        }
    }

    pub(super) fn end(&mut self, at: DateTime<Utc>) {
        let at = at.max(self.started_at);
        self.ended_at = Some(at);
        self.spans.retain(|Span(from, _)| *from < at || *from == self.started_at);
        for Span(from, to) in &mut self.spans {
            *to = Some(to.map_or(at, |to| to.min(at)).max(*from));
        }
    }
}
