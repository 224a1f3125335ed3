//! Reports of sessions: every part of one, when they are made again, and erasure from them.

mod generated;
mod plans;
mod scene;
mod stage;

use chrono::Duration;
use diesel_async::SimpleAsyncConnection;
use history_model::report::{self, Report};
use lumio_tests::eventually;
use serde_json::{Value, json};
use uuid::Uuid;

use scene::{chatters, expected, plant};
use stage::{PlantedSession, Postgres, Stage, Timeseries};

/// Switches the storing of chat off for an account.
async fn store_no_chat(stage: &Stage, account: Uuid) {
    let sql = "INSERT INTO account_settings (account_id, locale, timezone, currency, command_prefix,
            chat_default_platforms, chat_show_timestamps, chat_highlight_mentions, chat_font_size, alerts_muted,
            alerts_volume, store_chat, store_user_profiles)
        SELECT $1, 'en', 'UTC', 'EUR', '!', '{}', true, true, 14, false, 50, false, true";
    stage.run(Postgres, sql, account, Value::Null).await;
}

async fn public_stream(stage: &Stage, broadcast: &str) -> Value {
    let sql = format!(
        "SELECT to_jsonb(s) AS found FROM public_streams s WHERE broadcast_id = '{broadcast}' AND $1 IS NOT NULL"
    );
    stage.find(Postgres, &sql, Uuid::nil()).await
}

async fn emotes_of(stage: &Stage, channel: &str) -> Value {
    let sql = format!(
        "SELECT jsonb_object_agg(emote_id, uses) AS found FROM (
            SELECT emote_id, sum(usage_count) AS uses FROM public_emote_days WHERE platform_channel_id = '{channel}'
            GROUP BY emote_id) AS days WHERE $1 IS NOT NULL"
    );
    stage.find(Postgres, &sql, Uuid::nil()).await
}

#[tokio::test]
async fn report_is_stored_with_every_part() {
    let stage = Stage::new().await;
    let accounts = [
        stage.app.owner().await.account_id,
        stage.app.owner().await.account_id,
        stage.app.owner().await.account_id,
    ];
    let [_whole, unstored, hidden] = accounts;
    store_no_chat(&stage, unstored).await;
    let hide = "INSERT INTO public_channel_settings (account_id, platform, platform_channel_id, is_public)
        SELECT $1, platform, 'c-' || platform || '-hidden', false FROM unnest(ARRAY['twitch', 'youtube']) AS platform";
    stage.run(Postgres, hide, hidden, Value::Null).await;
    let mut sessions = Vec::new();
    for (account, name) in accounts.into_iter().zip(["whole", "unstored", "hidden"]) {
        sessions.push(plant(&stage, account, name).await);
    }
    assert_eq!(stage.make_all().await, 3);

    let [of_whole, of_unstored, of_hidden] = &sessions[..] else { panic!("three sessions") };
    let report = expected(&stage, of_whole, "whole");
    assert_eq!(stage.stored(of_whole.id).await, report);
    assert_eq!(stage.stored(of_hidden.id).await, expected(&stage, of_hidden, "hidden"));
    let mut nameless = expected(&stage, of_unstored, "unstored");
    nameless["top_chatters"] = json!([]);
    assert_eq!(stage.stored(of_unstored.id).await, nameless);

    // What a report builds without storing is the same; a shared one has no ids of chatters.
    let built: Report = stage.build(of_whole.id).await.unwrap();
    assert_eq!(serde_json::to_value(&built).unwrap(), report);
    let shared = serde_json::to_value(built.clone().shared()).unwrap();
    assert!(shared["top_chatters"].as_array().unwrap().iter().all(|one| one["platform_user_id"].is_null()));
    assert_eq!(shared["top_chatters"][0]["username"], "name-ada");
    assert_eq!(serde_json::from_value::<Report>(report).unwrap(), built);
    assert_eq!(stage.build(Uuid::now_v7()).await, None);

    let row = stage.session(of_whole.id).await;
    for (column, value) in [
        ("duration_secs", json!(7200)),
        ("peak_viewers", json!(200)),
        ("avg_viewers", json!(142.5)),
        ("total_messages", json!(8)),
        ("unique_chatters", json!(5)),
        ("new_followers", json!(4)),
        ("new_subscribers", json!(4)),
        ("report_due_at", Value::Null),
    ] {
        assert_eq!(row[column], value, "{column}");
    }
    let broadcasts =
        "SELECT jsonb_agg(jsonb_build_array(peak_viewers, avg_viewers) ORDER BY platform) AS found
        FROM stream_broadcasts WHERE session_id = $1::uuid";
    assert_eq!(stage.find(Postgres, broadcasts, of_whole.id).await, json!([[200, 150], [70, 60]]));
    public_figures(&stage).await;
    stage.app.stop().await;
}

/// Figures of the channels that are not hidden.
async fn public_figures(stage: &Stage) {
    let twitch = public_stream(stage, "b-twitch-whole").await;
    for (column, value) in [
        ("platform_channel_id", json!("c-twitch-whole")),
        ("source", json!("first_party")),
        ("duration_secs", json!(7200)),
        ("peak_viewers", json!(200)),
        ("total_messages", json!(5)),
        ("emote_count", json!(5)),
        ("gif_count", json!(3)),
    ] {
        assert_eq!(twitch[column], value, "{column}");
    }
    let ids = |list: &Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|one| one["platform_user_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&twitch["top_chatters"]), ["ada", "bob"]);
    assert_eq!(twitch["top_emotes"][0]["count"], 4);
    let youtube = public_stream(stage, "b-youtube-whole").await;
    assert_eq!((&youtube["total_messages"], &youtube["emote_count"]), (&json!(3), &json!(1)));
    assert_eq!(ids(&youtube["top_chatters"]), ["cid"]);
    assert_eq!(public_stream(stage, "b-twitch-unstored").await["top_chatters"], Value::Null);
    assert_eq!(public_stream(stage, "b-twitch-unstored").await["total_messages"], 5);
    assert_eq!(public_stream(stage, "b-twitch-hidden").await, Value::Null);
    // Whole days count, also what was written before and after the session.
    assert_eq!(emotes_of(stage, "c-twitch-whole").await, json!({ "25": 104, "425618": 1 }));
    assert_eq!(emotes_of(stage, "c-youtube-whole").await, json!({ "UC/x": 1 }));
    assert_eq!(emotes_of(stage, "c-twitch-hidden").await, Value::Null);
    let catalogued =
        "SELECT to_jsonb(name) AS found FROM public_emotes WHERE emote_id = '25' AND $1 IS NOT NULL";
    assert_eq!(stage.find(Postgres, catalogued, Uuid::nil()).await, "Kappa");
}

#[tokio::test]
async fn report_of_a_live_session_is_what_is_known_so_far() {
    let stage = Stage::new().await;
    let account = stage.app.owner().await.account_id;
    let session = plant(&stage, account, "live").await;
    let reopen = "UPDATE stream_sessions SET ended_at = NULL, minutes_to = NULL, last_off_at = NULL, report_due_at = NULL
        WHERE id = $1";
    stage.run(Postgres, reopen, session.id, Value::Null).await;
    let live = serde_json::to_value(stage.build(session.id).await.unwrap()).unwrap();
    assert_eq!(
        (&live["is_live"], &live["ended_at"], &live["duration_secs"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    // The lines, viewers and events after the second hour belong to it too.
    assert_eq!((&live["total_messages"], &live["peak_viewers"]), (&json!(9), &json!(999)));
    assert_eq!((&live["totals"]["raids_in"], &live["totals"]["follows"]), (&json!(4), &json!(5)));
    assert_eq!(live["top_chatters"][0]["platform_user_id"], "ada");
    assert_eq!(live["categories"][1]["name"], "B");

    // Between broadcasts the session reaches to the end of the last one.
    let off = "UPDATE stream_sessions SET last_off_at = $2 + interval '30 minutes' WHERE id = $1";
    stage.run(Postgres, off, session.id, Value::Null).await;
    assert_eq!(stage.build(session.id).await.unwrap().session.total_messages, 3);
    assert_eq!((stage.make_all().await, stage.stored(session.id).await), (0, Value::Null));
    stage.app.stop().await;
}

#[tokio::test]
async fn report_is_made_again_for_late_rows_until_it_is_final() {
    let stage = Stage::new().await;
    let account = stage.app.owner().await.account_id;
    let session = plant(&stage, account, "late").await;
    // Two copies make one report.
    let (one, other) = tokio::join!(stage.make(), stage.make());
    assert!(one != other, "one of two copies makes the report");
    let first = stage.session(session.id).await["report_made_at"].clone();
    assert_eq!(stage.make_all().await, 0);

    // Late rows gather before the report is made again, once.
    stage
        .plant_lines(account, json!([["twitch", 1, 11, 11, null, null], ["twitch", 1, 12, 11, null, null]]))
        .await;
    stage.due(session.id, stage.app.clock.now() + Duration::seconds(30)).await;
    assert!(!stage.make().await);
    stage.app.clock.advance(Duration::seconds(30));
    assert_eq!(stage.make_all().await, 1);
    let report = stage.stored(session.id).await;
    assert_eq!((&report["total_messages"], &report["unique_chatters"]), (&json!(10), &json!(6)));
    assert_ne!(stage.session(session.id).await["report_made_at"], first);

    // Once chat is deleted for its age, the people of the former report stay, and so does everything else.
    let limit = "INSERT INTO account_limits (account_id, chat_retention_days) SELECT $1, 0";
    stage.run(Postgres, limit, account, Value::Null).await;
    let forget = "DELETE FROM chat_messages WHERE account_id = $1";
    assert!(stage.run(Timeseries, forget, account, Value::Null).await > 0);
    stage.due(session.id, stage.app.clock.now()).await;
    assert_eq!(stage.make_all().await, 1);
    assert_eq!(stage.stored(session.id).await, report);
    assert_eq!(public_stream(&stage, "b-twitch-late").await["top_chatters"].as_array().unwrap().len(), 2);

    // A day after the end the report is final.
    stage.app.clock.advance(Duration::hours(24));
    stage.plant_lines(account, json!([["twitch", 1, 13, 11, null, null]])).await;
    stage.due(session.id, stage.app.clock.now()).await;
    assert_eq!(stage.make_all().await, 1);
    assert_eq!(stage.stored(session.id).await, report);
    assert_eq!(stage.session(session.id).await["report_due_at"], Value::Null);
    stage.app.stop().await;
}

#[tokio::test]
async fn reports_are_made_after_killed_copies_and_failures() {
    let stage = Stage::new().await;
    let (poisoned, healthy) = (stage.app.owner().await.account_id, stage.app.owner().await.account_id);
    let (poison, good) = (plant(&stage, poisoned, "poison").await, plant(&stage, healthy, "good").await);
    // Emotes in a form that no version writes.
    stage.plant_lines(poisoned, json!([["twitch", 3, 14, 14, { "id": "25" }, null]])).await;
    // A copy was killed while it made the other report: it is due again when its claim ends.
    stage.due(good.id, stage.app.clock.now() + Duration::minutes(10)).await;
    assert!(stage.make().await);
    assert_eq!(stage.stored(poison.id).await, Value::Null);
    assert!(!stage.make().await, "a failed report is due later");
    stage.app.clock.advance(Duration::minutes(10));
    assert_eq!(stage.make_all().await, 1);
    assert_eq!(stage.stored(good.id).await, expected(&stage, &good, "good"));

    // The failing one is tried again and again, and shows.
    assert_eq!(stage.maker.count_overdue().await.unwrap(), 1);
    stage.app.clock.advance(Duration::hours(2));
    assert_eq!(stage.make_all().await, 1);
    assert!(!stage.make().await);
    let repair = "UPDATE stream_lines SET emotes = NULL WHERE account_id = $1 AND line = 14";
    stage.run(Timeseries, repair, poisoned, Value::Null).await;
    stage.app.clock.advance(Duration::hours(2));
    assert_eq!(stage.make_all().await, 1);
    assert_eq!(stage.stored(poison.id).await["total_messages"], 9);
    assert_eq!(stage.maker.count_overdue().await.unwrap(), 0);
    stage.app.stop().await;
}

#[tokio::test]
async fn reports_lose_people_who_are_forgotten() {
    let stage = Stage::new().await;
    let (one, other) = (stage.app.owner().await.account_id, stage.app.owner().await.account_id);
    let (of_one, of_other) = (plant(&stage, one, "one").await, plant(&stage, other, "other").await);
    assert_eq!(stage.make_all().await, 2);
    let databases = &stage.app.databases;
    let forget = async |platform: &str, id: &str, account: Option<Uuid>| {
        let mut postgres = databases.postgres.get().await.unwrap();
        report::forget_chatter(&mut postgres, platform, id, account).await.unwrap()
    };
    let people = async |session: &PlantedSession| stage.stored(session.id).await["top_chatters"].clone();
    assert_eq!(forget("kick", "ada", None).await, 0);
    assert_eq!(forget("twitch", "ada", Some(one)).await, 2, "a report and a stream");
    let everyone = chatters();
    let (ada, cid, bob) = (&everyone[0], &everyone[1], &everyone[2]);
    assert_eq!(people(&of_one).await, json!([cid, bob]));
    assert_eq!(people(&of_other).await, json!([ada, cid, bob]));
    assert_eq!(forget("twitch", "ada", None).await, 2);
    assert_eq!(people(&of_other).await, json!([cid, bob]));
    assert!(!public_stream(&stage, "b-twitch-other").await.to_string().contains("ada"));

    // A moderated person keeps no key; the numbers stay.
    let accounts = [one, other];
    let mut timeseries = databases.timescaledb.get().await.unwrap();
    let keys = "SELECT jsonb_agg(subject ORDER BY removed_at, kind) AS found FROM stream_removals WHERE account_id = $1::uuid";
    let before = stage.find(Timeseries, keys, one).await;
    assert_eq!(report::forget_moderated(&mut timeseries, "twitch", "troll", &accounts).await.unwrap(), 8);
    assert_ne!(stage.find(Timeseries, keys, one).await, before);
    assert_eq!(stage.build(of_one.id).await.unwrap().moderation.bans, 2);
    drop(timeseries);
    stage.app.stop().await;
}

/// Lets every statement that stores a report wait for the advisory lock 42.
const WAIT_BEFORE_STORE: &str = "
    CREATE FUNCTION wait_before_store() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
    CREATE TRIGGER wait_before_store BEFORE UPDATE OF report ON stream_sessions
        FOR EACH ROW EXECUTE FUNCTION wait_before_store();
    SELECT pg_advisory_lock(42);";

#[tokio::test]
async fn reports_lose_people_who_are_erased_while_they_are_made() {
    let stage = Stage::new().await;
    let account = stage.app.owner().await.account_id;
    let session = plant(&stage, account, "one").await;
    let mut holder = stage.app.databases.postgres.get().await.unwrap();
    holder.batch_execute(WAIT_BEFORE_STORE).await.unwrap();
    let erase = async {
        let waiting = "SELECT to_jsonb(count(*)) AS found FROM pg_locks
            WHERE locktype = 'advisory' AND objid = 42 AND NOT granted AND $1 IS NOT NULL";
        eventually("the report waits", async || stage.find(Postgres, waiting, account).await == 1).await;
        let erase = "DELETE FROM platform_users WHERE account_id = $1 AND platform_user_id = 'bob'";
        stage.run(Timeseries, erase, account, Value::Null).await;
        assert!(!stage.session(session.id).await["report_due_at"].is_null());
        holder.batch_execute("SELECT pg_advisory_unlock(42)").await.unwrap();
    };
    let (made, ()) = tokio::join!(stage.make_all(), erase);
    assert_eq!(made, 1);
    let everyone = chatters();
    assert_eq!(stage.stored(session.id).await["top_chatters"], json!([everyone[0], everyone[1]]));
    assert!(!public_stream(&stage, "b-twitch-one").await.to_string().contains("bob"));
    assert!(stage.session(session.id).await["report_due_at"].is_null());
    drop(holder);
    stage.app.stop().await;
}
