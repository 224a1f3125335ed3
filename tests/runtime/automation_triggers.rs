//! Trigger nodes of automations (specification B §4.4, C B3.4, B9.3): polls and webhooks reach the node's handler, and
//! what it fires is a run.

use std::time::Duration;

use diesel::{insert_into, prelude::*, update};
use diesel_async::RunQueryDsl;
use lumio_tests::Answer;
use lumio_worker::Daemon;
use reqwest::Method;
use serde_json::{Value, json};
use shared::{
    config::Config,
    db::schema::{
        automation_runs, automation_trigger_registrations as registrations, automations, extension_installs,
        extension_versions,
    },
    id,
    jobs::{RunAutomationTrigger, TriggerSource},
    secret::Secret,
};
use uuid::Uuid;

use super::stage::{Installed, Module, Stage, Streamer};

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

    /// With other settings for the worker.
    async fn set_with(mode: &str, code: &str, change: impl FnOnce(&mut Config)) -> Self {
        let stage = Stage::start_with(|config| {
            config.workers.feed_poll_secs = 1;
            change(config);
        })
        .await;
        let streamer = stage.streamer().await;
        let extension = stage.publish(&Module::of(json!({}), code)).await;
        let node = json!({
            "node_type": "trigger", "name": "Orders", "trigger_mode": mode, "handler": "ask",
            "output_schema": {
                "type": "object", "properties": { "seen": { "type": "number" } }, "required": ["seen"],
            },
        });
        let mut db = stage.app.state.databases.postgres.get().await.unwrap();
        let of_extension = extension_versions::table.filter(extension_versions::extension_id.eq(extension));
        let mut manifest: Value =
            of_extension.select(extension_versions::manifest).first(&mut *db).await.unwrap();
        manifest["automation_node"] = node;
        manifest.as_object_mut().unwrap().remove("bot_module");
        update(of_extension).set(extension_versions::manifest.eq(manifest)).execute(&mut *db).await.unwrap();
        let install = stage.add_install(&streamer, extension, &[]).await;
        let (automation, registration, node) = (id::new(), id::new(), id::new());
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
                registrations::poll_interval_seconds.eq(10),
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
            .first(&mut *self.stage.app.state.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// `(dedupe key, status, trigger)` of the automation's runs, oldest first.
    async fn runs(&self) -> Vec<(String, String, Value)> {
        automation_runs::table
            .filter(automation_runs::automation_id.eq(self.automation))
            .order((automation_runs::created_at, automation_runs::id))
            .select((automation_runs::dedupe_key, automation_runs::status, automation_runs::trigger))
            .load(&mut *self.stage.app.state.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// Lets slots pass until something is so.
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

    /// The jobs of triggers that were done.
    fn asked(&self) -> i64 {
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
        let occasion = format!("webhook:{}", id::new());
        let source = TriggerSource::Webhook { body, headers: serde_json::Map::new() };
        let job =
            RunAutomationTrigger { registration_id: self.registration, occasion: occasion.clone(), source };
        assert!(self.stage.app.state.jobs.enqueue(&job, &occasion).await.unwrap(), "a job of its own");
    }

    async fn run_sql(&self, statement: &str) {
        let mut db = self.stage.app.state.databases.postgres.get().await.unwrap();
        diesel::sql_query(statement).execute(&mut *db).await.unwrap();
    }

    async fn redis(&self, command: &str, key: &str, value: Option<&str>) {
        let redis = &self.stage.app.state.redis;
        let mut connection = redis.get().await.unwrap();
        let mut command = redis::cmd(command);
        command.arg(redis.key(key)).arg(value);
        command.query_async::<()>(&mut *connection).await.unwrap();
    }

    fn refused(&self, reason: &str) -> i64 {
        self.stage.figure("lumio_runtime_refusals_total", reason)
    }

    /// Sends a delivery to the trigger's webhook as its owner is told to.
    async fn deliver(&self, body: &Value) -> Answer {
        let path = format!("/v1/automation/webhooks/{}/{}", self.install.id, self.automation);
        let webhook = self.streamer.person.get(&path).await.data().clone();
        let url = webhook["webhook_url"].as_str().unwrap();
        let path = &url[url.find("/v1/").unwrap()..];
        let nobody = self.stage.app.anonymous();
        let request = nobody
            .request(Method::POST, path)
            .header("X-Webhook-Secret", webhook["webhook_secret"].as_str().unwrap())
            .header("X-Shop-Topic", "orders")
            .header("Authorization", "Bearer of-somebody-else")
            .json(body);
        nobody.send(request).await
    }
}

/// Counts the questions in its state and fires from the second on.
const COUNTING: &str = "export const ask = async (ctx, input) => {
    const seen = (input.state?.seen ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { fired: seen > 1, output: { seen, source: input.source, shop: input.config.shop, word: ctx.config.word,
        surface: ctx.auth.surface }, state: { seen } };
}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_polled_trigger_keeps_its_state_and_fires_once_a_slot_whatever_the_number_of_workers() {
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
async fn a_webhook_reaches_the_handler_with_its_body_and_without_credentials() {
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
async fn deliveries_of_one_trigger_are_asked_one_after_the_other() {
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
async fn answers_that_say_nothing_or_nonsense_start_nothing() {
    let code = "export const ask = async (ctx, input) => {
        if (input.body === 'null') return null;
        if (input.body === 'quiet') return { fired: false, output: { seen: 1 } };
        if (input.body === 'number') return 5;
        if (input.body === 'empty') return { fired: true };
        if (input.body === 'misfit') return { fired: true, output: { seen: 'many' } };
        if (input.body === 'large') return { fired: false, state: 'x'.repeat(70 * 1024) };
        throw new TypeError('broken');
    }";
    let scene = Scene::set("webhook", code).await;
    let app = &scene.stage.app;
    let relay = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox]).await.unwrap();
    let asked = async |body: &str, count: i64| {
        scene.deliver(&json!(body)).await.expect(200);
        scene.stage.eventually(body, async || scene.asked() == count).await;
    };
    asked("null", 1).await;
    asked("quiet", 2).await;
    assert!(scene.stage.errors_now(&scene.install).await.is_empty());
    for (index, (body, error)) in [
        ("number", "InvalidResult"),
        ("empty", "InvalidResult"),
        ("misfit", "OUTPUT_SCHEMA_MISMATCH"),
        ("large", "INVALID_STATE"),
        ("throw", "TypeError"),
    ]
    .into_iter()
    .enumerate()
    {
        asked(body, 3 + i64::try_from(index).unwrap()).await;
        let errors = scene.stage.errors(&scene.install, index + 1).await;
        let types: Vec<&str> = errors.iter().map(|(error_type, _)| error_type.as_str()).collect();
        assert!(types.contains(&error), "{body}: {errors:?}");
    }
    assert!(scene.runs().await.is_empty());
    assert_eq!(scene.state().await, Value::Null);
    relay.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_ends_after_ten_seconds() {
    let code = "export const ask = async () => {
        await new Promise((resolve) => setTimeout(resolve, 15000));
        return { fired: true, output: { seen: 1 } };
    }";
    let scene = Scene::set("polling", code).await;
    let began = std::time::Instant::now();
    let is_cut_off = async || {
        scene.stage.errors_now(&scene.install).await.iter().any(|(error_type, _)| error_type == "TIMEOUT")
    };
    while !is_cut_off().await {
        assert!(began.elapsed() < Duration::from_secs(60), "it was not cut off");
        scene.stage.app.clock.advance(chrono::Duration::seconds(10));
        tokio::time::sleep(Duration::from_millis(1200)).await;
    }
    assert!(scene.runs().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_switched_off_is_not_asked() {
    let scene = Scene::set("both", COUNTING).await;
    let app = &scene.stage.app;
    let relay = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox]).await.unwrap();
    scene.deliver(&json!(1)).await.expect(200);
    scene.stage.eventually("it is asked", async || scene.state().await["seen"].is_number()).await;
    let install = extension_installs::table.find(scene.install.id);
    update(install)
        .set(extension_installs::killed_at.eq(app.clock.now()))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    // What was being asked at that moment ends.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = (scene.state().await, scene.runs().await);
    scene.deliver(&json!(2)).await.expect(200);
    app.clock.advance(chrono::Duration::seconds(60));
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!((scene.state().await, scene.runs().await), before);
    relay.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_version_is_not_asked_by_a_worker_that_has_its_code() {
    let scene = Scene::set("webhook", COUNTING).await;
    let app = &scene.stage.app;
    scene.enqueue(json!(1)).await;
    scene.stage.eventually("it is asked", async || scene.state().await["seen"].is_number()).await;
    let version: Uuid = extension_versions::table
        .filter(extension_versions::extension_id.eq(scene.install.extension_id))
        .select(extension_versions::id)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let reviewer = app.admin_with(&["extension-review:edit"]).await;
    let path = format!("/v1/admin/extension-versions/{version}/revoke");
    reviewer.post(&path, json!({ "reason": "Unsafe" })).await.data();
    // What was being asked at that moment ends.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (before, refused) = ((scene.state().await, scene.runs().await), scene.refused("disabled"));
    for body in 0..3 {
        scene.enqueue(json!(body)).await;
    }
    scene.stage.eventually("the jobs are refused", async || scene.refused("disabled") >= refused + 3).await;
    assert_eq!((scene.state().await, scene.runs().await), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_between_two_attempts_is_in_a_run() {
    // Each question sees one event more, and fires with those since the last that was kept.
    let code = "export const ask = async (ctx, input) => {
        const seen = await ctx.cache.incr('events');
        return { fired: true, output: { seen, from: input.state?.seen ?? 0 }, state: { seen } };
    }";
    let scene = Scene::set("webhook", code).await;
    // The state cannot be written for a while; runs could.
    scene
        .run_sql(
            "CREATE FUNCTION refuse_state() RETURNS trigger LANGUAGE plpgsql
             AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$",
        )
        .await;
    scene
        .run_sql(
            "CREATE TRIGGER refuse_state BEFORE UPDATE OF state ON automation_trigger_registrations
             FOR EACH ROW EXECUTE FUNCTION refuse_state()",
        )
        .await;
    scene.enqueue(json!(1)).await;
    let asked = || scene.stage.figure("lumio_runtime_invocations_total", "trigger=\"automation\"");
    scene.stage.eventually("it was asked twice in vain", async || asked() >= 2).await;
    assert_eq!(scene.state().await, Value::Null);
    scene.run_sql("DROP TRIGGER refuse_state ON automation_trigger_registrations").await;
    scene.stage.eventually("the run is there", async || scene.runs().await.len() == 1).await;
    scene.enqueue(json!(2)).await;
    scene.stage.eventually("the next run is there", async || scene.runs().await.len() == 2).await;
    let state = scene.state().await;
    let mut known = json!(0);
    for (_, _, trigger) in scene.runs().await {
        assert_eq!(trigger["payload"]["from"], known, "no event falls between two runs");
        known = trigger["payload"]["seen"].clone();
    }
    assert_eq!(state["seen"], known);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_waits_for_the_next_minute_and_for_the_end_of_a_pause() {
    let code = "export const ask = async (ctx, input) => ({ fired: true, output: { seen: input.body } })";
    let scene =
        Scene::set_with("webhook", code, |config| config.workers.runtime_invocations_per_minute = 2).await;
    scene.stage.app.begin_a_window(60);
    for body in 0..3 {
        scene.enqueue(json!(body)).await;
    }
    scene.stage.eventually("one is too many", async || scene.refused("rate_limited") > 0).await;
    scene.stage.eventually("two are asked", async || scene.runs().await.len() == 2).await;
    scene.stage.app.clock.advance(chrono::Duration::seconds(60));
    scene.stage.eventually("the third is asked", async || scene.runs().await.len() == 3).await;

    let pause = format!("runtime:paused:{}", scene.install.id);
    scene.redis("SET", &pause, Some("1")).await;
    scene.enqueue(json!(3)).await;
    scene.stage.eventually("it is paused", async || scene.refused("breaker_open") > 0).await;
    assert_eq!(scene.runs().await.len(), 3);
    scene.stage.app.clock.advance(chrono::Duration::seconds(60));
    scene.redis("DEL", &pause, None).await;
    scene.stage.eventually("the fourth is asked", async || scene.runs().await.len() == 4).await;
    let mut seen: Vec<i64> =
        scene.runs().await.iter().filter_map(|(_, _, trigger)| trigger["payload"]["seen"].as_i64()).collect();
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3], "each once");
}
