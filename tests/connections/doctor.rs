//! Doctor of connections: each fault has its own finding (reference/connections.md#doctor).

use std::time::Duration;

use chrono::TimeDelta;
use diesel_async::SimpleAsyncConnection;
use foundation::crypto::{SecretLocation, row};
use lumio_tests::{Caller, Person, TestApp, both_refused};
use platforms_stand_in::{Failure, NewToken, Platform, User, twitch};
use serde_json::{Value, json};
use shared::secret::Secret;
use uuid::Uuid;

use super::world::{channel_row, channel_tokens, connect, flag, id_of, own_app, system_app};

const DOCTOR: &str =
    "{ connectionDoctor { platform connectionId status clockSkewSecs tokenExpiresAt scopesMissing
    findings { code severity message remedy } lastEvents { eventType receivedAt }
    subscriptions { eventType status detail } } }";

async fn run(app: &TestApp, sql: &str) {
    app.databases.postgres.get().await.unwrap().batch_execute(sql).await.unwrap();
}

/// Diagnoses of an account.
async fn diagnosed(caller: &Caller) -> Vec<Value> {
    caller.get("/v1/connections/doctor").await.data().as_array().expect("a list").clone()
}

/// The only diagnosis of an account.
async fn diagnosis(caller: &Caller) -> Value {
    let mut all = diagnosed(caller).await;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn codes(diagnosis: &Value) -> Vec<&str> {
    let findings = diagnosis["findings"].as_array().expect("findings");
    for finding in findings {
        for text in ["message", "remedy"] {
            assert!(finding[text].as_str().is_some_and(|text| text.ends_with('.')), "{finding}");
        }
    }
    findings.iter().map(|finding| finding["code"].as_str().expect("a code")).collect()
}

#[track_caller]
fn found(diagnosis: &Value, status: &str, expected: &[&str]) {
    assert_eq!(codes(diagnosis), expected, "{diagnosis:#}");
    assert_eq!(diagnosis["status"], status, "{diagnosis:#}");
}

/// Owner of an account with a channel of Twitch that works: scopes, a delivery, and an event of today.
async fn working(app: &TestApp, login: &str) -> (Person, User, Uuid) {
    let owner = app.owner().await;
    let (user, connection) = connect(app, &owner, Platform::Twitch, login).await;
    let connection_id = id_of(&connection);
    let event = twitch::Event::follow(&user, &user);
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    app.platforms.add_eventsub(twitch::Subscription::enabled(&event, &callback, "stand-in-eventsub-secret"));
    requested(app, connection_id, "channel.follow", None).await;
    let sql = format!(
        "INSERT INTO connection_events (connection_id, event_type, last_event_at)
         VALUES ('{connection_id}', 'chat:message', now())"
    );
    run(app, &sql).await;
    (owner, user, connection_id)
}

/// Records a delivery as requested, with the refusal of the platform.
async fn requested(app: &TestApp, connection_id: Uuid, event_type: &str, refusal: Option<&str>) {
    let refusal = refusal.map_or("NULL".to_owned(), |why| format!("'{why}'"));
    let sql = format!(
        "INSERT INTO webhook_subscriptions (connection_id, event_type, account_id, refusal)
         SELECT id, '{event_type}', account_id, {refusal} FROM channel_connections WHERE id = '{connection_id}'"
    );
    run(app, &sql).await;
}

async fn set_token(app: &TestApp, connection_id: Uuid, token: &str) {
    let row = row(connection_id);
    let place = SecretLocation { table: "channel_connections", column: "access_token", row: &row };
    let sealed = app.state.keyring.seal(place, &Secret::new(token)).unwrap();
    let sealed = hex::encode(sealed);
    run(
        app,
        &format!(
            "UPDATE channel_connections SET access_token = decode('{sealed}', 'hex') WHERE id = '{connection_id}'"
        ),
    )
    .await;
}

async fn read(app: &TestApp, connection_id: Uuid, state: &str) {
    let sql = format!(
        "INSERT INTO connection_readers (connection_id, state, detail, since)
         VALUES ('{connection_id}', '{state}', 'the cause', now())
         ON CONFLICT (connection_id) DO UPDATE SET state = excluded.state"
    );
    run(app, &sql).await;
}

async fn live(app: &TestApp, connection_id: Uuid) {
    let sql = format!(
        "INSERT INTO channel_statuses (id, account_id, platform, is_online, started_at)
         SELECT gen_random_uuid(), account_id, platform, true, now() - interval '1 hour'
         FROM channel_connections WHERE id = '{connection_id}'"
    );
    run(app, &sql).await;
}

/// A diagnosis of GraphQL, written as REST writes it.
fn lower(mut diagnosis: Value) -> Value {
    fn lower_at(value: &mut Value, fields: &[&str]) {
        for field in fields {
            value[*field] = json!(value[*field].as_str().expect("a value").to_lowercase());
        }
    }
    lower_at(&mut diagnosis, &["status"]);
    for finding in diagnosis["findings"].as_array_mut().expect("findings") {
        lower_at(finding, &["code", "severity"]);
    }
    for subscription in diagnosis["subscriptions"].as_array_mut().expect("subscriptions") {
        lower_at(subscription, &["status"]);
    }
    diagnosis
}

#[tokio::test]
async fn connection_doctor_finds_nothing_on_channels_that_work() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    system_app(&app, Platform::Trovo, "channel", "trovo-app").await;
    let (owner, _, twitch) = working(&app, "streamer").await;
    own_app(&app, owner.account_id, Platform::Youtube, "channel", "youtube-app").await;
    own_app(&app, owner.account_id, Platform::Spotify, "channel", "spotify-app").await;
    let (kicker, connection) = connect(&app, &owner, Platform::Kick, "kicker").await;
    requested(&app, id_of(&connection), "chat.message.sent", None).await;
    app.platforms.add_kick_subscription(&kicker.id, "chat.message.sent");
    for platform in [Platform::Trovo, Platform::Youtube] {
        let (_, connection) = connect(&app, &owner, platform, platform.slug()).await;
        read(&app, id_of(&connection), "reading").await;
    }
    connect(&app, &owner, Platform::Spotify, "listener").await;

    let rest = diagnosed(&owner).await;
    let platforms: Vec<&Value> = rest.iter().map(|one| &one["platform"]).collect();
    assert_eq!(platforms, ["kick", "spotify", "trovo", "twitch", "youtube"]);
    for diagnosis in &rest {
        found(diagnosis, "ok", &[]);
        assert_eq!(diagnosis["scopes_missing"], json!([]));
        assert!(diagnosis["clock_skew_secs"].as_i64().is_some_and(|skew| skew.abs() < 60), "{diagnosis}");
    }
    let of_twitch = &rest[3];
    assert_eq!(of_twitch["connection_id"], json!(twitch));
    assert_eq!(
        of_twitch["subscriptions"],
        json!([{ "event_type": "channel.follow", "status": "active", "detail": null }])
    );
    assert_eq!(of_twitch["last_events"][0]["event_type"], "chat:message");
    assert!(of_twitch["token_expires_at"].is_string());
    assert_eq!(rest[0]["subscriptions"][0]["status"], "active");

    // The same over GraphQL, in the next window.
    app.clock.advance(TimeDelta::seconds(30));
    let graphql = owner.graphql(DOCTOR, json!({})).await.field("connectionDoctor");
    for (mut rest, graphql) in rest.into_iter().zip(graphql.as_array().expect("a list").clone()) {
        let mut graphql = lower(graphql);
        for changing in ["clock_skew_secs", "token_expires_at"] {
            rest[changing] = Value::Null;
            graphql[changing] = Value::Null;
        }
        assert_eq!(rest, graphql);
    }
    app.stop().await;
}

#[tokio::test]
async fn connection_doctor_names_each_fault_of_a_token() {
    let app = TestApp::start().await;
    // The platform refuses the token, and nothing is flagged by a diagnosis.
    let (owner, _, connection) = working(&app, "revoked").await;
    let token = channel_tokens(&app, connection).await.access_token.expect("a token");
    assert!(app.platforms.revoke_token(Platform::Twitch, &token));
    found(&diagnosis(&owner).await, "error", &["token_refused"]);
    assert!(!channel_tokens(&app, connection).await.reconnect_required);

    let (owner, user, connection) = working(&app, "narrow").await;
    let client_id = channel_tokens(&app, connection).await.client_id;
    let scopes = Some(vec!["user:read:chat".to_owned()]);
    let token = app.platforms.issue_token(NewToken {
        platform: Platform::Twitch,
        user_id: Some(user.id),
        client_id,
        scopes,
        expires_in_secs: None,
    });
    set_token(&app, connection, &token).await;
    let narrow = diagnosis(&owner).await;
    found(&narrow, "warning", &["scopes_missing"]);
    let missing: Vec<&str> =
        narrow["scopes_missing"].as_array().expect("scopes").iter().filter_map(Value::as_str).collect();
    assert!(missing.contains(&"channel:moderate") && !missing.contains(&"user:read:chat"), "{missing:?}");
    assert!(missing.is_sorted());

    let (owner, _, connection) = working(&app, "expired").await;
    let sql = "UPDATE channel_connections SET expires_at = now() - interval '1 minute'";
    run(&app, &format!("{sql} WHERE id = '{connection}'")).await;
    app.platforms.fail_next_at(Platform::Twitch, "/oauth2/token", Failure::ServerError);
    found(&diagnosis(&owner).await, "error", &["token_expired"]);

    let (owner, _, connection) = working(&app, "flagged").await;
    flag(&app, connection).await;
    let flagged = diagnosis(&owner).await;
    found(&flagged, "error", &["reconnect_required"]);
    assert_eq!(flagged["subscriptions"][0]["status"], "unknown", "the platform is not asked");

    let owner = app.owner().await;
    channel_row(&app, owner.account_id, Platform::Spotify, "by-hand").await;
    found(&diagnosis(&owner).await, "error", &["token_missing"]);

    let (owner, _, _) = working(&app, "away").await;
    app.platforms.fail_next_at(Platform::Twitch, "/oauth2/validate", Failure::ServerError);
    found(&diagnosis(&owner).await, "error", &["platform_unavailable"]);

    let (owner, _, _) = working(&app, "busy").await;
    let wait = Duration::from_secs(90);
    app.platforms.fail_next_at(
        Platform::Twitch,
        "/oauth2/validate",
        Failure::RateLimited { retry_after: wait },
    );
    let busy = diagnosis(&owner).await;
    found(&busy, "warning", &["rate_limited"]);
    assert!(busy["findings"][0]["message"].as_str().unwrap().contains(" until "), "{busy}");

    // The clock of this server is ahead of the platform's.
    let (owner, _, _) = working(&app, "skewed").await;
    app.clock.advance(TimeDelta::minutes(5));
    let skewed = diagnosis(&owner).await;
    found(&skewed, "warning", &["clock_skew"]);
    assert!(skewed["clock_skew_secs"].as_i64().is_some_and(|skew| skew >= 299), "{skewed}");
    app.stop().await;
}

#[tokio::test]
async fn connection_doctor_names_each_fault_of_deliveries_and_applications() {
    let app = TestApp::start().await;
    system_app(&app, Platform::Trovo, "channel", "trovo-app").await;
    let (owner, user, _) = working(&app, "lost").await;
    app.platforms.drop_eventsub(&user);
    let lost = diagnosis(&owner).await;
    found(&lost, "error", &["subscriptions_lost"]);
    assert_eq!(lost["subscriptions"][0]["status"], "lost");

    let (owner, _, connection) = working(&app, "refused").await;
    requested(&app, connection, "channel.cheer", Some("missing scope bits:read")).await;
    let refused = diagnosis(&owner).await;
    found(&refused, "warning", &["subscriptions_refused"]);
    let cheer =
        json!({ "event_type": "channel.cheer", "status": "refused", "detail": "missing scope bits:read" });
    assert_eq!(refused["subscriptions"][0], cheer);

    let (owner, _, connection) = working(&app, "fresh").await;
    run(&app, &format!("DELETE FROM webhook_subscriptions WHERE connection_id = '{connection}'")).await;
    found(&diagnosis(&owner).await, "warning", &["subscriptions_pending"]);

    let (owner, _, connection) = working(&app, "silent").await;
    live(&app, connection).await;
    let sql = "UPDATE connection_events SET last_event_at = now() - interval '5 days'";
    run(&app, &format!("{sql} WHERE connection_id = '{connection}'")).await;
    found(&diagnosis(&owner).await, "warning", &["no_events"]);

    // Channels that a daemon reads.
    for (state, is_live, status, code) in [
        (None, false, "warning", Some("reader_missing")),
        (Some("refused"), false, "error", Some("reader_refused")),
        (Some("waiting"), true, "warning", Some("reader_waiting")),
        (Some("waiting"), false, "ok", None),
    ] {
        let owner = app.owner().await;
        let login = format!("trovo-{}-{is_live}", state.unwrap_or("none"));
        let (_, connection) = connect(&app, &owner, Platform::Trovo, &login).await;
        if let Some(state) = state {
            read(&app, id_of(&connection), state).await;
        }
        if is_live {
            live(&app, id_of(&connection)).await;
        }
        found(&diagnosis(&owner).await, status, code.as_slice());
    }

    // Kick drops subscriptions without notice.
    system_app(&app, Platform::Kick, "channel", "kick-app").await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Kick, "dropped").await;
    requested(&app, id_of(&connection), "chat.message.sent", None).await;
    found(&diagnosis(&owner).await, "error", &["subscriptions_lost"]);

    // Applications.
    let (owner, _, connection) = working(&app, "absent").await;
    let sql = "UPDATE channel_connections SET client_id = 'nowhere', credential_app = 'channel'";
    run(&app, &format!("{sql} WHERE id = '{connection}'")).await;
    assert!(codes(&diagnosis(&owner).await).contains(&"application_missing"));
    let owner = app.owner().await;
    own_app(&app, owner.account_id, Platform::Spotify, "channel", "spotify-app").await;
    connect(&app, &owner, Platform::Spotify, "listener").await;
    run(&app, &format!("DELETE FROM app_credentials WHERE account_id = '{}'", owner.account_id)).await;
    found(&diagnosis(&owner).await, "error", &["application_gone"]);
    let owner = app.owner().await;
    connect(&app, &owner, Platform::Kick, "sealed").await;
    run(&app, "UPDATE system_connections SET client_secret = 'unreadable' WHERE platform = 'kick'").await;
    let sealed = diagnosis(&owner).await;
    found(&sealed, "error", &["application_undecryptable", "subscriptions_pending"]);
    let (owner, _, _) = working(&app, "unknown-app").await;
    app.platforms.fail_next_at(Platform::Twitch, "/eventsub/subscriptions", Failure::Unauthorized);
    found(&diagnosis(&owner).await, "error", &["application_refused"]);
    app.stop().await;
}

#[tokio::test]
async fn connection_doctor_refuses_callers_and_a_second_call_in_thirty_seconds() {
    let app = TestApp::start().await;
    let (owner, _, connection) = working(&app, "streamer").await;
    let member = app.member_with(owner.account_id, &["bot-connections:read"]).await;
    let refused = (member.get("/v1/connections/doctor").await, member.graphql(DOCTOR, json!({})).await);
    both_refused(&refused.0, &refused.1, 403, "FORBIDDEN", "Missing permission: connections:read");
    let anonymous = app.anonymous();
    let refused = (anonymous.get("/v1/connections/doctor").await, anonymous.graphql(DOCTOR, json!({})).await);
    both_refused(&refused.0, &refused.1, 401, "UNAUTHORIZED", "Authentication required");

    // Refused callers count nothing; a key counts for the account.
    let key = app.service_key(owner.account_id, &["connections:read"]).await;
    app.begin_a_window(30);
    assert_eq!(diagnosis(&key).await["connection_id"], json!(connection));
    let refused = (owner.get("/v1/connections/doctor").await, owner.graphql(DOCTOR, json!({})).await);
    let message = "Connections are checked at most once in 30 seconds";
    both_refused(&refused.0, &refused.1, 429, "RATE_LIMIT_EXCEEDED", message);
    assert!(refused.0.header("retry-after").parse::<u64>().is_ok_and(|wait| (1..=30).contains(&wait)));
    assert!(refused.0.header("ratelimit-policy").starts_with("\"connection_doctor\";q=1;w=30"));

    // Other accounts are not affected, and see no foreign channel.
    let stranger = app.owner().await;
    assert_eq!(diagnosed(&stranger).await, Vec::<Value>::new());
    // Channels of a platform that is switched off are left out.
    app.clock.advance(TimeDelta::seconds(30));
    app.switch("platform:twitch", false).await;
    assert_eq!(diagnosed(&owner).await, Vec::<Value>::new());
    app.stop().await;
}
