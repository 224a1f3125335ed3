//! Trigger nodes of automations: polls and webhooks reach the node's handler, and each result that fires is a run
//! (reference/automations.md#registrations).

mod budgets;
mod disabled;
mod limits;
mod results;

use std::time::Duration;

use diesel::{insert_into, prelude::*, update};
use diesel_async::RunQueryDsl;
use foundation::jobs::{PollSlot, RunAutomationTrigger, TriggerSource};
use lumio_tests::Answer;
use lumio_worker::Daemon;
use reqwest::Method;
use serde_json::{Value, json};
use shared::{
    config::Config,
    id,
    schema::{
        automation_runs, automation_trigger_registrations as registrations, automations, extension_versions,
    },
    secret::Secret,
};
use uuid::Uuid;

use super::stage::{Installed, Module, Stage, Streamer};

/// Longest interval of polls, in seconds.
const MAX_POLL_SECS: i32 = 300;

/// A stage with an enabled automation that one node triggers.
struct Scene {
    stage: Stage,
    streamer: Streamer,
    install: Installed,
    automation: Uuid,
    registration: Uuid,
    node: Uuid,
}

impl Scene {
    async fn set(mode: &str, code: &str) -> Self {
        Self::set_with(mode, code, |_| {}).await
    }

    /// With changed settings of the worker.
    async fn set_with(mode: &str, code: &str, change: impl FnOnce(&mut Config)) -> Self {
        Self::set_on(Self::stage(change).await, mode, code, (id::new(), 10)).await
    }

    /// With a polled trigger that is not due until the end of a test, because a slot of it has just begun. The test
    /// adds its polls.
    async fn set_in_a_slot(code: &str) -> Self {
        let (stage, interval) = (Self::stage(|_| {}).await, MAX_POLL_SECS);
        // The id shifts the slots.
        let any = id::new().as_u128();
        let now = u128::try_from(stage.app.clock.now().timestamp()).unwrap();
        let begun = (any + now) % u128::from(interval.unsigned_abs());
        Self::set_on(stage, "polling", code, (Uuid::from_u128(any - begun), interval)).await
    }

    async fn stage(change: impl FnOnce(&mut Config)) -> Stage {
        let stage = Stage::start_with(|config| {
            config.workers.feed_poll_secs = 1;
            change(config);
        })
        .await;
        // No hour ends during a test, and with it no period of a budget.
        stage.app.begin_a_window(3600);
        stage
    }

    /// With a trigger of this id, which is polled at this interval in seconds.
    async fn set_on(stage: Stage, mode: &str, code: &str, (registration, interval): (Uuid, i32)) -> Self {
        let streamer = stage.streamer().await;
        let extension = stage.publish(&Module::of(json!({}), code)).await;
        let node = json!({
            "node_type": "trigger", "name": "Orders", "trigger_mode": mode, "handler": "ask",
            "output_schema": {
                "type": "object", "properties": { "seen": { "type": "number" } }, "required": ["seen"],
            },
        });
        let mut db = stage.app.databases.postgres.get().await.unwrap();
        let of_extension = extension_versions::table.filter(extension_versions::extension_id.eq(extension));
        let mut manifest: Value =
            of_extension.select(extension_versions::manifest).first(&mut *db).await.unwrap();
        manifest["automation_node"] = node;
        manifest.as_object_mut().unwrap().remove("bot_module");
        update(of_extension).set(extension_versions::manifest.eq(manifest)).execute(&mut *db).await.unwrap();
        let install = stage.add_install(&streamer, extension, &[]).await;
        let (automation, node) = (id::new(), id::new());
        insert_into(automations::table)
            .values((
                automations::id.eq(automation),
                automations::account_id.eq(streamer.person.account_id),
                automations::name.eq("Orders"),
                automations::enabled.eq(true),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        insert_into(registrations::table)
            .values((
                registrations::id.eq(registration),
                registrations::account_id.eq(streamer.person.account_id),
                registrations::automation_id.eq(automation),
                registrations::node_id.eq(node),
                registrations::install_id.eq(install.id),
                registrations::mode.eq(mode),
                registrations::poll_interval_seconds.eq(interval),
                registrations::config.eq(json!({ "shop": "s" })),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        drop(db);
        Self { stage, streamer, install, automation, registration, node }
    }

    async fn state(&self) -> Value {
        registrations::table
            .find(self.registration)
            .select(registrations::state)
            .first(&mut *self.stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// `(dedupe key, status, trigger)` of the automation's runs, oldest first.
    async fn runs(&self) -> Vec<(String, String, Value)> {
        automation_runs::table
            .filter(automation_runs::automation_id.eq(self.automation))
            .order((automation_runs::created_at, automation_runs::id))
            .select((automation_runs::dedupe_key, automation_runs::status, automation_runs::trigger))
            .load(&mut *self.stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// Advances slot by slot until a condition holds.
    async fn pass_until(&self, what: &str, mut is_so: impl AsyncFnMut() -> bool) {
        self.stage
            .eventually(what, async || {
                if is_so().await {
                    return true;
                }
                self.stage.app.clock.advance(chrono::Duration::seconds(10));
                tokio::time::sleep(Duration::from_millis(1200)).await;
                is_so().await
            })
            .await;
    }

    /// Number of finished trigger jobs.
    fn finished_jobs(&self) -> i64 {
        let figures = self.stage.worker.context.metrics.render().unwrap();
        let done = figures.lines().find(|line| {
            line.starts_with("lumio_jobs_total{")
                && line.contains("outcome=\"done\"")
                && line.contains("queue=\"automation_triggers\"")
        });
        done.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
    }

    /// Adds the job of a delivery, as the outbox does.
    async fn enqueue(&self, body: Value) {
        let occurrence = format!("webhook:{}", id::new());
        let source = TriggerSource::Webhook { body, headers: serde_json::Map::new() };
        let job = RunAutomationTrigger {
            registration_id: self.registration,
            occurrence: occurrence.clone(),
            source,
            slot: None,
        };
        assert!(self.stage.app.state.jobs.enqueue(&job, &occurrence).await.unwrap(), "a job of its own");
    }

    /// Adds the job of a poll for a slot.
    async fn enqueue_poll(&self, begins_at: i64, ends_at: i64) {
        let occurrence = format!("poll:{}:{begins_at}", self.registration);
        let job = RunAutomationTrigger {
            registration_id: self.registration,
            occurrence: occurrence.clone(),
            source: TriggerSource::Poll,
            slot: Some(PollSlot { begins_at, ends_at }),
        };
        assert!(self.stage.app.state.jobs.enqueue(&job, &occurrence).await.unwrap(), "a job of its own");
    }

    async fn run_sql(&self, statement: &str) {
        let mut db = self.stage.app.databases.postgres.get().await.unwrap();
        diesel::sql_query(statement).execute(&mut *db).await.unwrap();
    }

    async fn redis(&self, command: &str, key: &str, value: Option<&str>) {
        let redis = &self.stage.app.state.redis;
        let mut connection = redis.get().await.unwrap();
        let mut command = redis::cmd(command);
        command.arg(redis.key(key)).arg(value);
        command.query_async::<()>(&mut *connection).await.unwrap();
    }

    /// Number of slots with an outcome.
    fn polled(&self, outcome: &str) -> i64 {
        self.stage.figure("lumio_automation_polls_total", &format!("\"{outcome}\""))
    }

    /// Number of calls as the state of a handler that counts them has it, and as it is measured.
    async fn calls(&self) -> (i64, i64) {
        (self.state().await["seen"].as_i64().unwrap_or(0), self.polled("called"))
    }

    fn refused(&self, reason: &str) -> i64 {
        self.stage.figure("lumio_runtime_refusals_total", reason)
    }

    /// Sends a delivery to the trigger's webhook with the owner's settings.
    async fn deliver(&self, body: &Value) -> Answer {
        let path = format!("/v1/automation/webhooks/{}/{}", self.install.id, self.automation);
        let webhook = self.streamer.person.get(&path).await.data().clone();
        let url = webhook["webhook_url"].as_str().unwrap();
        let path = &url[url.find("/v1/").unwrap()..];
        let anonymous = self.stage.app.anonymous();
        let request = anonymous
            .request(Method::POST, path)
            .header("X-Webhook-Secret", webhook["webhook_secret"].as_str().unwrap())
            .header("X-Shop-Topic", "orders")
            .header("Authorization", "Bearer of-somebody-else")
            .json(body);
        anonymous.send(request).await
    }
}

/// Counts the calls in its state and never fires.
const POLLED: &str = "export const ask = async (ctx, input) => {
    const seen = (input.state?.seen ?? 0) + 1;
    return { fired: false, state: { seen } };
}";

/// Counts the calls in its state and fires from the second on.
const COUNTING: &str = "export const ask = async (ctx, input) => {
    const seen = (input.state?.seen ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { fired: seen > 1, output: { seen, source: input.source, shop: input.config.shop, word: ctx.config.word,
        surface: ctx.auth.surface }, state: { seen } };
}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_by_polling_keep_state_and_fire_once_a_slot() {
    let scene = Scene::set("polling", COUNTING).await;
    let mut config = scene.stage.app.config();
    config.workers.system_key = Some(Secret::new(scene.stage.app.system_key().await.token()).into());
    config.workers.engine_dir = scene.stage.worker.context.config.workers.engine_dir.clone();
    config.workers.feed_poll_secs = 1;
    let clock = scene.stage.app.clock.clone();
    let second = lumio_worker::start_with(config, clock, &[Daemon::ExtensionRuntime]).await.unwrap();
    scene
        .pass_until("it was polled three times", async || scene.state().await["seen"].as_i64() >= Some(3))
        .await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let (state, runs) = (scene.state().await, scene.runs().await);
    assert_eq!(
        state["seen"].as_u64().unwrap(),
        runs.len() as u64 + 1,
        "each question but the first fired once"
    );
    let (key, status, trigger) = &runs[0];
    assert!(key.starts_with(&format!("poll:{}:", scene.registration)), "{key}");
    assert_eq!(status, "queued");
    let payload =
        json!({ "seen": 2, "source": "poll", "shop": "s", "word": "default word", "surface": "automation" });
    assert_eq!(*trigger, json!({ "node_id": scene.node, "type": "extension", "payload": payload }));
    let seen: Vec<&Value> = runs.iter().map(|(_, _, trigger)| &trigger["payload"]["seen"]).collect();
    assert!(seen.windows(2).all(|pair| pair[0].as_u64() < pair[1].as_u64()), "{seen:?}");
    second.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_by_webhook_get_the_body_without_credentials() {
    let code = "export const ask = async (ctx, input) => ({
        fired: true, output: { seen: input.body.total, topic: input.headers['x-shop-topic'],
            secrets: Object.keys(input.headers).filter((name) => ['authorization', 'x-webhook-secret'].includes(name)),
            source: input.source } })";
    let scene = Scene::set("webhook", code).await;
    let app = &scene.stage.app;
    let relay = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox]).await.unwrap();
    scene.deliver(&json!({ "total": 7 })).await.expect(200);
    scene.stage.eventually("the run is there", async || scene.runs().await.len() == 1).await;
    let (key, status, trigger) = scene.runs().await.remove(0);
    assert!(key.starts_with("webhook:") && status == "queued", "{key} {status}");
    let payload = json!({ "seen": 7, "topic": "orders", "secrets": [], "source": "webhook" });
    assert_eq!(trigger["payload"], payload);
    // Two deliveries are two runs, also of the same body.
    scene.deliver(&json!({ "total": 7 })).await.expect(200);
    scene.stage.eventually("the second run is there", async || scene.runs().await.len() == 2).await;
    relay.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_handle_deliveries_in_sequence() {
    let scene = Scene::set("webhook", COUNTING).await;
    let app = &scene.stage.app;
    let relay = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox]).await.unwrap();
    for _ in 0..5 {
        scene.deliver(&json!(null)).await.expect(200);
    }
    scene.stage.eventually("all are asked", async || scene.state().await["seen"] == 5).await;
    scene.stage.eventually("all but the first fired", async || scene.runs().await.len() == 4).await;
    relay.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_of_both_modes_fire_by_polls_and_webhooks() {
    let code = "export const ask = async (ctx, input) => ({
        fired: true, output: { seen: input.source === 'poll' ? 1 : 2 } })";
    let scene = Scene::set("both", code).await;
    scene.enqueue(json!({ "total": 7 })).await;
    let fired =
        async |seen: i64| scene.runs().await.iter().any(|(_, _, trigger)| trigger["payload"]["seen"] == seen);
    scene.stage.eventually("the webhook fired", async || fired(2).await).await;
    scene.pass_until("a poll fired", async || fired(1).await).await;
    let runs = scene.runs().await;
    let keys: Vec<&str> = runs.iter().map(|(key, _, _)| key.split(':').next().unwrap_or_default()).collect();
    assert_eq!(keys.iter().filter(|key| **key == "webhook").count(), 1, "{keys:?}");
}
