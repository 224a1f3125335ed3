#![expect(clippy::panic, clippy::unwrap_used, reason = "test code: a failed expectation is its result")]

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use sandbox::{
    Engine, EngineConfig, Failure, FailureCode, FetchRequest, FetchResponse, FixedClock, Handler, Host,
    HostError, HostRequest, Invocation, Limits, LogLevel, LogLine, Outcome,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// One engine for all tests of the process.
pub fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let start = || Engine::new(EngineConfig::new(EngineConfig::default_dir()?));
        start().unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Loads a module that must load.
pub async fn compile(source: &str) -> Handler {
    engine().compile(source).await.unwrap_or_else(|failure| panic!("{failure:#?}"))
}

/// Loads a module that must not load.
pub async fn compile_failure(source: &str) -> Failure {
    match engine().compile(source).await {
        Ok(_) => panic!("the module loaded"),
        Err(failure) => failure,
    }
}

/// Returns a call of the export `run` without input.
pub fn call() -> Invocation {
    Invocation {
        clock: Arc::new(FixedClock(1_700_000_000_000_000)),
        seed: 1,
        ..Invocation::new("run", json!(null))
    }
}

/// Returns a call of the export `run` within `limits`.
pub fn call_within(limits: Limits) -> Invocation {
    Invocation { limits, ..call() }
}

/// Loads `source` and calls its export `run`.
pub async fn run(source: &str) -> Outcome {
    run_with(source, call(), TestHost::new()).await
}

/// Loads `source` and calls its export `run` within `limits`.
pub async fn run_within(source: &str, limits: Limits) -> Outcome {
    run_with(source, call_within(limits), TestHost::new()).await
}

/// Loads `source` and runs `invocation` against `host`.
pub async fn run_with(source: &str, invocation: Invocation, host: Arc<TestHost>) -> Outcome {
    compile(source).await.invoke(invocation, host).await
}

/// Returns the result of a call that must succeed.
pub async fn result_of(source: &str) -> Value {
    success(run(source).await)
}

/// Returns the result of an outcome that must be a success.
pub fn success(outcome: Outcome) -> Value {
    outcome.result.unwrap_or_else(|failure| panic!("{failure:#?}"))
}

/// Returns the failure of an outcome that must be one.
pub fn failure(outcome: Outcome) -> Failure {
    match outcome.result {
        Ok(value) => panic!("the handler returned {value}"),
        Err(failure) => failure,
    }
}

/// Returns the failure, which must have the code.
pub fn assert_code(outcome: Outcome, code: FailureCode) -> Failure {
    let failure = failure(outcome);
    assert_eq!(failure.code, code, "{failure:#?}");
    failure
}

/// Runs an invocation until it waits for its first fetch.
pub async fn until_it_waits(mut invocation: Pin<&mut impl Future<Output = Outcome>>, host: &TestHost) {
    while host.requests().is_empty() {
        assert!(futures::poll!(invocation.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
}

/// A host that records its calls and serves a few addresses.
#[derive(Default)]
pub struct TestHost {
    lines: Mutex<Vec<LogLine>>,
    requests: Mutex<Vec<FetchRequest>>,
    in_flight: AtomicUsize,
    max_concurrent: AtomicUsize,
    body: Vec<u8>,
    asked: Mutex<Vec<HostRequest>>,
    replies: Mutex<Vec<Value>>,
    /// Permits for the delivery of results; without it they are delivered immediately.
    delivery: Option<Semaphore>,
}

impl TestHost {
    /// Value of the only secret.
    pub const SECRET: &str = "s3cr3t-value";

    /// Returns a host that delivers results immediately.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Delivers no result before [`deliver`](Self::deliver).
    pub fn holding_results() -> Arc<Self> {
        Arc::new(Self { delivery: Some(Semaphore::new(0)), ..Self::default() })
    }

    /// Delivers one result.
    pub fn deliver(&self) {
        self.delivery.iter().for_each(|delivery| delivery.add_permits(1));
    }

    /// Returns `body` for every allowed request.
    pub fn answering(body: impl Into<Vec<u8>>) -> Arc<Self> {
        Arc::new(Self { body: body.into(), ..Self::default() })
    }

    /// Returns the logged lines.
    pub fn lines(&self) -> Vec<LogLine> {
        self.lines.lock().unwrap().clone()
    }

    /// Returns the logged messages of a level.
    pub fn messages(&self, level: LogLevel) -> Vec<String> {
        self.lines().into_iter().filter(|line| line.level == level).map(|line| line.message).collect()
    }

    /// Maximum number of concurrent requests.
    pub fn max_concurrent(&self) -> usize {
        self.max_concurrent.load(Ordering::Relaxed)
    }

    /// Returns the performed requests.
    pub fn requests(&self) -> Vec<FetchRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl TestHost {
    async fn answer_slowly(&self) {
        let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.max_concurrent.fetch_max(in_flight, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(100)).await;
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl TestHost {
    /// Requests to `perform`.
    pub fn performed(&self) -> Vec<HostRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// Results that were returned before the end.
    pub fn replies(&self) -> Vec<Value> {
        self.replies.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Host for TestHost {
    /// Returns the number of earlier requests.
    async fn perform(&self, request: HostRequest) -> Result<Value, HostError> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(request);
        Ok(json!(asked.len() - 1))
    }

    fn replied(&self, result: Value) {
        self.replies.lock().unwrap().push(result);
    }

    async fn delivered(&self) {
        if let Some(delivery) = &self.delivery {
            delivery.acquire().await.unwrap().forget();
        }
    }

    fn log(&self, line: LogLine) {
        self.lines.lock().unwrap().push(line);
    }

    fn secret(&self, name: &str) -> Option<String> {
        match name {
            "KEY" => Some(Self::SECRET.to_owned()),
            "SHORT" => Some("e".to_owned()),
            _ => None,
        }
    }

    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, HostError> {
        let url = request.url.clone();
        self.requests.lock().unwrap().push(request);
        match url.as_str() {
            "https://api.example/slow" => self.answer_slowly().await,
            "https://api.example/never" => std::future::pending().await,
            "https://api.example/broken" => return Err(HostError::network("connection reset")),
            allowed if allowed.starts_with("https://api.example/") => {}
            _ => return Err(HostError::egress(format!("{url} is not on the allow-list"))),
        }
        Ok(FetchResponse {
            status: 200,
            status_text: "OK".to_owned(),
            url,
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            body: self.body.clone(),
            ..FetchResponse::default()
        })
    }
}
