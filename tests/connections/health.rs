//! Health of connected channels: subscriptions at the platform, times of the last events, state of the
//! reader.

use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Statements, TestApp, both_refused};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use uuid::Uuid;

use super::world::{channel_row, flag};

const HEALTH: &str =
    "{ platform health { subscriptions { eventType refusal } lastEvents { eventType lastEventAt }
    reader { state detail since } } }";

async fn run(app: &TestApp, sql: &str, connection_id: Uuid, text: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let statement = sql_query(sql).bind::<SqlUuid, _>(connection_id).bind::<Text, _>(text);
    statement.execute(&mut *db).await.unwrap();
}

/// Records the subscriptions and events of a channel whose platform pushes events.
async fn deliver(app: &TestApp, connection_id: Uuid) {
    for (event_type, refusal) in
        [("channel.follow", None), ("channel.cheer", Some("missing scope bits:read"))]
    {
        let refusal = refusal.map_or("NULL".to_owned(), |why| format!("'{why}'"));
        let sql = format!(
            "INSERT INTO webhook_subscriptions (connection_id, event_type, account_id, refusal)
             SELECT id, $2, account_id, {refusal} FROM channel_connections WHERE id = $1"
        );
        run(app, &sql, connection_id, event_type).await;
    }
    for event_type in ["twitch:follower", "chat:message"] {
        let sql = "INSERT INTO connection_events (connection_id, event_type, last_event_at)
             VALUES ($1, $2, '2026-01-02T03:04:05.678Z')";
        run(app, sql, connection_id, event_type).await;
    }
}

/// Records the state of the reader of a channel.
async fn read(app: &TestApp, connection_id: Uuid, state: &str) {
    let sql = "INSERT INTO connection_readers (connection_id, state, detail, since)
         VALUES ($1, $2, 'the quota is spent', '2026-01-02T03:04:05Z')";
    run(app, sql, connection_id, state).await;
}

#[track_caller]
fn rows(answer: &Answer) -> Vec<Value> {
    answer.data().as_array().expect("a list").clone()
}

#[tokio::test]
async fn channel_connections_shows_health_on_both_protocols() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let twitch = channel_row(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let youtube = channel_row(&app, owner.account_id, Platform::Youtube, "tuber").await;
    channel_row(&app, owner.account_id, Platform::Kick, "kicker").await;
    let foreign = channel_row(&app, stranger.account_id, Platform::Trovo, "other").await;
    deliver(&app, twitch).await;
    read(&app, youtube, "waiting").await;
    read(&app, foreign, "reading").await;

    let reader = app.member_with(owner.account_id, &["connections:read"]).await;
    let unknown = json!({ "subscriptions": [], "last_events": [], "reader": null });
    let of_twitch = json!({
        "subscriptions": [
            { "event_type": "channel.cheer", "refusal": "missing scope bits:read" },
            { "event_type": "channel.follow", "refusal": null },
        ],
        "last_events": [
            { "event_type": "chat:message", "last_event_at": "2026-01-02T03:04:05.678Z" },
            { "event_type": "twitch:follower", "last_event_at": "2026-01-02T03:04:05.678Z" },
        ],
        "reader": null,
    });
    let of_youtube = |state: &str| {
        json!({
            "subscriptions": [],
            "last_events": [],
            "reader": { "state": state, "detail": "the quota is spent", "since": "2026-01-02T03:04:05.000Z" },
        })
    };
    for caller in [&owner.caller, &reader.caller] {
        let rest = rows(&caller.get("/v1/connections/channel").await);
        let shown: Vec<&Value> = rest.iter().map(|row| &row["health"]).collect();
        assert_eq!(shown, [&unknown, &of_twitch, &of_youtube("waiting")]);
        let graphql = caller.graphql(&format!("{{ channelConnections {HEALTH} }}"), json!({})).await;
        let shown = graphql.field("channelConnections");
        let shown: Vec<&Value> = shown.as_array().unwrap().iter().map(|row| &row["health"]).collect();
        assert_eq!(shown, [&unknown, &of_twitch, &of_youtube("WAITING")]);
    }
    let nested = format!("{{ account {{ channelConnections {HEALTH} }} }}");
    let of_account = owner.graphql(&nested, json!({})).await.field("account");
    assert_eq!(of_account["channel_connections"][1]["health"], of_twitch);
    // Every operation that returns a connection returns its health.
    flag(&app, twitch).await;
    let cleared = owner.put(&format!("/v1/channel-connections/{twitch}/reconnect-flag"), json!({})).await;
    assert_eq!(cleared.data()["health"], of_twitch);
    app.stop().await;
}

#[tokio::test]
async fn channel_connections_shows_no_health_without_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let twitch = channel_row(&app, owner.account_id, Platform::Twitch, "streamer").await;
    deliver(&app, twitch).await;
    let member = app.member_with(owner.account_id, &["bot-connections:read"]).await;
    let graphql = member.graphql(&format!("{{ channelConnections {HEALTH} }}"), json!({})).await;
    let rest = member.get("/v1/connections/channel").await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: connections:read");
    let anonymous = app.anonymous();
    let graphql = anonymous.graphql(&format!("{{ channelConnections {HEALTH} }}"), json!({})).await;
    let rest = anonymous.get("/v1/connections/channel").await;
    both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    app.stop().await;
}

#[tokio::test]
async fn channel_connections_reads_health_in_one_statement() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut sent = Vec::new();
    statements.to(&app);
    for platform in [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo] {
        let connection = channel_row(&app, owner.account_id, platform, "streamer").await;
        deliver(&app, connection).await;
        read(&app, connection, "reading").await;
        // The first call fills the caches.
        owner.get("/v1/connections/channel").await.expect(200);
        statements.take();
        owner.get("/v1/connections/channel").await.expect(200);
        let of_health: Vec<String> =
            statements.take().into_iter().filter(|sql| sql.contains("connection_events")).collect();
        sent.push(of_health.len());
    }
    assert_eq!(sent, [1, 1, 1, 1], "whatever the number of channels");
    app.stop().await;
}
