//! Configuration of the daemons.

use std::{net::SocketAddr, path::PathBuf};

use url::Url;

use super::{
    Environment, Reader,
    address::{address, http_url},
};
use crate::{Error, Result, secret::Secret};

/// Configuration of the daemons.
#[derive(Debug, Clone)]
pub struct WorkersConfig {
    /// Address that the internal listener of the workers binds.
    pub metrics_bind: SocketAddr,
    /// Origin of the API as the workers reach it.
    pub api_url: Url,
    /// Credential of the workers for `/v1/internal/*`.
    pub system_key: Option<SystemKey>,
    /// Threads of one process that run daemons and handlers.
    pub threads: usize,
    /// Folder with the JavaScript engine (`engine.wasm`) and its compiled form.
    pub engine_dir: String,
    /// Handler invocations that may run at once in one process.
    pub runtime_concurrency: usize,
    /// Handler invocations of one install per minute (reference/handlers.md#invocations).
    pub runtime_invocations_per_minute: u32,
    /// Age of a chat line or a timer beyond which handlers and commands no longer reply to it.
    pub runtime_answer_within: chrono::TimeDelta,
    /// Seconds between two reads of the feeds of the API when no change was announced
    /// (reference/handlers.md#feeds).
    pub feed_poll_secs: u32,
    /// Hosts, beside public ones, that handlers may reach: `host:port` of stand-ins in development and tests.
    pub egress_test_hosts: Vec<String>,
    /// True when OBS may be on private addresses (reference/obs.md#hosts).
    pub obs_allow_private: bool,
    /// Time after the end of the last broadcast at which a session of streams closes
    /// (reference/history.md#sessions).
    pub session_close: chrono::TimeDelta,
}

/// Source of the credential of the workers.
#[derive(Debug, Clone)]
pub enum SystemKey {
    /// The credential itself.
    Given(Secret),
    /// A file that contains only the credential. It may be created and changed while the workers run.
    File(PathBuf),
}

impl From<Secret> for SystemKey {
    fn from(key: Secret) -> Self {
        Self::Given(key)
    }
}

impl SystemKey {
    /// Returns the credential.
    ///
    /// # Errors
    /// An unreadable file, or a file without a key.
    pub fn read(&self) -> Result<Secret> {
        let path = match self {
            Self::Given(key) => return Ok(key.clone()),
            Self::File(path) => path,
        };
        let unusable = |problem: &dyn std::fmt::Display| {
            Error::Internal(format!("{KEY_FILE}: {}: {problem}", path.display()))
        };
        let length = std::fs::metadata(path).map_err(|error| unusable(&error))?.len();
        if length > MAX_KEY_FILE_BYTES {
            return Err(unusable(&"the file is too large for a key"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unusable(&error))?;
        match text.trim() {
            "" => Err(unusable(&"the file is empty")),
            key => Ok(Secret::new(key)),
        }
    }
}

const KEY: &str = "LUMIO_SYSTEM_KEY";
const KEY_FILE: &str = "LUMIO_SYSTEM_KEY_FILE";
const MAX_KEY_FILE_BYTES: u64 = 4096;

fn system_key(reader: &mut Reader) -> Option<SystemKey> {
    match (reader.secret(KEY), reader.optional(KEY_FILE)) {
        (Some(_), Some(_)) => {
            reader.mistake(KEY_FILE, format_args!("must not be set beside {KEY}"));
            None
        }
        (Some(key), None) => Some(SystemKey::Given(key)),
        (None, Some(path)) => Some(SystemKey::File(path.into())),
        (None, None) => None,
    }
}

pub(super) fn read(reader: &mut Reader, environment: Environment) -> WorkersConfig {
    WorkersConfig {
        metrics_bind: address(reader, "LUMIO_WORKER_METRICS_BIND", ([127, 0, 0, 1], 9101)),
        api_url: http_url(reader, "LUMIO_API_URL", "http://127.0.0.1:8080"),
        system_key: system_key(reader),
        threads: reader.threads("LUMIO_WORKER_THREADS"),
        engine_dir: reader.text("LUMIO_ENGINE_DIR", "/var/lib/lumio/engine"),
        runtime_concurrency: reader.within("LUMIO_RUNTIME_CONCURRENCY", 64, 1, 1000),
        runtime_invocations_per_minute: reader.within(
            "LUMIO_RUNTIME_INVOCATIONS_PER_MINUTE",
            300,
            1,
            1_000_000,
        ),
        runtime_answer_within: chrono::TimeDelta::seconds(reader.within(
            "LUMIO_RUNTIME_ANSWER_WITHIN_SECS",
            30,
            1,
            3600,
        )),
        feed_poll_secs: reader.within("LUMIO_RUNTIME_FEED_POLL_SECS", 60, 1, 60),
        egress_test_hosts: egress_test_hosts(reader, environment),
        obs_allow_private: obs_allow_private(reader),
        session_close: chrono::TimeDelta::seconds(reader.within("LUMIO_SESSION_CLOSE_SECS", 600, 10, 3600)),
    }
}

/// Reads whether the network of the deployment itself may be reached on the order of its accounts.
fn obs_allow_private(reader: &mut Reader) -> bool {
    const NAME: &str = "LUMIO_OBS_ALLOW_PRIVATE";
    match reader.text(NAME, "0").as_str() {
        "0" | "false" => false,
        "1" | "true" => true,
        _ => {
            reader.mistake(NAME, "must be `1` or `0`");
            false
        }
    }
}

/// Reads the additional hosts. They are inside the network, so they are allowed only where no extensions of
/// others run.
fn egress_test_hosts(reader: &mut Reader, environment: Environment) -> Vec<String> {
    const NAME: &str = "LUMIO_EGRESS_TEST_HOSTS";
    let hosts = reader.list(NAME);
    if !hosts.is_empty() && environment.is_deployment() {
        reader.mistake(NAME, "must not be set outside development");
    }
    let has_port = |host: &String| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if !hosts.iter().all(has_port) {
        reader.mistake(NAME, "must be `host:port`, several separated by commas");
    }
    hosts
}
