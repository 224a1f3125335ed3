//! Format of a job in Redis.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// Field of a stream entry that holds the envelope.
pub(crate) const ENVELOPE_FIELD: &[u8] = b"j";
/// Field of a dead letter that holds the error.
pub(crate) const ERROR_FIELD: &[u8] = b"e";

/// A job with its metadata, as one JSON object. Names are short, because it is stored once for each job.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Envelope {
    /// Id of the job.
    pub id: String,
    /// Number of failures so far.
    #[serde(rename = "a")]
    pub failed_attempts: u32,
    /// Number of failures after which it becomes a dead letter.
    #[serde(rename = "m")]
    pub max_attempts: u32,
    /// Milliseconds since 1970, by the producer's clock.
    #[serde(rename = "t")]
    pub enqueued_at: u64,
    /// Idempotency key, if it is to be forgotten when the job succeeds.
    #[serde(rename = "k", default)]
    pub key: Option<String>,
    /// Place in the trace of the work that added the job, if there was one.
    #[serde(rename = "c", default)]
    pub trace: Option<String>,
    /// Payload as JSON.
    #[serde(rename = "p")]
    pub payload: Box<RawValue>,
}

impl Envelope {
    /// Creates the envelope of a new job.
    pub fn new(payload: Box<RawValue>, max_attempts: u32) -> Self {
        Self {
            id: uuid::Uuid::now_v7().to_string(),
            failed_attempts: 0,
            max_attempts,
            enqueued_at: now_ms(),
            key: None,
            trace: None,
            payload,
        }
    }

    /// Reads an envelope.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The same job after one more failure.
    pub fn failed(&self) -> Self {
        Self { failed_attempts: self.failed_attempts.saturating_add(1), ..self.clone() }
    }

    /// The same job as if it had never failed.
    pub fn renewed(&self) -> Self {
        Self { failed_attempts: 0, ..self.clone() }
    }
}

/// Writes the JSON text. It is written by hand because, unlike a serializer, this cannot fail. `oldest.lua`
/// reads its beginning.
impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, failed_attempts, max_attempts, enqueued_at, key, trace, payload } = self;
        let id = Value::from(id.as_str());
        write!(f, r#"{{"id":{id},"a":{failed_attempts},"m":{max_attempts},"t":{enqueued_at}"#)?;
        if let Some(key) = key {
            write!(f, r#","k":{}"#, Value::from(key.as_str()))?;
        }
        if let Some(trace) = trace {
            write!(f, r#","c":{}"#, Value::from(trace.as_str()))?;
        }
        write!(f, r#","p":{payload}}}"#)
    }
}

/// Stream entry as Redis returned it, not yet known to be a job.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Id of the entry.
    pub id: String,
    /// Deliveries whose worker died or hung.
    pub lost: u32,
    /// Text of the envelope.
    pub envelope: String,
}

/// Field names and values of an entry, as bytes, because they may be anything.
pub(crate) type Fields = Vec<(Vec<u8>, Vec<u8>)>;

impl Entry {
    /// Creates an entry. One without an envelope keeps its fields as text, so that they are visible in the
    /// dead letters.
    pub fn new(id: String, lost: u32, fields: &Fields) -> Self {
        let envelope = field(fields, ENVELOPE_FIELD).unwrap_or_else(|| describe(fields));
        Self { id, lost, envelope }
    }

    /// Time since the entry was added. Its id begins with that time by the clock of Redis.
    pub fn wait(&self) -> Duration {
        Duration::from_millis(now_ms().saturating_sub(added_at(&self.id)))
    }
}

pub(crate) fn field(fields: &Fields, name: &[u8]) -> Option<String> {
    let (_, value) = fields.iter().find(|(field, _)| field == name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Milliseconds since 1970 at which an entry was added; 0 for a text that is no entry id.
pub(crate) fn added_at(entry_id: &str) -> u64 {
    entry_id.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or(0)
}

/// Time in an envelope or an entry id.
pub(crate) fn time(ms: u64) -> DateTime<Utc> {
    i64::try_from(ms).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default()
}

fn describe(fields: &Fields) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pairs: Vec<_> =
        fields.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
    pairs.join(" ")
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(payload: &str) -> Envelope {
        Envelope::new(RawValue::from_string(payload.into()).unwrap(), 3)
    }

    #[test]
    fn envelope_reads_what_it_writes() {
        let written =
            Envelope { id: "quote \" and \\ and ü".into(), ..envelope(r#"{"n":1,"s":"x\"y"}"#) }.failed();
        let read = Envelope::parse(&written.to_string()).unwrap();
        assert_eq!(read.id, written.id);
        assert_eq!((read.failed_attempts, read.max_attempts), (1, 3));
        assert_eq!(read.enqueued_at, written.enqueued_at);
        assert_eq!(read.payload.get(), r#"{"n":1,"s":"x\"y"}"#);
        assert_eq!(read.key, None);
        let keyed = Envelope { key: Some("a\"b".into()), trace: Some("00-1".into()), ..read };
        let read = Envelope::parse(&keyed.failed().to_string()).unwrap();
        assert_eq!((read.key, read.trace), (keyed.key, keyed.trace));
    }

    #[test]
    fn envelope_reads_jobs_of_an_earlier_deployment() {
        let stored = r#"{"id":"01890a5d","a":2,"m":5,"t":1700000000000,"p":{"user":7}}"#;
        let read = Envelope::parse(stored).unwrap();
        assert_eq!((read.failed_attempts, read.renewed().failed_attempts), (2, 0));
        assert_eq!(read.to_string(), stored);
    }

    #[test]
    fn entry_without_envelope_shows_its_fields() {
        let fields = vec![(b"a".to_vec(), b"1".to_vec()), (b"b".to_vec(), vec![0xff])];
        assert_eq!(Entry::new("1-0".into(), 0, &fields).envelope, "a=1 b=\u{fffd}");
    }

    #[test]
    fn entry_derives_its_wait_from_its_id() {
        let entry = |id: String| Entry::new(id, 0, &vec![]);
        assert!(entry(format!("{}-0", now_ms() - 5_000)).wait() >= Duration::from_secs(5));
        assert_eq!(entry(format!("{}-0", now_ms() + 60_000)).wait(), Duration::ZERO);
    }
}
