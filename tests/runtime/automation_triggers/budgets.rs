//! Polls and webhooks while a budget of handler time is reached (reference/usage.md#stops).

use lumio_worker::Daemon;
use serde_json::json;
use usage_daemons::Rounds;
use usage_model::{Consumer, Counter};
use worker_core::Context;

use super::{POLLED, Scene};

impl Scene {
    /// Uses a second of handler time, which is all that the budget of the extension allows.
    async fn reach_the_budget(&self) {
        let app = &self.stage.app;
        let consumer = Consumer::extension(self.streamer.person.account_id, self.install.extension_id);
        app.state.meter.count(consumer, Counter::HandlerUs, 1_000_000).stored().await;
        let context = Context::new(app.config(), app.clock.clone()).expect("a context");
        let rounds = Rounds::new(&context, Default::default()).expect("the steps");
        rounds.drain().await.expect("the count is moved");
        self.set_budget(1_000, 1).await;
    }

    /// Sets the budget in milliseconds, and waits until the runtime knows this number of stops.
    async fn set_budget(&self, maximum: i64, stops: i64) {
        let budget = json!({
            "unit": "handler_ms", "period": "hour", "maximum": maximum, "extension_id": self.install.extension_id,
        });
        let set = self.streamer.person.put("/v1/usage/budgets", budget).await;
        assert_eq!(set.data()["stopped_until"].is_null(), stops == 0, "{}", set.text);
        self.stage
            .eventually("the runtime reads the stops", async || {
                self.stage.figure("lumio_usage_stops", "") == stops
            })
            .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_drop_deliveries_while_a_budget_is_reached() {
    let code = "export const ask = async (ctx, input) => ({ fired: true, output: { seen: input.body } })";
    let scene = Scene::set("webhook", code).await;
    scene.reach_the_budget().await;
    let app = &scene.stage.app;
    let relay = lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Outbox]).await.unwrap();
    // As with a trigger that is switched off, the sender gets no error, and nothing is repeated.
    for body in [1, 2] {
        scene.deliver(&json!(body)).await.expect(200);
    }
    scene.stage.eventually("both jobs end", async || scene.finished_jobs() == 2).await;
    assert_eq!(scene.refused("budget_reached"), 2);
    assert_eq!(scene.stage.figure("lumio_runtime_invocations_total", "trigger=\"automation\""), 0);
    assert!(scene.runs().await.is_empty());
    let errors = scene.stage.errors(&scene.install, 1).await;
    let (error_type, message) = &errors[0];
    assert_eq!((errors.len(), error_type.as_str()), (1, "USAGE_BUDGET_REACHED"), "{errors:?}");
    assert!(message.starts_with("the budget of handler time is used up until "), "{message}");

    scene.set_budget(1_000_000, 0).await;
    scene.deliver(&json!(3)).await.expect(200);
    scene.stage.eventually("the third is asked", async || scene.finished_jobs() == 3).await;
    let runs = scene.runs().await;
    let seen: Vec<_> = runs.iter().map(|(_, _, trigger)| trigger["payload"]["seen"].as_i64()).collect();
    assert_eq!((seen, scene.refused("budget_reached")), (vec![Some(3)], 2));
    relay.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_skip_polls_while_a_budget_is_reached() {
    let scene = Scene::set_in_a_slot(POLLED).await;
    scene.reach_the_budget().await;
    let (before, skipped) = (scene.calls().await, scene.polled("budget_reached"));
    let now = scene.stage.app.clock.now().timestamp();
    scene.enqueue_poll(now - 5, now + 3_600).await;
    scene.stage.eventually("it is skipped", async || scene.polled("budget_reached") == skipped + 1).await;
    assert_eq!((scene.calls().await, scene.refused("budget_reached")), (before, skipped + 1));
    let errors = scene.stage.errors(&scene.install, 1).await;
    assert!(errors.iter().all(|(error_type, _)| error_type == "USAGE_BUDGET_REACHED"), "{errors:?}");

    scene.set_budget(1_000_000, 0).await;
    scene.enqueue_poll(now - 4, now + 3_600).await;
    let next = (before.0 + 1, before.1 + 1);
    scene.stage.eventually("the next one is called", async || scene.calls().await == next).await;
    assert_eq!(scene.polled("budget_reached"), skipped + 1);
}
