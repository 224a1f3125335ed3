//! A headless browser, driven over the DevTools protocol.

use std::{collections::BTreeMap, process::Stdio, time::Duration};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

use crate::DEADLINE;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// A browser starts slowly on a loaded machine.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Size of the page of an overlay.
const OBS_SIZE: (u32, u32) = (1920, 1080);

/// A browser with one page.
pub struct Browser {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: Value,
    asked: u64,
    /// Errors of the page, including refusals by its policy.
    errors: Vec<String>,
    /// Lines of the page in its console.
    console: Vec<String>,
    /// Number of frames whose process has ended by itself.
    crashes: usize,
    /// Events of a trace, and whether it has been sent as a whole.
    trace: Vec<Value>,
    trace_is_complete: bool,
    /// Document that the page gets instead of one of the web, in Base64.
    document: String,
    _child: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts the installed browser. Without one the test ends with a message, unless `LUMIO_TEST_BROWSER=1` requires
    /// one.
    pub async fn start() -> Option<Self> {
        Self::start_with(&[]).await
    }

    /// Starts it as OBS does for a browser source of 1920×1080: transparent, and pages may play sounds.
    pub async fn start_as_obs() -> Option<Self> {
        Self::start_as_obs_with(&[]).await
    }

    /// The same, where a process ends when its scripts use more than this many megabytes.
    pub async fn start_as_obs_with_memory(megabytes: u32) -> Option<Self> {
        Self::start_as_obs_with(&[&format!("--js-flags=--max-old-space-size={megabytes}")]).await
    }

    async fn start_as_obs_with(flags: &[&str]) -> Option<Self> {
        let (width, height) = OBS_SIZE;
        let size = format!("--window-size={width},{height}");
        let of_obs = ["--autoplay-policy=no-user-gesture-required", "--hide-scrollbars", size.as_str()];
        let mut browser = Self::start_with(&[&of_obs[..], flags].concat()).await?;
        let transparent = json!({ "color": { "r": 0, "g": 0, "b": 0, "a": 0 } });
        browser.ask("Emulation.setDefaultBackgroundColorOverride", transparent).await;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.ask("Emulation.setDeviceMetricsOverride", metrics).await;
        browser.ask("Performance.enable", json!({ "timeDomain": "threadTicks" })).await;
        Some(browser)
    }

    async fn start_with(flags: &[&str]) -> Option<Self> {
        let Some(program) = installed() else {
            assert_ne!(
                std::env::var("LUMIO_TEST_BROWSER").as_deref(),
                Ok("1"),
                "LUMIO_TEST_BROWSER=1, and none of {NAMES:?} is installed"
            );
            eprintln!("SKIPPED: none of {NAMES:?} is installed (scripts/packages installs chromium)");
            return None;
        };
        Some(
            tokio::time::timeout(DEADLINE, Self::launch(&program, flags))
                .await
                .expect("the browser starts in time"),
        )
    }

    async fn launch(program: &str, flags: &[&str]) -> Self {
        let profile = TempDir::new().expect("a temporary folder");
        let mut child = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(flags)
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the browser starts");
        let mut lines = BufReader::new(child.stderr.take().expect("its output")).lines();
        let address = loop {
            let line =
                lines.next_line().await.expect("its output is text").expect("it says where it listens");
            if let Some(address) = line.strip_prefix("DevTools listening on ") {
                break address.to_owned();
            }
        };
        // Keeps reading, so that the browser never blocks.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let (socket, _) = connect_async(address).await.expect("the browser listens");
        let mut browser = Self {
            socket,
            session: Value::Null,
            asked: 0,
            errors: Vec::new(),
            console: Vec::new(),
            crashes: 0,
            trace: Vec::new(),
            trace_is_complete: false,
            document: String::new(),
            _child: child,
            _profile: profile,
        };
        browser.ask("Target.setDiscoverTargets", json!({ "discover": true })).await;
        let page = browser.ask("Target.createTarget", json!({ "url": "about:blank" })).await;
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        browser.session = browser.ask("Target.attachToTarget", attach).await["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({})).await;
        }
        browser
    }

    /// Opens an address.
    pub async fn open(&mut self, url: &str) {
        let opened = self.ask("Page.navigate", json!({ "url": url })).await;
        assert!(opened["errorText"].is_null(), "{opened}");
        self.until("document.readyState === 'complete'").await;
    }

    /// The value of an expression in the page.
    pub async fn value(&mut self, expression: &str) -> Value {
        let answer = self.evaluate(expression).await;
        assert!(answer["error"].is_null(), "{expression}: {answer}");
        let answer = &answer["result"];
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    async fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        self.answer("Runtime.evaluate", asked).await
    }

    /// Waits until an expression holds. It may throw while the page loads.
    pub async fn until(&mut self, expression: &str) {
        for _ in 0..DEADLINE.as_millis() / POLL_INTERVAL.as_millis() {
            if self.evaluate(expression).await["result"]["result"]["value"] == true {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let page = self.value("document.documentElement.outerHTML").await;
        panic!("never: {expression}\nerrors: {:#?}\npage: {page}", self.errors);
    }

    /// Errors of the page so far.
    #[must_use]
    pub fn errors(&self) -> &[String] {
        &self.errors
    }

    /// Lines of the page in its console so far.
    #[must_use]
    pub fn console(&self) -> &[String] {
        &self.console
    }

    /// Number of frames of the page so far whose process has ended by itself.
    #[must_use]
    pub const fn crashes(&self) -> usize {
        self.crashes
    }

    /// Waits until the process of a frame has ended by itself.
    pub async fn until_crashed(&mut self) {
        let crashed = async {
            while self.crashes == 0 {
                let message = self.message().await;
                self.note(message).await;
            }
        };
        tokio::time::timeout(DEADLINE, crashed).await.expect("a process ends in time");
    }

    /// Runs a script in each document of the page before its own.
    pub async fn before_each_document(&mut self, script: &str) {
        self.ask("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await;
    }

    /// Answers requests of the page for these addresses with a document of HTML in Base64. `*` stands for any text.
    pub async fn answer_with(&mut self, addresses: &str, document: String) {
        self.document = document;
        self.ask("Fetch.enable", json!({ "patterns": [{ "urlPattern": addresses }] })).await;
    }

    /// Loads the page again, past the caches, as "Refresh" of a browser source does.
    pub async fn reload(&mut self) {
        self.ask("Page.reload", json!({ "ignoreCache": true })).await;
    }

    /// Picture of the page at half its size, as PNG in Base64.
    pub async fn picture(&mut self) -> String {
        let (width, height) = OBS_SIZE;
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 0.5 });
        let taken = self.ask("Page.captureScreenshot", json!({ "format": "png", "clip": clip })).await;
        taken["data"].as_str().expect("a picture").to_owned()
    }

    /// Picture of the whole page at its full size, also of the part that is scrolled out of view, as PNG in Base64.
    pub async fn whole_picture(&mut self) -> String {
        let root = "document.documentElement";
        let size = self.value(&format!("[{root}.scrollWidth, {root}.scrollHeight]")).await;
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        let options = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        let taken = self.ask("Page.captureScreenshot", options).await;
        taken["data"].as_str().expect("a picture").to_owned()
    }

    /// Metrics of the page after garbage was collected.
    pub async fn metrics(&mut self) -> BTreeMap<String, f64> {
        for _ in 0..3 {
            self.ask("HeapProfiler.collectGarbage", json!({})).await;
        }
        let metrics = self.ask("Performance.getMetrics", json!({})).await;
        let metrics = metrics["metrics"].as_array().cloned().unwrap_or_default();
        let pair = |metric: &Value| Some((metric["name"].as_str()?.to_owned(), metric["value"].as_f64()?));
        metrics.iter().filter_map(pair).collect()
    }

    /// Begins a trace of all processes in these categories.
    pub async fn begin_trace(&mut self, categories: &[&str]) {
        let config = json!({
            "recordMode": "recordAsMuchAsPossible", "includedCategories": categories, "excludedCategories": ["*"],
        });
        self.ask("Tracing.start", json!({ "transferMode": "ReportEvents", "traceConfig": config })).await;
    }

    /// Ends the trace; returns its events in the format of Chromium.
    pub async fn end_trace(&mut self) -> Vec<Value> {
        self.ask("Tracing.end", json!({})).await;
        let complete = async {
            while !self.trace_is_complete {
                let message = self.message().await;
                self.note(message).await;
            }
        };
        tokio::time::timeout(DEADLINE, complete).await.expect("the browser sends its trace in time");
        self.trace_is_complete = false;
        std::mem::take(&mut self.trace)
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.answer(method, params).await;
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].clone()
    }

    /// Answer with its `result` or `error`.
    async fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let answer = async {
            loop {
                let message = self.message().await;
                if message["id"] == id {
                    return message;
                }
                self.note(message).await;
            }
        };
        tokio::time::timeout(DEADLINE, answer).await.expect("the browser answers in time")
    }

    /// Sends a command; returns its number.
    async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let mut question = json!({ "id": self.asked, "method": method, "params": params });
        if !self.session.is_null() {
            question["sessionId"] = self.session.clone();
        }
        self.socket.send(Message::text(question.to_string())).await.expect("the browser listens");
        self.asked
    }

    async fn message(&mut self) -> Value {
        loop {
            let message = self.socket.next().await.expect("the browser lives").expect("it speaks");
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).expect("JSON");
            }
        }
    }

    /// Keeps what the browser reports by itself, and answers requests that it has paused.
    async fn note(&mut self, mut message: Value) {
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.consoleAPICalled" => self.console.push(message["params"]["args"].to_string()),
            "Log.entryAdded" if message["params"]["entry"]["level"] != "error" => {}
            "Log.entryAdded" | "Runtime.exceptionThrown" => self.errors.push(message["params"].to_string()),
            "Tracing.dataCollected" => {
                if let Value::Array(events) = message["params"]["value"].take() {
                    self.trace.extend(events);
                }
            }
            "Target.targetCrashed" => self.crashes += 1,
            "Tracing.tracingComplete" => self.trace_is_complete = true,
            "Fetch.requestPaused" => {
                let answer = json!({
                    "requestId": message["params"]["requestId"], "responseCode": 200,
                    "responseHeaders": [{ "name": "content-type", "value": "text/html; charset=utf-8" }],
                    "body": self.document,
                });
                self.send("Fetch.fulfillRequest", answer).await;
            }
            _ => {}
        }
    }
}

/// First browser on the `PATH`.
fn installed() -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    programs.into_iter().find(|program| program.is_file()).map(|program| program.display().to_string())
}
