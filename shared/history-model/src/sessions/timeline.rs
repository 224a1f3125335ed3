//! Transitions of one account, folded into sessions (reference/history.md#sessions). Nothing here reads a clock or
//! a database.

use chrono::{DateTime, TimeDelta, Utc};

use super::session::{Floor, MAX_SESSION, Session};
use crate::transitions::Transition;

/// Maximum number of sessions that one step divides a long broadcast into: three years.
const MAX_SPLITS: usize = 160;

/// Sessions of an account while transitions are applied.
#[derive(Debug, Clone)]
pub struct Timeline {
    close_after: TimeDelta,
    floor: Option<Floor>,
    sessions: Vec<Session>,
}

impl Timeline {
    /// Creates the state of an account from its open session. `close_after` is the time from the end of the last
    /// broadcast to that of the session.
    #[must_use]
    pub fn new(close_after: TimeDelta, floor: Option<Floor>, open: Option<Session>) -> Self {
        Self { close_after, floor, sessions: open.into_iter().collect() }
    }

    /// Applies one transition.
    pub fn apply(&mut self, transition: &Transition) {
        self.split(transition.at);
        if transition.is_online {
            self.on_air(transition);
        } else if let Some(session) = self.open() {
            session.off_air(transition);
        }
    }

    /// Ends what is over by now: a session whose last broadcast has been off for the whole time, and one that has
    /// reached its maximum length.
    pub fn advance(&mut self, now: DateTime<Utc>) {
        self.split(now);
        self.close(now);
    }

    /// Returns the sessions in their order; only the last may be open.
    #[must_use]
    pub fn into_sessions(self) -> Vec<Session> {
        self.sessions
    }

    fn on_air(&mut self, transition: &Transition) {
        let last_off = self.open().and_then(|session| session.last_off_at);
        let stated = stated_start(transition);
        // A broadcast that resumes states its first start.
        let resumed_at =
            stated.filter(|start| last_off.is_none_or(|off| *start > off)).unwrap_or(transition.at);
        self.close(resumed_at);
        let floor = self.floor;
        // A broadcast of an earlier session that goes on was off meanwhile.
        let is_free = |start: &DateTime<Utc>| floor.is_none_or(|floor| *start >= floor.ended_at);
        let start = stated.filter(is_free).unwrap_or(transition.at);
        let start = floor.map_or(start, |floor| start.max(floor.ended_at));
        match self.open() {
            Some(session) => session.on_air(transition, start, floor),
            None => self.sessions.push(Session::opened(transition, start, floor)),
        }
    }

    /// Closes the open session when nothing of it has been on air for the whole time.
    fn close(&mut self, now: DateTime<Utc>) {
        let close_after = self.close_after;
        let Some(session) = self.open() else { return };
        if let Some(off) = session.last_off_at.filter(|off| *off + close_after <= now) {
            let floor = session.close(off);
            self.floor = Some(floor);
        }
    }

    /// Divides a session that is on air for too long.
    fn split(&mut self, now: DateTime<Utc>) {
        for _ in 0..MAX_SPLITS {
            let Some(session) = self.open() else { return };
            let end = session.max_end();
            if session.last_off_at.is_some() || end > now {
                return;
            }
            let next = session.continued(end);
            let floor = session.close(end);
            self.floor = Some(floor);
            self.sessions.push(next);
        }
    }

    fn open(&mut self) -> Option<&mut Session> {
        self.sessions.last_mut().filter(|session| session.ended_at.is_none())
    }
}

/// Start by the platform's statement. A start after the observation is an error of a clock; one from more than the
/// maximum length of a session ago is of no use.
fn stated_start(transition: &Transition) -> Option<DateTime<Utc>> {
    transition.started_at.filter(|start| *start <= transition.at && transition.at - *start < MAX_SESSION)
}
