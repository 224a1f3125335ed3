//! Deadline of polls, polls that are skipped, and delays of deliveries over the limit or in a pause
//! (reference/automations.md#polling).

use std::time::Duration;

use serde_json::json;

use super::{POLLED, Scene};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_stop_a_poll_after_ten_seconds() {
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
async fn automation_triggers_delay_deliveries_over_the_limit_or_in_a_pause() {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_skip_polls_whose_next_slot_has_begun() {
    let scene = Scene::set_in_a_slot(POLLED).await;
    let ((seen, called), late) = (scene.calls().await, scene.polled("late"));
    let now = scene.stage.app.clock.now().timestamp();
    // Slots that piled up while the runtime was short of time, and the present one.
    for slot in 1..=5 {
        let begins_at = now - 30 * slot - 5;
        scene.enqueue_poll(begins_at, begins_at + 30).await;
    }
    scene.stage.eventually("those of the past are skipped", async || scene.polled("late") == late + 5).await;
    assert_eq!(scene.calls().await, (seen, called), "none was called");
    scene.enqueue_poll(now - 5, now + 3_600).await;
    scene.stage.eventually("it is called", async || scene.calls().await == (seen + 1, called + 1)).await;
    let figures = scene.stage.worker.context.metrics.render().unwrap();
    let figure = |series: &str| -> f64 {
        let name = format!("lumio_automation_poll_lateness_seconds_{series}");
        let line = figures.lines().find(|line| line.starts_with(&name)).expect("a series");
        line.rsplit(' ').next().and_then(|text| text.parse().ok()).expect("a figure")
    };
    assert!(figure("count") >= 1.0 && figure("sum") >= 5.0, "one was called five seconds late");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn automation_triggers_skip_polls_in_a_pause() {
    let scene = Scene::set_in_a_slot(POLLED).await;
    let pause = format!("runtime:paused:{}", scene.install.id);
    scene.redis("SET", &pause, Some("1")).await;
    let (before, paused, finished) = (scene.calls().await, scene.polled("paused"), scene.finished_jobs());
    let now = scene.stage.app.clock.now().timestamp();
    scene.enqueue_poll(now - 5, now + 3_600).await;
    scene.stage.eventually("it is skipped", async || scene.polled("paused") == paused + 1).await;
    assert_eq!((scene.calls().await, scene.refused("breaker_open")), (before, paused + 1));
    // The next slot is called; the skipped one is not repeated.
    scene.redis("DEL", &pause, None).await;
    scene.enqueue_poll(now - 4, now + 3_600).await;
    let next = (before.0 + 1, before.1 + 1);
    scene.stage.eventually("the next one is called", async || scene.calls().await == next).await;
    scene.stage.eventually("both jobs end", async || scene.finished_jobs() >= finished + 2).await;
    assert_eq!(scene.calls().await, next);
}
