//! A stack of binaries with stores of its own.

use std::{
    collections::BTreeMap,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A running API and, on request, its workers and a stand-in for the platforms.
pub struct Stack {
    pub origin: String,
    pub api_pid: u32,
    /// Time from the API's start to its first response.
    pub start: Duration,
    pub environment: BTreeMap<String, String>,
    pub session: String,
    pub user_id: String,
    pub account_id: String,
    programs: PathBuf,
    processes: Vec<Process>,
    client: reqwest::Client,
    _folder: TempDir,
}

/// A process of the stack. Its name is the program's, or that of the worker's daemon.
struct Process {
    name: String,
    command: Command,
    child: Child,
    /// Address of its metrics; `None` for a process that is no worker.
    metrics: Option<String>,
}

impl Stack {
    /// Migrates the database and starts the API with one person in one account.
    pub async fn start(programs: &Path, database: &str, redis: &str) -> Result<Self> {
        let folder = TempDir::new()?;
        let (port, metrics) = (free_port()?, free_port()?);
        let mut environment: BTreeMap<String, String> = [
            ("DATABASE_URL", database.to_owned()),
            ("REDIS_URL", redis.to_owned()),
            ("LUMIO_REDIS_PREFIX", format!("bench-{}", std::process::id())),
            ("LUMIO_HTTP_BIND", format!("127.0.0.1:{port}")),
            ("LUMIO_METRICS_BIND", format!("127.0.0.1:{metrics}")),
            ("LUMIO_API_URL", format!("http://127.0.0.1:{port}")),
            ("LUMIO_STORAGE_URL", format!("file://{}", folder.path().join("storage").display())),
            ("LUMIO_LOG", "warn".to_owned()),
            ("RUST_LOG", "warn".to_owned()),
            ("LUMIO_HTTP_THREADS", "1".to_owned()),
            ("LUMIO_WORKER_THREADS", "1".to_owned()),
            // One install answers all lines.
            ("LUMIO_RUNTIME_INVOCATIONS_PER_MINUTE", "1000000".to_owned()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        for tier in [
            "ANONYMOUS",
            "SESSION",
            "API_KEY",
            "SERVICE_KEY",
            "AUTH_EXCHANGE",
            "CHAT_SEND",
            "CHAT_MODERATE",
            "EVENTS_EMIT",
        ] {
            environment.insert(format!("LUMIO_RATE_{tier}"), "1000000000".into());
        }
        let mut stack = Self {
            origin: format!("http://127.0.0.1:{port}"),
            api_pid: 0,
            start: Duration::ZERO,
            environment,
            session: String::new(),
            user_id: String::new(),
            account_id: String::new(),
            programs: programs.to_owned(),
            processes: Vec::new(),
            client: reqwest::Client::builder().no_proxy().build()?,
            _folder: folder,
        };
        stack.run("lumio-api", &["migrate"])?;
        stack.start_platforms().await?;
        let began = Instant::now();
        stack.api_pid = stack.spawn("lumio-api", "lumio-api", &["serve"])?;
        stack.wait_until_it_answers().await?;
        stack.start = began.elapsed();
        stack.sign_in().await?;
        Ok(stack)
    }

    /// Starts a worker daemon.
    pub fn start_worker(&mut self, daemon: &str) -> Result<u32> {
        if !self.environment.contains_key("LUMIO_SYSTEM_KEY") {
            let key = self.run("lumio-api", &["admin", "create-system-key", "--label", "bench"])?;
            self.environment.insert("LUMIO_SYSTEM_KEY".into(), key);
        }
        let metrics = format!("127.0.0.1:{}", free_port()?);
        self.environment.insert("LUMIO_WORKER_METRICS_BIND".into(), metrics.clone());
        let pid = self.spawn(daemon, "lumio-worker", &[daemon])?;
        self.process(daemon)?.metrics = Some(metrics);
        Ok(pid)
    }

    /// Starts a worker daemon unless it was started.
    pub fn ensure_worker(&mut self, daemon: &str) -> Result<u32> {
        match self.processes.iter().find(|process| process.name == daemon) {
            Some(process) => Ok(process.child.id()),
            None => self.start_worker(daemon),
        }
    }

    /// Kills a process, as a crash does.
    pub fn kill(&mut self, name: &str) -> Result<()> {
        let process = self.process(name)?;
        process.child.kill()?;
        process.child.wait()?;
        Ok(())
    }

    /// Kills a process that is not started again as it was.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        self.kill(name)?;
        self.processes.retain(|process| process.name != name);
        Ok(())
    }

    /// Starts a process again that was killed, as it was started before.
    pub fn restart(&mut self, name: &str) -> Result<u32> {
        let process = self.process(name)?;
        process.child = process.command.spawn().with_context(|| format!("{name} does not start again"))?;
        Ok(process.child.id())
    }

    /// The process id of each process by name.
    pub fn pids(&self) -> Vec<(String, u32)> {
        self.processes.iter().map(|process| (process.name.clone(), process.child.id())).collect()
    }

    fn process(&mut self, name: &str) -> Result<&mut Process> {
        let found = self.processes.iter_mut().find(|process| process.name == name);
        found.with_context(|| format!("no process is called {name}"))
    }

    /// The metrics of a worker.
    pub async fn metrics(&self, daemon: &str) -> Result<String> {
        let process = self.processes.iter().find(|process| process.name == daemon);
        let address = process.and_then(|process| process.metrics.as_ref());
        let address = address.with_context(|| format!("no daemon is called {daemon}"))?;
        let response = self.client.get(format!("http://{address}/metrics")).send().await?;
        Ok(response.error_for_status()?.text().await?)
    }

    /// The path of a program of this build.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Runs a program to its end and returns its output.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let output = Command::new(self.programs.join(program))
            .args(arguments)
            .envs(&self.environment)
            .output()
            .with_context(|| format!("{program} does not start"))?;
        if !output.status.success() {
            bail!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// A call with the session, or with another credential.
    pub async fn post(&self, path: &str, token: &str, body: Value) -> Result<Value> {
        let address =
            if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.origin) };
        let response = self.client.post(address).bearer_auth(token).json(&body).send().await?;
        let (status, text) = (response.status(), response.text().await?);
        ensure!(status.is_success(), "POST {path} answered {status}: {text}");
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Reads with a session or another credential.
    pub async fn get(&self, path: &str, token: &str) -> Result<Value> {
        let response = self.client.get(format!("{}{path}", self.origin)).bearer_auth(token).send().await?;
        let (status, text) = (response.status(), response.text().await?);
        ensure!(status.is_success(), "GET {path} answered {status}: {text}");
        Ok(serde_json::from_str(&text)?)
    }

    async fn start_platforms(&mut self) -> Result<()> {
        let port = free_port()?;
        self.spawn("platforms-stand-in", "platforms-stand-in", &["--port", &port.to_string()])?;
        let origin = format!("http://127.0.0.1:{port}");
        let variables: BTreeMap<String, String> = retry(|| async {
            Ok(self.client.get(format!("{origin}/_control/environment")).send().await?.json().await?)
        })
        .await?;
        self.environment.extend(variables);
        self.environment.insert("STAND_IN".into(), origin);
        Ok(())
    }

    /// Signs a new person in, with an account of its own; returns the session.
    pub async fn session_of(&self, login: &str) -> Result<String> {
        text(&self.signed_in(login).await?, "/data/token")
    }

    async fn signed_in(&self, login: &str) -> Result<Value> {
        let control = format!("{}/_control/users", self.environment["STAND_IN"]);
        let made = self.post(&control, "", json!({ "platform": "twitch", "login": login })).await?;
        let body = json!({ "provider": "twitch", "provider_user_id": made["user"]["id"],
                           "access_token": made["access_token"],
                           "profile": { "display_name": login, "username": login } });
        self.post("/v1/auth/token", "", body).await
    }

    async fn sign_in(&mut self) -> Result<()> {
        let answer = self.signed_in("bench").await?;
        self.session = text(&answer, "/data/token")?;
        self.user_id = text(&answer, "/data/user_id")?;
        let accounts = self.get("/v1/accounts", &self.session).await?;
        self.account_id = text(&accounts, "/data/0/id")?;
        Ok(())
    }

    /// Waits until the API serves.
    pub async fn wait_until_it_answers(&self) -> Result<()> {
        let address = format!("{}/v1/health", self.origin);
        retry(|| async { Ok(self.client.get(&address).send().await?.error_for_status()?) }).await.map(drop)
    }

    fn spawn(&mut self, name: &str, program: &str, arguments: &[&str]) -> Result<u32> {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments).envs(&self.environment).stdout(Stdio::null()).stderr(Stdio::inherit());
        let child = command.spawn().with_context(|| format!("{program} does not start"))?;
        let pid = child.id();
        self.processes.push(Process { name: name.to_owned(), command, child, metrics: None });
        Ok(pid)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        for Process { name, child, .. } in &mut self.processes {
            if let Err(error) = child.kill().and_then(|()| child.wait()) {
                eprintln!("{name} could not be ended: {error}");
            }
        }
    }
}

/// The text at a JSON pointer.
pub fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found.with_context(|| format!("no text at {pointer} in {value}"))?.to_owned())
}

/// A port that nothing listens on.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

async fn retry<T, F: Future<Output = Result<T>>>(mut attempt: impl FnMut() -> F) -> Result<T> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(error) if Instant::now() > until => return Err(error),
            Err(_not_yet) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}
