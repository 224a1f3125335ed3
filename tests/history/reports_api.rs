//! Reports and samples of sessions (reference/history.md#reports).

use chrono::Duration;
use diesel_async::SimpleAsyncConnection;
use foundation::jobs::{DeleteSamples, Job};
use lumio_tests::{
    Answer, Caller, TestApp, both_refused, eventually,
    world::{jobs, workers},
};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use uuid::Uuid;

use super::scene::{
    Planted, SAMPLE, count_samples, gql_report, hours_ago, id_of, link, listed_sample, lowered, report_path,
    sample, samples, text,
};

const NOT_FOUND: &str = "Stream report not found";

async fn gql_stats(caller: &Caller, id: Uuid, platform: Option<&str>) -> Answer {
    let document = format!(
        "query($id: UUID!, $platform: String) {{ streamReportStats(id: $id, platform: $platform) {SAMPLE} }}"
    );
    caller.graphql(&document, json!({ "id": id, "platform": platform })).await
}

async fn gql_delete(caller: &Caller, id: Uuid) -> Answer {
    caller.graphql("mutation($id: UUID!) { deleteStreamReport(id: $id) }", json!({ "id": id })).await
}

#[tokio::test]
async fn stream_report_returns_the_stored_report_with_the_figures_of_the_list() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let planted = Planted::of(owner.account_id, hours_ago(&app, 3));
    let id = planted.plant(&app).await;
    let rest = owner.get(&report_path(id)).await;
    let expected = serde_json::to_value(planted.report(id)).unwrap();
    assert_eq!(*rest.data(), expected);
    assert_eq!(rest.body["_links"]["self"], report_path(id));
    assert_eq!(lowered(gql_report(&owner, id).await.field("streamReport")), expected);

    for (caller, id) in [(&stranger, id), (&owner, Uuid::now_v7())] {
        let (rest, gql) = (caller.get(&report_path(id)).await, gql_report(caller, id).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", NOT_FOUND);
    }
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let (rest, gql) = (viewer.get(&report_path(id)).await, gql_report(&viewer, id).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: history:read");
    let malformed = owner.get("/v1/history/reports/x").await;
    assert_eq!((malformed.status, malformed.error().1.as_str()), (400, "Invalid UUID: id"));
    app.override_feature(owner.account_id, "feature:stream_history", false).await;
    owner.get(&report_path(id)).await.refused_with("FEATURE_DISABLED");
    app.stop().await;
}

#[tokio::test]
async fn stream_report_of_a_session_without_a_stored_one_is_made_of_what_is_known() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let ended = Planted { has_report: false, ..Planted::of(owner.account_id, hours_ago(&app, 5)) };
    let ended = ended.plant(&app).await;
    let live = Planted::live(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    let report = owner.get(&report_path(live)).await.data().clone();
    assert_eq!(id_of(&report), live);
    assert_eq!((&report["is_live"], &report["ended_at"]), (&json!(true), &Value::Null));
    assert_eq!((&report["top_chatters"], &report["totals"]["follows"]), (&json!([]), &json!(0)));
    // The same one for some seconds, over both protocols.
    let gql = lowered(gql_report(&owner, live).await.field("streamReport"));
    assert_eq!(gql, report);
    let report = owner.get(&report_path(ended)).await.data().clone();
    assert_eq!((&report["is_live"], &report["duration_secs"]), (&json!(false), &json!(3600)));
    // An export right after the end has nothing of the report of before.
    let close = "UPDATE stream_sessions SET ended_at = started_at + interval '1 hour', duration_secs = 3600,
        last_off_at = started_at + interval '1 hour', minutes_to = minutes_from + interval '61 minutes'
        WHERE ended_at IS NULL";
    app.databases.postgres.get().await.unwrap().batch_execute(close).await.unwrap();
    let file = owner.get(&format!("{}/export?format=json", report_path(live))).await;
    let report = &file.expect(200)["report"];
    assert_eq!((&report["is_live"], &report["duration_secs"]), (&json!(false), &json!(3600)));
    app.stop().await;
}

#[tokio::test]
async fn stream_report_stats_returns_every_sample_of_the_session() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let start = hours_ago(&app, 4);
    let planted = Planted { platforms: vec!["kick", "twitch"], ..Planted::of(owner.account_id, start) };
    let id = planted.plant(&app).await;
    let second = start + Duration::minutes(1);
    for (platform, at, viewers) in [
        ("twitch", start, Some(10)),
        ("kick", start, None),
        ("twitch", second, Some(12)),
        // Of another session.
        ("twitch", start - Duration::minutes(1), Some(1)),
        ("twitch", start + Duration::minutes(61), Some(1)),
    ] {
        sample(&app, owner.account_id, platform, at, viewers).await;
    }
    sample(&app, stranger.account_id, "twitch", start, Some(99)).await;
    let (kick, first, later) = (
        listed_sample("kick", start, None),
        listed_sample("twitch", start, Some(10)),
        listed_sample("twitch", second, Some(12)),
    );
    let path = format!("{}/stats", report_path(id));
    let all = json!([kick, first, later]);
    assert_eq!(*owner.get(&path).await.data(), all);
    assert_eq!(gql_stats(&owner, id, None).await.field("streamReportStats"), all);
    let twitch = json!([first, later]);
    assert_eq!(*owner.get(&format!("{path}?platform=twitch")).await.data(), twitch);
    assert_eq!(gql_stats(&owner, id, Some("twitch")).await.field("streamReportStats"), twitch);

    let message = "platform must be one of twitch, youtube, kick, trovo";
    let rest = owner.get(&format!("{path}?platform=tiktok")).await;
    both_refused(&rest, &gql_stats(&owner, id, Some("tiktok")).await, 400, "VALIDATION_ERROR", message);
    let rest = stranger.get(&path).await;
    both_refused(&rest, &gql_stats(&stranger, id, None).await, 404, "NOT_FOUND", NOT_FOUND);
    let viewer = app.member_as(owner.account_id, "viewer").await;
    let rest = viewer.get(&path).await;
    let lacks = "Missing permission: history:read";
    both_refused(&rest, &gql_stats(&viewer, id, None).await, 403, "FORBIDDEN", lacks);
    app.stop().await;
}

#[tokio::test]
async fn stream_report_stats_of_a_long_session_is_whole() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 40);
    let end = start + Duration::hours(35);
    let planted = Planted {
        ended_at: Some(end - Duration::seconds(30)),
        platforms: vec!["kick", "twitch"],
        ..Planted::of(owner.account_id, start)
    };
    let id = planted.plant(&app).await;
    for platform in ["kick", "twitch"] {
        samples(&app, owner.account_id, platform, (start, end)).await;
    }
    let path = format!("{}/stats", report_path(id));
    let answer = owner.get(&path).await;
    let listed = answer.data().as_array().expect("a list");
    assert_eq!(listed.len(), 2 * 35 * 60);
    assert_eq!(answer.header("transfer-encoding"), "chunked", "it is written while it is read");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.body["_links"], json!({ "self": path }));
    let order: Vec<(&str, &str)> =
        listed.iter().map(|sample| (text(&sample["at"]), text(&sample["platform"]))).collect();
    assert!(order.is_sorted_by(|one, next| one < next), "by time and platform, each once");
    app.stop().await;
}

/// Largest memory that the process has had, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the state of the process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    peak.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") / 1024
}

#[tokio::test]
async fn stream_report_stats_over_graphql_holds_several_lists_of_the_longest_session_in_bounded_memory() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 170);
    let end = start + Duration::days(7);
    let platforms = vec!["kick", "trovo", "twitch", "youtube"];
    let planted =
        Planted { ended_at: Some(end), platforms: platforms.clone(), ..Planted::of(owner.account_id, start) };
    let id = planted.plant(&app).await;
    for platform in platforms {
        samples(&app, owner.account_id, platform, (start, end)).await;
    }
    let before = peak_memory();
    // More lists than a caller has permits: a request needs one for all of its lists.
    let document = "query($id: UUID!) { a: streamReportStats(id: $id) { at viewerCount }
        b: streamReportStats(id: $id) { at messageCount } c: streamReportStats(id: $id) { platform } }";
    let answer = owner.graphql(document, json!({ "id": id })).await;
    for list in ["a", "b", "c"] {
        assert_eq!(answer.body["data"][list].as_array().expect("a list").len(), 4 * 7 * 24 * 60);
    }
    let grown = peak_memory() - before;
    assert!(grown < 400, "{grown} MiB, with the memory of this client");
    app.stop().await;
}

#[tokio::test]
async fn export_stream_report_refuses_unknown_formats_live_sessions_and_callers_without_the_right() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let id = Planted::of(owner.account_id, hours_ago(&app, 3)).plant(&app).await;
    let live = Planted::live(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    let path = |id: Uuid| format!("{}/export", report_path(id));
    let json_of = |id: Uuid| format!("{}?format=json", path(id));
    owner.get(&path(id)).await.refused("VALIDATION_ERROR", "Missing field: format");
    let message = "Invalid format: must be one of csv, txt, json, pdf";
    owner.get(&format!("{}?format=xml", path(id))).await.refused("VALIDATION_ERROR", message);
    let refused = owner.get(&json_of(live)).await;
    assert_eq!(refused.status, 409);
    refused.refused("CONFLICT", "Session is still live");
    stranger.get(&json_of(id)).await.refused("NOT_FOUND", NOT_FOUND);
    let lacks = "Missing permission: history:export";
    let reader = app.service_key(owner.account_id, &["history:read", "history:share"]).await;
    reader.get(&json_of(id)).await.refused("FORBIDDEN", lacks);
    let exporter = app.service_key(owner.account_id, &["history:export"]).await;
    let popout = app.popout(&owner, &["history:export"]).await;
    for caller in [&owner.caller, &exporter, &popout] {
        let file = caller.get(&json_of(id)).await;
        assert_eq!(file.status, 200, "{}", file.text);
        assert!(file.header("content-disposition").starts_with("attachment"), "{:?}", file.headers);
        assert!(file.header("cache-control").contains("no-store"));
    }
    app.override_feature(owner.account_id, "feature:stream_history", false).await;
    owner.get(&json_of(id)).await.refused_with("FEATURE_DISABLED");
    app.stop().await;
}

#[tokio::test]
async fn delete_stream_report_deletes_samples_and_links() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let start = hours_ago(&app, 6);
    let first = Planted::of(owner.account_id, start).plant(&app).await;
    let second = Planted::of(owner.account_id, start + Duration::hours(2)).plant(&app).await;
    let live = Planted::live(owner.account_id, hours_ago(&app, 1)).plant(&app).await;
    for hours in [0, 2] {
        let at = start + Duration::hours(hours);
        samples(&app, owner.account_id, "twitch", (at, at + Duration::minutes(3))).await;
    }
    let shared = link(&owner, first, None, false).await;
    let shared = format!("/v1/history/shared/{}", text(&shared["token"]));
    app.anonymous().get(&shared).await.expect(200);

    let (rest, gql) = (owner.delete(&report_path(live)).await, gql_delete(&owner, live).await);
    both_refused(&rest, &gql, 409, "CONFLICT", "Session is still live");
    for (caller, id) in [(&stranger, first), (&owner, Uuid::now_v7())] {
        let (rest, gql) = (caller.delete(&report_path(id)).await, gql_delete(caller, id).await);
        both_refused(&rest, &gql, 404, "NOT_FOUND", NOT_FOUND);
    }
    let moderator = app.member_as(owner.account_id, "moderator").await;
    let (rest, gql) = (moderator.delete(&report_path(first)).await, gql_delete(&moderator, first).await);
    both_refused(&rest, &gql, 403, "FORBIDDEN", "Missing permission: history:delete");
    assert_eq!(count_samples(&app, owner.account_id).await, 6);

    owner.delete(&report_path(first)).await.expect(204);
    owner.get(&report_path(first)).await.refused("NOT_FOUND", NOT_FOUND);
    app.anonymous().get(&shared).await.refused_with("UNAUTHORIZED");
    let entry = app.audited_once("stream_report:deleted").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(entry.resource_id, Some(first.to_string()));
    let metadata = json!({ "started_at": api_core::Timestamp::from(start), "title": "Planted" });
    assert_eq!(entry.metadata, metadata);

    let key = app.service_key(owner.account_id, &["history:delete"]).await;
    let running = workers(&app, &[Daemon::Outbox, Daemon::History]).await;
    let left = async || count_samples(&app, owner.account_id).await;
    eventually("the samples of the first session are gone", async || left().await == 3).await;
    assert_eq!(gql_delete(&key, second).await.field("deleteStreamReport"), json!(true));
    eventually("and those of the second", async || left().await == 0).await;
    running.stop().await.unwrap();
    app.stop().await;
}

/// Makes the commit of a deletion fail.
const REFUSE: &str = "
    CREATE FUNCTION refuse_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused for the test'; END $$;
    CREATE CONSTRAINT TRIGGER refuse_for_the_test AFTER DELETE ON stream_sessions DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse_for_the_test()";

#[tokio::test]
async fn delete_stream_report_deletes_samples_after_its_commit_and_no_others() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let start = hours_ago(&app, 6);
    let id = Planted::of(owner.account_id, start).plant(&app).await;
    samples(&app, owner.account_id, "twitch", (start, start + Duration::minutes(3))).await;
    let left = async || count_samples(&app, owner.account_id).await;
    let execute = async |sql: &str| {
        app.databases.postgres.get().await.unwrap().batch_execute(sql).await.unwrap();
    };
    execute(REFUSE).await;
    let failed = owner.delete(&report_path(id)).await;
    assert!(failed.status >= 500, "{}", failed.text);
    assert_eq!(left().await, 3);
    owner.get(&report_path(id)).await.expect(200);
    assert_eq!(app.audited("stream_report:deleted").await, []);

    execute("DROP TRIGGER refuse_for_the_test ON stream_sessions").await;
    owner.delete(&report_path(id)).await.expect(204);
    owner.get(&report_path(id)).await.refused("NOT_FOUND", NOT_FOUND);
    // The samples are deleted later, twice. A session that has begun in these minutes since keeps its own.
    assert_eq!(left().await, 3);
    Planted::of(owner.account_id, start + Duration::minutes(2)).plant(&app).await;
    let again =
        DeleteSamples { account_id: owner.account_id, from: start, to: start + Duration::minutes(61) };
    assert!(app.state.jobs.enqueue(&again, "again").await.unwrap());
    let running = workers(&app, &[Daemon::Outbox, Daemon::History]).await;
    eventually("two samples are gone", async || left().await == 1).await;
    app.audited_once("stream_report:deleted").await;
    eventually("both jobs have ended", async || jobs(&app, DeleteSamples::QUEUE).await == 0).await;
    assert_eq!(left().await, 1);
    running.stop().await.unwrap();
    app.stop().await;
}
