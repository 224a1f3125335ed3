//! Layers that redemptions show or hide (reference/rewards.md#layers).

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use foundation::jobs::{Job, RestoreLayer};
use live_model::rewards::layers;
use lumio_tests::TestApp;
use serde_json::{Value, json};
use shared::schema::outbox;
use uuid::Uuid;

use super::{
    REWARDS, found,
    internal::{Scene, outcome},
    make, make_layer, new,
};

/// Jobs that change a layer back, the earliest first.
async fn restores(app: &TestApp) -> Vec<RestoreLayer> {
    let waiting: Vec<Value> = outbox::table
        .filter(outbox::queue.eq(RestoreLayer::QUEUE))
        .order(outbox::id)
        .select(outbox::payload)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    waiting.into_iter().map(|payload| serde_json::from_value(payload).unwrap()).collect()
}

/// A hidden layer, which rewards show.
struct Shown {
    scene: Scene,
    layer: Uuid,
}

impl Shown {
    async fn start() -> Self {
        let scene = Scene::start().await;
        let layer = make_layer(&scene.app, scene.owner.account_id).await;
        Self { scene, layer }
    }

    /// Redeems a new reward that shows the layer for a time, or for good; returns the id of the reward.
    async fn redeem(&self, title: &str, secs: Option<i32>) -> String {
        self.redeem_with(title, true, secs).await
    }

    /// The same for a reward that shows or hides the layer.
    async fn redeem_with(&self, title: &str, visible: bool, secs: Option<i32>) -> String {
        let action =
            json!({ "type": "layer", "layer_id": self.layer, "visible": visible, "duration_secs": secs });
        let (path, redemption) = self.scene.redeemed(new(title, action)).await;
        let answer = self.scene.system.post(&path, self.scene.report(&redemption)).await;
        assert_eq!(*answer.expect(200), outcome("fulfilled"));
        path.split('/').nth(4).expect("an id").to_owned()
    }

    fn advance(&self, secs: i64) {
        self.scene.app.clock.advance(Duration::seconds(secs));
    }

    /// Shows or hides the layer while no redemption does.
    async fn set_by_itself(&self, visible: bool) {
        let sql = format!("UPDATE overlay_layers SET visible = {visible} WHERE account_id = $1 RETURNING id");
        make(&self.scene.app, self.scene.owner.account_id, &sql).await;
    }

    /// Hides the layer for good as an automation does.
    async fn hide_for_good(&self) {
        let (app, account) = (&self.scene.app, self.scene.owner.account_id);
        let mut db = app.databases.postgres.get().await.unwrap();
        let changed: shared::Result<Option<bool>> = db
            .transaction(async |connection| {
                layers::set_visible(connection, account, self.layer, false, app.clock.now()).await
            })
            .await;
        assert_eq!(changed.unwrap(), Some(true));
    }

    /// Path of the layers of the overlay.
    async fn layers_path(&self) -> String {
        let overlay = found(&self.scene.app, "SELECT id::text AS text FROM overlays").await;
        format!("/v1/overlays/{}/layers", overlay.unwrap())
    }

    /// Input that replaces the layers of the overlay.
    fn replaced(&self, visible: bool) -> Value {
        json!({ "layers": [{ "id": self.layer, "type": "text", "name": "l", "width": 1, "height": 1,
            "visible": visible }] })
    }

    /// Runs a job that changes the layer back; returns whether the layer shows and the version of its overlay.
    async fn restore(&self, job: &RestoreLayer) -> (bool, i64) {
        let (app, now) = (&self.scene.app, self.scene.app.clock.now());
        assert!(job.due_at <= now, "the job is due");
        let mut db = app.databases.postgres.get().await.unwrap();
        let restored: shared::Result<()> =
            db.transaction(async |connection| layers::restore(connection, job, now).await).await;
        restored.unwrap();
        drop(db);
        self.state().await
    }

    async fn state(&self) -> (bool, i64) {
        let visible = found(&self.scene.app, "SELECT visible::text AS text FROM overlay_layers").await;
        let version = found(&self.scene.app, "SELECT version::text AS text FROM overlays").await;
        (visible.unwrap() == "true", version.unwrap().parse().unwrap())
    }
}

#[tokio::test]
async fn internal_redeem_reward_keeps_a_layer_for_the_longer_of_two_times() {
    let shown = Shown::start().await;
    // The clock runs on during each redemption.
    let (clock, mut calls) = (&shown.scene.app.clock, Vec::new());
    for (title, secs) in [("Short", 60), ("Long", 3600), ("Shorter", 30)] {
        let before = clock.now();
        shown.redeem(title, Some(secs)).await;
        calls.push((before..=clock.now(), Duration::seconds(secs.into())));
        shown.advance(10);
    }
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(jobs.iter().map(|job| job.visible).collect::<Vec<_>>(), [false; 3]);
    for (job, (call, duration)) in jobs.iter().zip(&calls) {
        assert!(call.contains(&(job.due_at - *duration)), "{call:?} and {duration}: {}", job.due_at);
    }
    assert_eq!(shown.state().await, (true, 2), "the layer was shown once");
    shown.advance(30);
    assert_eq!(shown.restore(&jobs[0]).await, (true, 2));
    assert_eq!(shown.restore(&jobs[2]).await, (true, 2));
    shown.advance(3600);
    assert_eq!(shown.restore(&jobs[1]).await, (false, 3));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_changes_back_only_what_it_changed() {
    let shown = Shown::start().await;
    // The creator shows the layer for good.
    shown.set_by_itself(true).await;
    for title in ["First", "Second"] {
        shown.redeem(title, Some(60)).await;
        shown.advance(10);
    }
    assert_eq!(restores(&shown.scene.app).await, []);
    assert_eq!(shown.state().await, (true, 1));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_for_good_ends_the_time_of_a_layer() {
    let shown = Shown::start().await;
    shown.redeem("For a time", Some(60)).await;
    shown.advance(10);
    shown.redeem("For good", None).await;
    shown.advance(10);
    shown.redeem("Later", Some(10)).await;
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(jobs.len(), 1, "the last one finds a layer that shows for good");
    shown.advance(60);
    assert_eq!(shown.restore(&jobs[0]).await, (true, 2));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_extends_a_time_whose_job_is_late() {
    let shown = Shown::start().await;
    shown.redeem("First", Some(60)).await;
    shown.advance(61);
    shown.redeem("Second", Some(60)).await;
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(jobs.len(), 2);
    assert_eq!(shown.restore(&jobs[0]).await, (true, 2));
    shown.advance(61);
    assert_eq!(shown.restore(&jobs[1]).await, (false, 3));
    // Nothing waits any more: what shows now stays.
    shown.set_by_itself(true).await;
    shown.redeem("Third", Some(60)).await;
    assert_eq!(restores(&shown.scene.app).await.len(), 2);
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_keeps_times_of_rewards_that_change_or_end() {
    let shown = Shown::start().await;
    let owner = &shown.scene.owner;
    let short = shown.redeem("Short", Some(60)).await;
    let long = shown.redeem("Long", Some(200)).await;
    owner.patch(&format!("{REWARDS}/{short}"), json!({ "action": {} })).await.expect(200);
    owner.delete(&format!("{REWARDS}/{long}")).await.expect(204);
    shown.advance(50);
    shown.redeem("Second", Some(60)).await;
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(jobs.len(), 3, "the last one finds a layer that shows for a time");
    shown.advance(60);
    assert_eq!(shown.restore(&jobs[0]).await, (true, 2));
    assert_eq!(shown.restore(&jobs[2]).await, (true, 2));
    shown.advance(100);
    assert_eq!(shown.restore(&jobs[1]).await, (false, 3));
    // Nothing of these rewards is left: what shows now stays.
    shown.set_by_itself(true).await;
    shown.redeem("Third", Some(60)).await;
    assert_eq!(restores(&shown.scene.app).await.len(), 3);
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_for_good_ends_a_time_of_a_reward_that_has_ended() {
    let shown = Shown::start().await;
    shown.redeem("For a time", Some(60)).await;
    shown.advance(10);
    let good = shown.redeem("For good", None).await;
    shown.scene.owner.delete(&format!("{REWARDS}/{good}")).await.expect(204);
    shown.advance(60);
    let jobs = restores(&shown.scene.app).await;
    assert_eq!((jobs.len(), shown.restore(&jobs[0]).await), (1, (true, 2)));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_changes_a_layer_back_within_another_time() {
    let shown = Shown::start().await;
    shown.redeem("Show", Some(60)).await;
    shown.advance(10);
    shown.redeem_with("Hide", false, Some(20)).await;
    assert_eq!(shown.state().await, (false, 3));
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(jobs.iter().map(|job| job.visible).collect::<Vec<_>>(), [false, true]);
    shown.advance(20);
    assert_eq!(shown.restore(&jobs[1]).await, (true, 4));
    shown.advance(30);
    assert_eq!(shown.restore(&jobs[0]).await, (false, 5));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_changes_a_layer_back_after_the_end_of_its_reward() {
    let shown = Shown::start().await;
    let reward = shown.redeem("Short-lived", Some(60)).await;
    shown.scene.owner.delete(&format!("{REWARDS}/{reward}")).await.expect(204);
    shown.advance(60);
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(shown.restore(&jobs[0]).await, (false, 3));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_leaves_a_layer_as_it_is_by_itself() {
    // After the longer pause the first job is late.
    for (by_itself, pause) in [(true, 10), (false, 10), (true, 30), (false, 30)] {
        let shown = Shown::start().await;
        shown.set_by_itself(by_itself).await;
        shown.redeem_with("Opposite", !by_itself, Some(20)).await;
        shown.advance(pause);
        shown.redeem_with("As by itself", by_itself, Some(60)).await;
        assert_eq!(shown.state().await, (by_itself, 3));
        let jobs = restores(&shown.scene.app).await;
        assert_eq!(jobs.len(), 1, "nothing changes the second redemption back");
        shown.advance(20);
        assert_eq!(shown.restore(&jobs[0]).await, (by_itself, 3));
        // A third redemption finds no time that it would extend.
        shown.redeem_with("Third", by_itself, Some(60)).await;
        assert_eq!(restores(&shown.scene.app).await.len(), 1);
        shown.scene.app.stop().await;
    }
}

#[tokio::test]
async fn internal_redeem_reward_extends_a_time_beyond_the_one_around_it() {
    let shown = Shown::start().await;
    shown.redeem("Show", Some(60)).await;
    shown.advance(10);
    shown.redeem_with("Hide", false, Some(20)).await;
    shown.redeem_with("Hide longer", false, Some(100)).await;
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(jobs.len(), 2, "the layer is hidden by itself when the last redemption ends");
    shown.advance(20);
    assert_eq!(shown.restore(&jobs[1]).await, (false, 3));
    shown.advance(30);
    assert_eq!(shown.restore(&jobs[0]).await, (false, 3));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_ends_a_time_within_one_of_its_kind() {
    let shown = Shown::start().await;
    for (title, visible, secs) in
        [("Show", true, 600), ("Hide", false, 300), ("Show again", true, 50), ("Hide again", false, 50)]
    {
        shown.redeem_with(title, visible, Some(secs)).await;
        shown.advance(10);
    }
    assert_eq!(shown.state().await, (false, 5));
    let jobs = restores(&shown.scene.app).await;
    shown.advance(40);
    assert_eq!(shown.restore(&jobs[2]).await, (false, 5));
    assert_eq!(shown.restore(&jobs[3]).await, (true, 6));
    shown.advance(300);
    assert_eq!(shown.restore(&jobs[1]).await, (true, 6));
    shown.advance(300);
    assert_eq!(shown.restore(&jobs[0]).await, (false, 7));
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn internal_redeem_reward_changes_a_layer_back_when_its_jobs_are_late() {
    let shown = Shown::start().await;
    shown.redeem("Show", Some(60)).await;
    shown.advance(10);
    shown.redeem_with("Hide", false, Some(20)).await;
    shown.advance(60);
    let jobs = restores(&shown.scene.app).await;
    assert_eq!(shown.restore(&jobs[0]).await, (false, 3));
    assert_eq!(shown.restore(&jobs[1]).await, (false, 3), "the layer is hidden by itself");
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn update_overlay_layer_and_other_changes_for_good_end_the_time_of_a_layer() {
    let shown = Shown::start().await;
    let (owner, path) = (&shown.scene.owner, shown.layers_path().await);
    for change in ["PATCH", "PUT", "automation"] {
        shown.redeem(&format!("Long, {change}"), Some(3600)).await;
        shown.advance(10);
        if change == "PATCH" {
            owner.patch(&format!("{path}/{}", shown.layer), json!({ "visible": false })).await.expect(200);
        } else if change == "PUT" {
            owner.put(&path, shown.replaced(false)).await.expect(200);
        } else {
            shown.hide_for_good().await;
        }
        shown.advance(10);
        shown.redeem(&format!("Short, {change}"), Some(50)).await;
        assert!(shown.state().await.0, "{change}");
        shown.advance(50);
        let jobs = restores(&shown.scene.app).await;
        assert!(!shown.restore(jobs.last().unwrap()).await.0, "{change}");
    }
    shown.scene.app.stop().await;
}

#[tokio::test]
async fn update_overlay_layers_and_update_overlay_layer_keep_the_time_of_a_layer_that_they_leave_visible() {
    let shown = Shown::start().await;
    let (owner, path) = (&shown.scene.owner, shown.layers_path().await);
    let layer = format!("{path}/{}", shown.layer);
    shown.redeem("First", Some(60)).await;
    owner.put(&path, shown.replaced(true)).await.expect(200);
    owner.patch(&layer, json!({ "name": "Moved", "x": 5 })).await.expect(200);
    shown.advance(60);
    let jobs = restores(&shown.scene.app).await;
    assert!(!shown.restore(&jobs[0]).await.0);
    // A stated visibility is for good.
    shown.redeem("Second", Some(60)).await;
    owner.patch(&layer, json!({ "visible": true })).await.expect(200);
    shown.advance(60);
    let jobs = restores(&shown.scene.app).await;
    assert!(shown.restore(&jobs[1]).await.0);
    shown.scene.app.stop().await;
}
