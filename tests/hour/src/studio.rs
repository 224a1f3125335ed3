//! A creator with channels on two platforms, the API with a clock that is driven, and the daemons of the live path.

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use demo::{Api, PlatformUser, connect, exchange, fields, result, text};
use futures::future::{join_all, try_join_all};
use history_daemons::{recorder::Recorder, reports::ReportMaker};
use lumio_tests::{
    TestApp, free_address,
    world::{open_deliveries, rows, workers},
};
use lumio_worker::{Daemon, Running};
use platform_daemons::connections;
use platforms_stand_in::{Delivery, DeliveryOptions, OnAir, Platform, User, kick, twitch};
use reqwest::Method;
use serde_json::{Value, json};
use shared::clock::{Clock, rfc3339};
use tokio::{sync::Mutex, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// Name of the creator on both platforms.
const CREATOR: &str = "nightowl";
/// Time before the present at which the hour begins. Platforms sign deliveries with the time of the machine or an earlier
/// one, so the hour lies in the past.
const LEAD: TimeDelta = TimeDelta::minutes(80);
/// Time of everything that occurs in a minute.
const SECOND: TimeDelta = TimeDelta::seconds(5);
/// Permissions of the creator's key.
const PERMISSIONS: [&str; 4] = ["connections:read", "history:read", "history:export", "history:share"];
/// Reached only by a hang.
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Keys of one step of the search in Redis.
const SCAN_SIZE: usize = 1000;
/// Steps of that search: a thousand times as many keys as an hour leaves.
const MAX_SCANS: usize = 10_000;

/// Event of a platform.
#[derive(Debug)]
pub enum Event {
    Twitch(twitch::Event),
    Kick(kick::Event),
}

/// The creator's channels and everything behind them.
pub struct Studio {
    /// The API.
    pub app: TestApp,
    /// The creator by an API key: a session ends after fifteen minutes of the clock.
    pub owner: Api,
    /// Channel on Twitch.
    pub twitch: User,
    /// Channel on Kick.
    pub kick: User,
    /// Begin of the hour, a whole minute.
    pub start: DateTime<Utc>,
    /// Maker of reports of the daemon `history`.
    pub reports: ReportMaker,
    /// Recorder of the daemon `history`.
    recorder: Mutex<Recorder>,
    /// Daemon that handles deliveries.
    ingest: Running,
    /// Secret that signs the deliveries of Twitch.
    secret: String,
    /// Ending copies of the daemon `connections`.
    polls: RefCell<Vec<JoinHandle<Result<()>>>>,
}

impl Studio {
    /// Starts the API and the daemons, and connects the channels of a new creator.
    ///
    /// # Errors
    /// A call that was refused.
    pub async fn open() -> Result<Self> {
        let app = start().await;
        let start = (app.clock.now() - LEAD).duration_trunc(TimeDelta::minutes(1))?;
        app.clock.advance(start - TimeDelta::minutes(1) - app.clock.now());
        result("the clock of the server", &json!(rfc3339(app.clock.now())));

        let api = Api::new(&app.url())?;
        let (twitch, account) = streamer(&app, Platform::Twitch);
        let (signed_in, _user_id) = exchange(&api, &account).await?;
        connect(&signed_in, "twitch", &account).await?;
        enter_application(&app, &api).await?;
        let (kick, account) = streamer(&app, Platform::Kick);
        connect(&signed_in, "kick", &account).await?;
        let key = json!({ "label": "studio", "permissions": PERMISSIONS });
        let key = signed_in.post("/v1/api-keys", key).await?;
        let owner = api.with(text(&key, "/data/key")?);

        let ingest = workers(&app, &[Daemon::Ingest]).await;
        let recorder = Mutex::new(Recorder::new(&ingest.context)?);
        let reports = ReportMaker::new(&ingest.context)?;
        let environment = app.platforms.environment();
        let secret = environment.into_iter().find(|(name, _)| name == "LUMIO_TWITCH_EVENTSUB_SECRET");
        let (_name, secret) = secret.context("the stand-in names no secret")?;
        let polls = RefCell::default();
        Ok(Self { app, owner, twitch, kick, start, reports, recorder, ingest, secret, polls })
    }

    /// Moves the clock into a minute of the hour; never back.
    pub fn move_to(&self, minute: i64) {
        self.move_until(self.start + TimeDelta::minutes(minute) + SECOND);
    }

    /// Moves the clock to the time of the machine.
    pub fn move_to_present(&self) {
        self.move_until(Clock::default().now());
    }

    fn move_until(&self, at: DateTime<Utc>) {
        self.app.clock.advance((at - self.app.clock.now()).max(TimeDelta::zero()));
    }

    /// Delivers events as the platforms do, with the time of the clock, and waits until they are handled.
    ///
    /// # Errors
    /// A delivery that was refused.
    pub async fn deliver(&self, events: &[Event]) -> Result<()> {
        try_join_all(events.iter().map(|event| self.send(event))).await?;
        let app = &self.app;
        until("the deliveries are handled", async || Ok(open_deliveries(app).await == 0)).await
    }

    async fn send(&self, event: &Event) -> Result<()> {
        let (app, options) = (&self.app, self.options());
        let delivery = match event {
            Event::Twitch(event) => {
                let callback = format!("{}/v1/webhooks/twitch", app.url());
                app.platforms.deliver_twitch_to(&callback, &self.secret, event, &options).await
            }
            Event::Kick(event) => {
                let callback = format!("{}/v1/webhooks/kick", app.url());
                app.platforms.deliver_kick_to(&callback, event, &options).await
            }
        };
        is_accepted(&delivery)
    }

    /// Age of a delivery that is sent now. Rounded up: a later poll must not be older than a delivery.
    fn options(&self) -> DeliveryOptions {
        let behind = (Clock::default().now() - self.app.clock.now()).num_seconds() + 1;
        DeliveryOptions { age_secs: u64::try_from(behind).unwrap_or_default(), ..DeliveryOptions::default() }
    }

    /// Puts these broadcasts on air in the lists of the platforms, and waits until a poll has read their viewers.
    ///
    /// A copy of the daemon `connections` polls when it starts, so each minute starts one.
    ///
    /// # Errors
    /// A failure of Redis or of the API.
    pub async fn poll(&self, on_air: &[OnAir]) -> Result<()> {
        for live in on_air {
            self.app.platforms.go_live(live.clone());
            self.end_wait(live.platform).await?;
        }
        let since = rfc3339(self.app.clock.now());
        let stop = CancellationToken::new();
        let copy = tokio::spawn(connections::run(self.ingest.context.clone(), stop.clone()));
        self.polls.borrow_mut().push(copy);
        let _stopped = stop.drop_guard();
        let owner = &self.owner;
        until("the viewers are known", async || {
            let statuses = owner.get("/v1/channel-status").await?;
            Ok(on_air.iter().all(|live| shows(&statuses["data"], live, &since)))
        })
        .await
    }

    /// Ends the wait for the next poll of a platform, which is one of the machine's time.
    async fn end_wait(&self, platform: Platform) -> Result<()> {
        let redis = &self.app.state.redis;
        let key = redis.key(format_args!("channel_status:turn:{}", platform.slug()));
        let () = redis::cmd("DEL").arg(key).query_async(&mut *redis.get().await?).await?;
        Ok(())
    }

    /// Lets the recorder work.
    ///
    /// # Errors
    /// A failure of a database.
    pub async fn record(&self) -> Result<()> {
        Ok(self.recorder.lock().await.step().await?)
    }

    /// Waits until this number of lines and events is stored.
    ///
    /// # Errors
    /// They are not stored in time.
    pub async fn until_stored(&self, count: i64) -> Result<()> {
        let app = &self.app;
        until("lines and events are stored", async || Ok(rows(app).await >= count)).await
    }

    /// The creator's only session as the list shows it.
    ///
    /// # Errors
    /// None, or several.
    pub async fn session(&self) -> Result<Value> {
        let listed = self.owner.get("/v1/history").await?;
        let sessions = listed["data"].as_array().with_context(|| format!("no list in {listed}"))?;
        ensure!(sessions.len() == 1, "the hour made {} sessions: {listed}", sessions.len());
        sessions.first().cloned().context("a session")
    }

    /// Stops everything and deletes what it has stored. The database is dropped with it.
    ///
    /// # Errors
    /// A part that did not end.
    pub async fn close(self) -> Result<()> {
        let Self { app, ingest, polls, .. } = self;
        for ended in join_all(polls.into_inner()).await {
            ended.context("a copy of `connections`")??;
        }
        ingest.stop().await?;
        delete_keys(&app).await?;
        app.stop().await;
        Ok(())
    }
}

/// Waits until a condition holds.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let began = Instant::now();
    while !holds().await? {
        ensure!(began.elapsed() < TIMEOUT, "not within {} s: {what}", TIMEOUT.as_secs());
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

async fn start() -> TestApp {
    let address = free_address();
    let mut app = TestApp::builder()
        .with("LUMIO_HTTP_BIND", address)
        .with("LUMIO_PUBLIC_URL", format!("http://localhost:{}", address.port()))
        .with("LUMIO_DEFAULT_PLAN", "enterprise");
    if let Ok(folder) = std::env::var("LUMIO_FONT_DIR") {
        app = app.with("LUMIO_FONT_DIR", folder);
    }
    app.start().await
}

/// The creator on a platform, and as a browser that is signed in there.
fn streamer(app: &TestApp, platform: Platform) -> (User, PlatformUser) {
    let (user, access_token) = app.platforms.create_user(platform, CREATOR);
    let account = PlatformUser { id: user.id.clone(), login: user.login.clone(), access_token };
    (user, account)
}

/// Enters the deployment's application on Kick as an operator does: polls need one.
async fn enter_application(app: &TestApp, api: &Api) -> Result<()> {
    let operator = app.system_admin().await;
    let application = app.platforms.app(Platform::Kick);
    let body = json!({ "client_id": application.client_id, "client_secret": application.client_secret,
                       "kind": "channel" });
    let path = "/v1/admin/system-connections/kick";
    let entered = api.with(operator.token()).call(Method::PUT, path, Some(body)).await?;
    result(&format!("PUT {path}"), &fields(&entered["data"], &["platform", "kind", "client_id_hint"]));
    Ok(())
}

fn is_accepted(delivery: &Delivery) -> Result<()> {
    let statuses = delivery.statuses();
    ensure!(statuses == [Some(200)], "a delivery was answered {statuses:?}: {delivery:?}");
    Ok(())
}

/// True when the statuses have the viewers of a broadcast from this time or later.
fn shows(statuses: &Value, live: &OnAir, since: &str) -> bool {
    let of_platform = |status: &&Value| status["platform"] == live.platform.slug();
    let status = statuses.as_array().into_iter().flatten().find(of_platform);
    status.is_some_and(|status| {
        status["viewer_count"] == live.viewers
            && status["updated_at"].as_str().is_some_and(|updated_at| updated_at >= since)
    })
}

/// Deletes the keys of this server in Redis, which others use too.
async fn delete_keys(app: &TestApp) -> Result<()> {
    let (redis, pattern) = (&app.state.redis, format!("*{}:*", app.state.config.redis.prefix));
    let (mut connection, mut cursor) = (redis.get().await?, 0_u64);
    for _ in 0..MAX_SCANS {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(SCAN_SIZE);
        let (next, keys): (u64, Vec<String>) = scan.query_async(&mut *connection).await?;
        if !keys.is_empty() {
            let () = redis::cmd("UNLINK").arg(keys).query_async(&mut *connection).await?;
        }
        cursor = next;
        if cursor == 0 {
            break;
        }
    }
    Ok(())
}
