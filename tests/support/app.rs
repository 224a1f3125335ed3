//! One server with all its dependencies.

use std::collections::BTreeMap;

use api_core::State;
use foundation::db::Databases;
use lumio_api::server::{self, Running};
use platforms_stand_in::StandIn;
use shared::{clock::Clock, config::Config};
use tempfile::TempDir;

use crate::{Caller, DEADLINE, TestDatabase, objects, redis_url};

/// Public address of every test server without another one.
pub const PUBLIC_URL: &str = "http://localhost:2";

/// A running server and access to its state.
pub struct TestApp {
    pub state: State,
    /// The pools of the state.
    pub databases: Databases,
    pub clock: Clock,
    pub platforms: StandIn,
    pub database: TestDatabase,
    pub(crate) client: reqwest::Client,
    running: Running,
    variables: BTreeMap<String, String>,
    _folder: TempDir,
}

/// Changes of a test to the default settings.
#[derive(Default)]
pub struct TestAppBuilder {
    variables: BTreeMap<String, String>,
}

impl TestAppBuilder {
    /// Sets an environment variable of the server's configuration.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.variables.insert(name.to_owned(), value.to_string());
        self
    }

    /// Starts the server.
    pub async fn start(self) -> TestApp {
        let platforms = StandIn::start().await;
        let (database, folder) = (TestDatabase::create().await, TempDir::new().expect("a temporary folder"));
        let mut variables = defaults(&database, &folder);
        variables.extend(objects::variables(&database.name, folder.path()).await);
        variables.extend(platforms.environment());
        // A loaded machine replies late. A test that takes Redis away names its own server, and waits as a process
        // does.
        if !self.variables.contains_key("REDIS_URL") {
            variables.insert("LUMIO_REDIS_POOL_TIMEOUT_MS".into(), "20000".into());
        }
        if self.variables.contains_key("LUMIO_SMTP_URL") {
            variables.remove("LUMIO_MAIL_DIR");
        }
        variables.extend(self.variables);
        let clock = Clock::default();
        let (state, databases) = open(&variables, &clock);
        let running = server::start(state.clone(), databases.clone()).await.expect("the server starts");
        let client = client();
        TestApp { state, databases, clock, platforms, database, client, running, variables, _folder: folder }
    }
}

impl TestApp {
    /// A server with default settings.
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// A server with other settings.
    #[must_use]
    pub fn builder() -> TestAppBuilder {
        TestAppBuilder::default()
    }

    /// Address of the server, for example `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.running.address)
    }

    /// Address of the internal listener.
    #[must_use]
    pub fn metrics_url(&self) -> String {
        format!("http://{}", self.running.metrics_address)
    }

    /// Configuration of this server, for a worker.
    #[must_use]
    pub fn config(&self) -> Config {
        Config::from_variables(self.variables()).expect("the test configuration is sound")
    }

    /// Environment variables of this server, for another process.
    #[must_use]
    pub fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = self.variables.clone();
        variables.insert("LUMIO_API_URL".into(), self.url());
        variables
    }

    /// A second server over the same databases and Redis, as another process would be.
    pub async fn second_server(&self) -> (State, Running) {
        let (state, databases) = open(&self.variables, &self.clock);
        let running = server::start(state.clone(), databases).await.expect("a second server starts");
        (state, running)
    }

    /// An anonymous caller.
    #[must_use]
    pub fn anonymous(&self) -> Caller {
        Caller::new(self.client.clone(), self.url(), None)
    }

    /// A caller with a credential.
    #[must_use]
    pub fn bearer(&self, token: impl Into<String>) -> Caller {
        Caller::new(self.client.clone(), self.url(), Some(token.into()))
    }

    /// Advances to the beginning of a window of this many seconds, so that none ends while a test counts in it.
    /// Sessions end after 15 minutes: with a long window this comes before any sign-in.
    pub fn begin_a_window(&self, seconds: i64) {
        let past = self.clock.now().timestamp() % seconds;
        self.clock.advance(chrono::Duration::seconds(seconds - past));
    }

    /// Stops the server as SIGTERM would.
    pub async fn stop(self) {
        self.running.stop().await.expect("the server drains");
    }
}

/// The product's own client times out after ten seconds, which a loaded machine needs for a large upload.
pub(crate) fn client() -> reqwest::Client {
    let client = reqwest::Client::builder().timeout(DEADLINE).no_proxy();
    client.redirect(reqwest::redirect::Policy::none()).build().expect("a client")
}

fn open(variables: &BTreeMap<String, String>, clock: &Clock) -> (State, Databases) {
    let config = Config::from_variables(variables.clone()).expect("the test configuration is sound");
    let databases = Databases::new(&config.databases);
    let state = State::new(config, clock.clone(), databases.clone()).expect("the parts of the server open");
    (state, databases)
}

fn defaults(database: &TestDatabase, folder: &TempDir) -> BTreeMap<String, String> {
    [
        // A quarter of it is the share of one account: enough for its requests to meet each other.
        ("LUMIO_DATABASE_POOL", "16".into()),
        // A loaded machine opens connections slowly; what an operation does without the database is tested with less.
        ("LUMIO_DATABASE_POOL_TIMEOUT_MS", "30000".into()),
        ("REDIS_URL", redis_url()),
        ("LUMIO_REDIS_PREFIX", database.name.clone()),
        // No server listens there: services that a developer runs at the same time must not be reached.
        ("LUMIO_PUBLIC_URL", PUBLIC_URL.into()),
        ("LUMIO_HTTP_BIND", "127.0.0.1:0".into()),
        ("LUMIO_METRICS_BIND", "127.0.0.1:0".into()),
        ("LUMIO_WORKER_METRICS_BIND", "127.0.0.1:0".into()),
        ("LUMIO_HTTP_THREADS", "1".into()),
        ("LUMIO_MAIL_DIR", folder.path().join("mail").display().to_string()),
        ("LUMIO_ENGINE_DIR", std::env::var("LUMIO_ENGINE_DIR").unwrap_or_default()),
        // Tests of the limits set them; the others should not reach them.
        ("LUMIO_RATE_ANONYMOUS", "100000".into()),
        ("LUMIO_RATE_SESSION", "100000".into()),
        ("LUMIO_RATE_API_KEY", "100000".into()),
        ("LUMIO_RATE_SERVICE_KEY", "100000".into()),
        ("LUMIO_RATE_AUTH_EXCHANGE", "100000".into()),
        ("LUMIO_RATE_UNKNOWN_CREDENTIAL", "100000".into()),
        ("LUMIO_RATE_CHAT_SEND", "100000".into()),
        ("LUMIO_YOUTUBE_SHARE_PERCENT", "100".into()),
    ]
    .into_iter()
    .chain(database.variables())
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
