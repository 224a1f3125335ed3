//! Results of the handlers of trigger nodes, and the state that is kept between two of them
//! (reference/automations.md#trigger-result).

use lumio_worker::Daemon;
use serde_json::{Value, json};

use super::Scene;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_start_nothing_on_empty_or_invalid_results() {
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
        scene.stage.eventually(body, async || scene.finished_jobs() == count).await;
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
async fn automation_triggers_lose_no_event_between_two_attempts() {
    // Each call sees one event more, and fires with those since the last state that was kept.
    let code = "export const ask = async (ctx, input) => {
        const seen = await ctx.cache.incr('events');
        return { fired: true, output: { seen, from: input.state?.seen ?? 0 }, state: { seen } };
    }";
    let scene = Scene::set("webhook", code).await;
    // The state cannot be written for a while; runs can.
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
