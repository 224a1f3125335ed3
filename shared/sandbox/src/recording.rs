use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::{Failure, FailureCode};
use crate::reply::Reply;
use crate::secrets::SecretsRead;

/// Maximum size of a recording, in bytes; an invocation with more answers cannot be replayed.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of recorded clock readings; later ones repeat the last.
const MAX_READINGS: usize = 10_000;

/// All answers of the host to an invocation, in their order. With the input, the seed and the source they
/// determine the run, so that a failed one can be replayed without reaching anything outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    answers: Vec<Answer>,
    /// Readings of the clock in microseconds since the Unix epoch: the first in full, the others as
    /// differences.
    clock: Vec<i64>,
    /// True when the host gave more answers than are kept.
    pub truncated: bool,
    /// True when the run was stopped for its time, after the last answer.
    #[serde(default)]
    stopped: bool,
}

/// Recorded answer of the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// Synchronous operation: its reply or its error, as JSON.
    Call { error: bool, text: String },
    /// Asynchronous operation that began, or was refused with an error.
    Started { refusal: Option<String> },
    /// Asynchronous operation that ended: the reply as JSON, and the bytes after it.
    Completed { ticket: i32, error: bool, text: String, body: Body },
}

/// Bytes, kept as text where they are UTF-8.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

/// Message of a replay that requests something else than the recorded run.
pub(crate) const DIVERGED: &str = "the run asks for something else than the recorded one did";

/// Writes a recording.
#[derive(Default)]
pub(crate) struct Recorder {
    recording: Recording,
    bytes: usize,
    last_reading: i64,
}

impl Recorder {
    pub(crate) fn call(&mut self, error: bool, text: &str) {
        self.add(text.len(), || Answer::Call { error, text: text.to_owned() });
    }

    pub(crate) fn started(&mut self, refusal: Option<&str>) {
        let bytes = refusal.map_or(0, str::len);
        self.add(bytes, || Answer::Started { refusal: refusal.map(str::to_owned) });
    }

    pub(crate) fn completed(&mut self, ticket: i32, error: bool, reply: &Reply) {
        self.add(reply.text.len() + reply.body.len(), || Answer::Completed {
            ticket,
            error,
            text: reply.text.clone(),
            body: Body::of(&reply.body),
        });
    }

    pub(crate) fn reading(&mut self, micros: i64) {
        if self.recording.clock.len() < MAX_READINGS {
            self.recording.clock.push(micros.saturating_sub(self.last_reading));
            self.last_reading = micros;
        }
    }

    fn add(&mut self, bytes: usize, answer: impl FnOnce() -> Answer) {
        /// Bytes of an answer beyond its texts.
        const OVERHEAD: usize = 32;
        self.bytes += bytes + OVERHEAD;
        if self.bytes > MAX_BYTES {
            self.recording.truncated = true;
        }
        if !self.recording.truncated {
            self.recording.answers.push(answer());
        }
    }

    /// Returns the recording without the secrets that the invocation has read.
    pub(crate) fn finish(mut self, secrets: &SecretsRead, stopped: bool) -> Recording {
        self.recording.stopped = stopped;
        for answer in &mut self.recording.answers {
            match answer {
                Answer::Call { text, .. } | Answer::Started { refusal: Some(text) } => blank(text, secrets),
                Answer::Completed { text, body, .. } => {
                    blank(text, secrets);
                    if let Body::Text(text) = body {
                        blank(text, secrets);
                    }
                }
                Answer::Started { refusal: None } => {}
            }
        }
        self.recording
    }
}

/// Replaces secrets. In a JSON text a value may be escaped, so decoded values are compared as well.
fn blank(text: &mut String, secrets: &SecretsRead) {
    *text = secrets.removed_from(std::mem::take(text));
    if text.contains('\\')
        && let Ok(mut value) = serde_json::from_str::<Value>(text)
        && blank_strings(&mut value, secrets)
    {
        *text = value.to_string();
    }
}

fn blank_strings(value: &mut Value, secrets: &SecretsRead) -> bool {
    match value {
        Value::String(text) => {
            let without = secrets.removed_from(text.clone());
            let changed = without != *text;
            *text = without;
            changed
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |changed, item| blank_strings(item, secrets) | changed)
        }
        Value::Object(fields) => {
            fields.values_mut().fold(false, |changed, field| blank_strings(field, secrets) | changed)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl Body {
    fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_binary) => Self::Bytes(bytes.to_vec()),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Returns recorded answers in place of a host.
pub(crate) struct Player {
    answers: std::vec::IntoIter<Answer>,
    clock: std::vec::IntoIter<i64>,
    now: i64,
    stopped: bool,
}

/// Next recorded answer.
pub(crate) enum Played<T> {
    Answer(T),
    /// The recorded run ended while it waited.
    Over,
    /// The run is not the recorded one.
    Diverged,
}

impl Player {
    pub(crate) fn new(recording: Recording) -> Self {
        let stopped = recording.stopped;
        Self { answers: recording.answers.into_iter(), clock: recording.clock.into_iter(), now: 0, stopped }
    }

    /// Returns the reply or the error of a synchronous operation.
    pub(crate) fn call(&mut self) -> Played<Result<String, String>> {
        match self.answers.next() {
            Some(Answer::Call { error: false, text }) => Played::Answer(Ok(text)),
            Some(Answer::Call { error: true, text }) => Played::Answer(Err(text)),
            _ => Played::Diverged,
        }
    }

    /// Returns the recorded start of an asynchronous operation, or the error that refused it.
    pub(crate) fn start(&mut self) -> Played<Result<(), String>> {
        match self.answers.next() {
            Some(Answer::Started { refusal }) => Played::Answer(refusal.map_or(Ok(()), Err)),
            _ => Played::Diverged,
        }
    }

    /// Returns the next operation that ended: its ticket, whether it failed, and its reply.
    pub(crate) fn wait(&mut self) -> Played<(i32, bool, Reply)> {
        let next = self.answers.next();
        if self.stopped && self.answers.len() == 0 {
            // The time after the last answer depends on the machine; that the run was stopped does not.
            return Played::Over;
        }
        match next {
            Some(Answer::Completed { ticket, error, text, body }) => {
                Played::Answer((ticket, error, Reply { text, body: body.into_bytes() }))
            }
            None => Played::Over,
            Some(_) => Played::Diverged,
        }
    }

    pub(crate) fn reading(&mut self) -> i64 {
        self.now = self.now.saturating_add(self.clock.next().unwrap_or(0));
        self.now
    }
}

/// Returns the failure of a run that is not the recorded one.
pub(crate) fn diverged() -> Failure {
    Failure::new(FailureCode::Internal, "ReplayDiverged", DIVERGED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recording_blanks_secrets_also_in_escaped_json() {
        let mut secrets = SecretsRead::default();
        secrets.remember("a\"b\\c").unwrap();
        let mut recorder = Recorder::default();
        recorder.call(false, "\"a\\\"b\\\\c\"");
        let reply = Reply { text: "null".to_owned(), body: b"say a\"b\\c".to_vec() };
        recorder.completed(0, false, &reply);
        let recording = serde_json::to_string(&recorder.finish(&secrets, false)).unwrap();
        assert!(recording.contains(r#"[secret]"#) && !recording.contains("b\\\\"), "{recording}");
    }

    #[test]
    fn recording_above_its_bound_is_marked_truncated() {
        let mut recorder = Recorder::default();
        for _ in 0..3 {
            recorder.call(false, &"x".repeat(MAX_BYTES / 2));
        }
        let recording = recorder.finish(&SecretsRead::default(), false);
        assert!(recording.truncated && recording.answers.len() == 1);
    }

    #[test]
    fn player_replays_readings_and_repeats_the_last() {
        let mut recorder = Recorder::default();
        [1_000_000, 1_000_000, 1_000_007].into_iter().for_each(|micros| recorder.reading(micros));
        let mut player = Player::new(recorder.finish(&SecretsRead::default(), false));
        let readings: Vec<i64> = (0..4).map(|_| player.reading()).collect();
        assert_eq!(readings, [1_000_000, 1_000_000, 1_000_007, 1_000_007]);
    }
}
