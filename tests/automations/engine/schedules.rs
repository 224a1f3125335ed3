//! Schedule triggers (reference/automations.md#schedules).

use automation_model::schedule::next_after;
use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc, Weekday};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};
use shared::clock::rfc3339;
use uuid::Uuid;

use super::stage::{Draft, Stage, eventually};

#[derive(QueryableByName)]
struct Scheduled {
    #[diesel(sql_type = Jsonb)]
    trigger: Value,
    #[diesel(sql_type = Text)]
    dedupe_key: String,
}

#[derive(QueryableByName)]
struct Next {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    next_run_at: Option<DateTime<Utc>>,
}

async fn runs(stage: &Stage) -> Vec<Scheduled> {
    sql_query("SELECT trigger, dedupe_key FROM automation_runs ORDER BY created_at, dedupe_key")
        .load(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn next(stage: &Stage, automation: Uuid) -> Option<DateTime<Utc>> {
    let found: Next = sql_query("SELECT next_run_at FROM automations WHERE id = $1")
        .bind::<SqlUuid, _>(automation)
        .get_result(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    found.next_run_at
}

async fn due(stage: &Stage, automation: Uuid, at: DateTime<Utc>) {
    sql_query("UPDATE automations SET next_run_at = $2 WHERE id = $1")
        .bind::<SqlUuid, _>(automation)
        .bind::<Timestamptz, _>(at)
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Next change of the clock in Berlin in a month, which is at 01:00 UTC of the last Sunday of March and October.
fn change_of_the_clock(month: u32, after: DateTime<Utc>) -> DateTime<Utc> {
    let in_year = |year: i32| {
        let days = (25..=31).filter_map(|day| NaiveDate::from_ymd_opt(year, month, day));
        let sunday = days.into_iter().find(|day| day.weekday() == Weekday::Sun).unwrap();
        sunday.and_hms_opt(1, 0, 0).unwrap().and_utc()
    };
    [in_year(after.year()), in_year(after.year() + 1)]
        .into_iter()
        .find(|at| *at > after + TimeDelta::days(1))
        .unwrap()
}

#[tokio::test]
async fn schedule_in_the_time_zone_of_the_account_runs_once_at_each_change_of_the_clock() {
    const CRON: &str = "30 2 * * *";
    let stage = Stage::new().await;
    let berlin = json!({ "timezone": "Europe/Berlin" });
    stage.owner.patch("/v1/settings", berlin).await.expect(200);
    let draft = Draft::of("schedule", json!({ "cron": CRON }));
    let automation = stage.automation(&draft).await;
    let spring = change_of_the_clock(3, stage.app.clock.now());
    let autumn = change_of_the_clock(10, spring);
    let minutes = TimeDelta::minutes;
    let running = stage.workers().await;
    let mut started = 0;
    for (first, following) in [
        // 02:30 is left out, and 03:00 runs. On the next day it is in summer time.
        (spring, spring + minutes(23 * 60 + 30)),
        // 02:30 comes twice, and the first one runs. The next one is that of the next day.
        (autumn - minutes(30), autumn + minutes(24 * 60 + 30)),
    ] {
        let zone = "Europe/Berlin".parse().unwrap();
        assert_eq!(next_after(CRON, zone, first - minutes(90)).unwrap(), Some(first));
        due(&stage, automation, first).await;
        let clock = &stage.app.clock;
        clock.advance(first + minutes(1) - clock.now());
        started += 1;
        eventually("the run starts", async || runs(&stage).await.len() == started).await;
        let run = runs(&stage).await.remove(started - 1);
        assert_eq!(run.trigger["type"], "schedule");
        assert_eq!(run.trigger["node_id"], json!(draft.trigger));
        assert_eq!(run.trigger["payload"]["scheduled_at"], json!(rfc3339(first)));
        assert_eq!(run.dedupe_key, format!("schedule:{}:{}", draft.trigger, first.timestamp() / 60));
        eventually("the next time is set", async || next(&stage, automation).await == Some(following)).await;
    }
    stage.end(running).await;
}

#[tokio::test]
async fn schedule_uses_the_time_zone_of_the_account() {
    let stage = Stage::new().await;
    let tokyo = json!({ "timezone": "Asia/Tokyo" });
    stage.owner.patch("/v1/settings", tokyo).await.expect(200);
    let draft = Draft::of("schedule", json!({ "cron": "0 12 * * *" }));
    let automation = stage.automation(&draft).await;
    // Due by the zone that the account had before.
    due(&stage, automation, stage.app.clock.now() - TimeDelta::seconds(1)).await;
    let running = stage.workers().await;
    eventually("the next time is noon in Tokyo", async || {
        let next = next(&stage, automation).await.unwrap();
        next > stage.app.clock.now() && next.format("%H:%M").to_string() == "03:00"
    })
    .await;
    stage.end(running).await;
}

#[tokio::test]
async fn schedule_makes_up_once_for_minutes_without_a_copy() {
    let stage = Stage::new().await;
    let mut draft = Draft::of("schedule", json!({ "cron": "* * * * *" }));
    draft.notify(draft.trigger, "out", "scheduled");
    let automation = stage.automation(&draft).await;
    let began = stage.app.clock.now();
    due(&stage, automation, began - TimeDelta::hours(2)).await;
    let running = stage.workers().await;
    eventually("the run has ended", async || {
        stage.count("automation_runs WHERE status = 'succeeded'").await >= 1
    })
    .await;
    assert!(next(&stage, automation).await.unwrap() > began);
    let missed = runs(&stage).await.into_iter().filter(|run| {
        let at: DateTime<Utc> = run.trigger["payload"]["scheduled_at"].as_str().unwrap().parse().unwrap();
        at <= began
    });
    assert_eq!(missed.count(), 1);
    stage.end(running).await;
}

#[tokio::test]
async fn schedule_of_an_automation_with_several_nodes_starts_those_that_are_due() {
    let stage = Stage::new().await;
    let mut draft = Draft::of("schedule", json!({ "cron": "* * * * *" }));
    let yearly = draft.alone("schedule", json!({ "cron": "0 0 1 1 *" }));
    let automation = stage.automation(&draft).await;
    let began = stage.app.clock.now();
    due(&stage, automation, began - TimeDelta::minutes(2)).await;
    let running = stage.workers().await;
    eventually("a run starts", async || !runs(&stage).await.is_empty()).await;
    let first = next(&stage, automation).await.unwrap();
    assert!(first <= stage.app.clock.now() + TimeDelta::minutes(1), "the earliest of both: {first}");
    assert!(runs(&stage).await.iter().all(|run| run.trigger["node_id"] != json!(yearly)));
    stage.end(running).await;
}

#[tokio::test]
async fn schedule_starts_nothing_while_automations_are_switched_off() {
    let stage = Stage::new().await;
    let draft = Draft::of("schedule", json!({ "cron": "0 0 * * *" }));
    let automation = stage.automation(&draft).await;
    stage.app.override_feature(stage.owner.account_id, "feature:automations", false).await;
    let began = stage.app.clock.now();
    due(&stage, automation, began - TimeDelta::days(2)).await;
    let running = stage.workers().await;
    eventually("the next time is set", async || next(&stage, automation).await.unwrap() > began).await;
    assert_eq!(runs(&stage).await.len(), 0);
    stage.end(running).await;
}

#[tokio::test]
async fn update_account_settings_moves_the_next_times_by_the_new_time_zone() {
    const NOON: &str = "0 12 * * *";
    let stage = Stage::new().await;
    let now = stage.app.clock.now();
    let at_noon = |timezone: &str| next_after(NOON, timezone.parse().unwrap(), now).unwrap();
    let of_account = stage.automation(&Draft::of("schedule", json!({ "cron": NOON }))).await;
    let mut both = Draft::of("schedule", json!({ "cron": NOON }));
    both.alone("schedule", json!({ "cron": NOON, "timezone": "Europe/Berlin" }));
    let mixed = stage.automation(&both).await;
    let own = Draft::of("schedule", json!({ "cron": NOON, "timezone": "Europe/Berlin" }));
    let of_node = stage.automation(&own).await;
    let disabled = stage.automation(&Draft::of("schedule", json!({ "cron": NOON }))).await;
    let overdue = stage.automation(&Draft::of("schedule", json!({ "cron": NOON }))).await;
    let other = stage.another().await;
    let foreign =
        stage.automation_of(other.account_id, &Draft::of("schedule", json!({ "cron": NOON }))).await;
    let utc = at_noon("UTC").unwrap();
    for automation in [of_account, mixed, foreign] {
        due(&stage, automation, utc).await;
    }
    due(&stage, of_node, at_noon("Europe/Berlin").unwrap()).await;
    due(&stage, overdue, now - TimeDelta::seconds(1)).await;
    Stage::execute(&stage, "UPDATE automations SET enabled = false WHERE id = $1", disabled).await;

    stage.owner.patch("/v1/settings", json!({ "timezone": "Asia/Tokyo" })).await.expect(200);
    assert_eq!(next(&stage, of_account).await, at_noon("Asia/Tokyo"));
    assert_eq!(next(&stage, mixed).await, at_noon("Asia/Tokyo").min(at_noon("Europe/Berlin")));
    assert_eq!(next(&stage, of_node).await, at_noon("Europe/Berlin"));
    assert_eq!(next(&stage, disabled).await, None);
    assert!(next(&stage, overdue).await.unwrap() < now, "a due schedule is left to the next claim");
    assert_eq!(next(&stage, foreign).await, Some(utc));
    stage.app.stop().await;
}
