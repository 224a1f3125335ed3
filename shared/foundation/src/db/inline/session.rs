//! State that both directions of a connection share.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;

/// Prepared statements of the client, and replies that the server has not sent yet.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// Text and types of parameters of each statement, as the message that prepares it has them.
    statements: HashMap<Bytes, Bytes>,
    awaited: VecDeque<Awaited>,
}

/// Reply that the server will send.
#[derive(Debug)]
enum Awaited {
    /// To a preparation by the client, with the name of the statement.
    Prepared(Bytes),
    /// To a preparation that was added. The client does not know of it.
    Added,
    /// The end of a batch.
    Ready,
}

impl Session {
    /// Records that the client prepares a statement.
    pub fn prepare(&mut self, name: Bytes, statement: Bytes) {
        self.awaited.push_back(Awaited::Prepared(name.clone()));
        if !name.is_empty() {
            self.statements.insert(name, statement);
        }
    }

    /// Statement of this name, whose preparation is added.
    pub fn add(&mut self, name: &Bytes) -> Option<Bytes> {
        let statement = self.statements.get(name)?.clone();
        self.awaited.push_back(Awaited::Added);
        Some(statement)
    }

    /// Drops a statement.
    pub fn close(&mut self, name: &Bytes) {
        self.statements.remove(name);
    }

    /// Records that a batch ends.
    pub fn end_batch(&mut self) {
        self.awaited.push_back(Awaited::Ready);
    }

    /// Takes the reply to a preparation; false when the client must not see it.
    pub fn prepared(&mut self) -> bool {
        match self.awaited.front() {
            Some(Awaited::Added) => {
                self.awaited.pop_front();
                false
            }
            Some(Awaited::Prepared(_)) => {
                self.awaited.pop_front();
                true
            }
            Some(Awaited::Ready) | None => true,
        }
    }

    /// Takes the end of a batch. After an error the server skips the rest of it: statements whose preparation got no
    /// reply do not exist.
    pub fn ready(&mut self) {
        while let Some(awaited) = self.awaited.pop_front() {
            match awaited {
                Awaited::Prepared(name) => self.close(&name),
                Awaited::Added => {}
                Awaited::Ready => return,
            }
        }
    }

    /// Number of statements and of awaited replies.
    #[cfg(test)]
    pub fn sizes(&self) -> (usize, usize) {
        (self.statements.len(), self.awaited.len())
    }
}
