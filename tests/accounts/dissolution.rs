//! Dissolving an account, and the data that remains afterwards (reference/accounts.md#dissolution).

use api_core::token::TokenKind;
use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use foundation::events::{Channel, ChannelKind, Event};
use lumio_tests::{Answer, Caller, TestApp, both_refused, eventually};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{
    id,
    schema::{extension_installs, extensions, timeseries},
};
use uuid::Uuid;

use super::{members_of, socket, workers};

async fn dissolve(caller: &Caller, account_id: Uuid, name: &str) -> Answer {
    caller.post(&format!("/v1/accounts/{account_id}/dissolve"), json!({ "confirm_name": name })).await
}

async fn dissolve_over_graphql(caller: &Caller, account_id: Uuid, name: &str) -> Answer {
    let document = "mutation($id: UUID!, $input: DissolveAccountInput!) { \
        dissolveAccount(id: $id, input: $input) { success } }";
    caller.graphql(document, json!({ "id": account_id, "input": { "confirmName": name } })).await
}

/// Names of the tables that still hold rows of an account.
async fn left_of(app: &TestApp, account_id: Uuid) -> Vec<String> {
    let belongings = app.belongings(account_id).await;
    belongings.into_iter().filter(|(_, (rows, _))| *rows > 0).map(|(table, _)| table).collect()
}

#[tokio::test]
async fn dissolve_account_leaves_no_rows_or_files() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let rows = app.one_of_everything(&owner).await;
    app.one_of_everything(&other).await;
    let kept = app.belongings(other.account_id).await;
    let account = owner.account_id;
    let stored = [format!("accounts/{account}/uploads/a"), format!("accounts/{account}/b")];
    let foreign = format!("accounts/{}/b", other.account_id);
    for key in stored.iter().chain([&foreign]) {
        app.state.storage.put(key, "bytes".into()).await.unwrap();
    }
    let install: Uuid = extension_installs::table
        .filter(extension_installs::account_id.eq(account))
        .select(extension_installs::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let logs = [
        (Channel::ExtStorage(install), "storage:updated"),
        (Channel::Chat(account), "chat:message"),
        (Channel::Events(account), "event:new"),
        (Channel::Extensions(account), "install:created"),
        (Channel::Account(account), "settings:updated"),
        (Channel::Sounds(account), "sound:play"),
        (Channel::Spotify(account), "spotify:track"),
        (Channel::Obs(account), "obs:command"),
        (Channel::Automations(account), "automation:updated"),
        (Channel::OverlayEditor(rows["overlays"]), "overlay:updated"),
        (Channel::Widget(rows["widgets"]), "widget:updated"),
    ];
    let of_account = ChannelKind::ALL.iter().filter(|kind| kind.id_of() == "account_id").count();
    assert_eq!(logs.len(), of_account + 3, "every kind of channel of an account, and those of its objects");
    for (channel, event_type) in &logs {
        let event = Event::new(*channel, event_type, json!({}), app.clock.now());
        app.state.events.append(&event).await.unwrap();
    }
    let installed: Uuid = extension_installs::table
        .filter(extension_installs::account_id.eq(account))
        .select(extension_installs::extension_id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    diesel::update(extensions::table.find(installed))
        .set(extensions::install_count.eq(7))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();

    let answer = dissolve(&owner, account, "Test account").await;
    assert_eq!(answer.expect(200), &json!({ "success": true }));
    let timeseries = [
        "chat_messages",
        "events",
        "extension_errors",
        "extension_failed_runs",
        "extension_invocations",
        "extension_logs",
        "platform_user_profiles",
        "platform_users",
        "stream_lines",
        "stream_minute_marks",
        "stream_removals",
        "stream_samples",
        "youtube_membership_tiers",
    ];
    let left = left_of(&app, account).await;
    assert!(left.iter().all(|table| timeseries.contains(&table.as_str())), "{left:?}");
    assert!(left.contains(&"chat_messages".to_owned()), "the job has rows to erase: {left:?}");

    let running = workers(&app, &[Daemon::Outbox, Daemon::Housekeeping]).await;
    eventually("nothing is left of it", async || left_of(&app, account).await.is_empty()).await;
    for key in &stored {
        eventually("its objects are gone", async || app.state.storage.get(key).await.unwrap().is_none())
            .await;
    }
    for (channel, _) in &logs {
        let log = channel.to_string();
        eventually(&log, async || app.state.events.newest(&log).await.unwrap().is_none()).await;
    }
    running.stop().await.unwrap();

    assert_eq!(app.belongings(other.account_id).await, kept);
    assert!(app.state.storage.get(&foreign).await.unwrap().is_some());
    let installs: i32 = extensions::table
        .find(installed)
        .select(extensions::install_count)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(installs, 6);
    let audited = app.audited_once("account:dissolved").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(account), Some(owner.user_id)));
    assert_eq!(audited.metadata["name"], "Test account");
}

#[tokio::test]
async fn dissolve_account_erases_late_rows_an_hour_later() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let job = foundation::jobs::EraseAccount {
        account_id: account,
        channels: Vec::new(),
        resource_logs: Vec::new(),
        is_repeat: true,
    };
    insert_into(timeseries::chat_messages::table)
        .values((
            timeseries::chat_messages::id.eq(id::new()),
            timeseries::chat_messages::account_id.eq(account),
            timeseries::chat_messages::platform.eq("twitch"),
            timeseries::chat_messages::platform_message_id.eq("late"),
            timeseries::chat_messages::platform_user_id.eq("u"),
            timeseries::chat_messages::username.eq("u"),
            timeseries::chat_messages::display_name.eq("U"),
            timeseries::chat_messages::text.eq("hi"),
            timeseries::chat_messages::badges.eq(json!([])),
            timeseries::chat_messages::fragments.eq(json!([])),
            timeseries::chat_messages::emotes.eq(json!([])),
            timeseries::chat_messages::sent_at.eq(app.clock.now()),
        ))
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    app.state.jobs.enqueue(&job, "late").await.unwrap();
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let left = async || left_of(&app, account).await.contains(&"chat_messages".to_owned());
    eventually("the late row is gone", async || !left().await).await;
    running.stop().await.unwrap();
}

#[tokio::test]
async fn dissolve_account_ends_every_credential_and_socket() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let account = owner.account_id;
    let member = app.member_as(account, "administrator").await;
    let keys = [
        app.personal_key(&member, &["chat:read"]).await,
        app.popout(&member, &["chat:read"]).await,
        app.service_key(account, &["chat:read"]).await,
    ];
    let overlay = app.surface_token(TokenKind::Overlay, account, "o", None).await;
    let (_state, running) = app.second_server().await;
    let elsewhere = |caller: &Caller| caller.at(format!("http://{}", running.address));
    let chat = format!("chat:{account}");
    let mut sessions = Vec::new();
    for caller in [&owner.caller, &member.caller] {
        let mut client = socket(&app, caller).await;
        client.subscribe(&chat).await;
        sessions.push(client);
    }
    let mut tokens = Vec::new();
    for caller in keys.iter().chain([&overlay]) {
        tokens.push(socket(&app, caller).await);
    }
    for caller in &keys {
        elsewhere(caller).get("/v1/tokens/me").await.expect(200);
    }

    let done = dissolve_over_graphql(&owner, account, "Test account").await;
    assert_eq!(done.field("dissolveAccount"), json!({ "success": true }));
    let lost = json!({ "type": "unsubscribed", "channel": chat, "reason": "resource_deleted" });
    for client in &mut sessions {
        assert_eq!(client.frame().await, lost);
    }
    for client in &mut tokens {
        let (frames, code) = client.until_closed().await;
        assert_eq!((&frames.last().unwrap()["code"], code), (&json!("TOKEN_REVOKED"), 4002));
    }
    for caller in &keys {
        eventually("the key is refused elsewhere", async || {
            elsewhere(caller).get("/v1/tokens/me").await.status == 401
        })
        .await;
    }
    for person in [&owner, &member] {
        let me = person.get("/v1/users/me").await;
        assert_eq!(me.data()["active_account_id"], Value::Null);
        assert_eq!(me.data()["memberships"], json!([]));
        person.get("/v1/settings").await.refused("FORBIDDEN", "Missing permission: settings:read");
    }
}

#[tokio::test]
async fn dissolve_account_needs_the_owner_and_the_name_of_the_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let account = owner.account_id;
    let deputy = app.member_with(account, &["account:delete"]).await;
    let administrator = app.member_as(account, "administrator").await;
    let refused = async |caller: &Caller, of: Uuid, name: &str, status: u16, code: &str, message: &str| {
        let rest = dissolve(caller, of, name).await;
        both_refused(&rest, &dissolve_over_graphql(caller, of, name).await, status, code, message);
    };
    let message = "Only the account owner can dissolve the account";
    refused(&deputy, account, "Test account", 403, "FORBIDDEN", message).await;
    let message = "Missing permission: account:delete";
    refused(&administrator, account, "Test account", 403, "FORBIDDEN", message).await;
    for wrong in ["test account", " Test account", ""] {
        let message = "confirm_name must equal the name of the account";
        refused(&owner, account, wrong, 400, "VALIDATION_ERROR", message).await;
    }
    refused(&owner, other.account_id, "Test account", 404, "NOT_FOUND", "Account not found").await;
    let popout = app.popout(&owner, &["account:delete"]).await;
    refused(&popout, account, "Test account", 403, "FORBIDDEN", "First-party session required").await;
    let without = owner.post(&format!("/v1/accounts/{account}/dissolve"), json!({})).await;
    without.refused("VALIDATION_ERROR", "Missing field: confirm_name");
    assert_eq!(members_of(&app, account).await.len(), 3);
    assert_eq!(members_of(&app, other.account_id).await.len(), 1);
    assert_eq!(app.audited("account:dissolved").await, []);
}

/// Deliveries of the inbox: id, true when handled, true when the body is not empty.
async fn deliveries(app: &TestApp) -> Vec<(String, bool, bool)> {
    use shared::schema::webhook_inbox::dsl;
    let rows: Vec<(String, Option<chrono::DateTime<chrono::Utc>>, Value)> = dsl::webhook_inbox
        .order(dsl::delivery_id)
        .select((dsl::delivery_id, dsl::handled_at, dsl::body))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    rows.into_iter().map(|(id, handled, body)| (id, handled.is_some(), body != json!({}))).collect()
}

#[tokio::test]
async fn dissolve_account_erases_inbox_deliveries_of_its_channels() {
    use live_model::inbox;
    use shared::platform::Platform;
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let twitch = platforms_stand_in::Platform::Twitch;
    let own = lumio_tests::world::connect(&app, owner.account_id, twitch, "own").await;
    let shared = lumio_tests::world::connect(&app, other.account_id, twitch, "shared").await;
    let kick = platforms_stand_in::Platform::Kick;
    let of_kick = lumio_tests::world::connect(&app, owner.account_id, kick, "kick").await;
    let line = |delivery: &str, platform: Platform, body: Value| inbox::Inbound {
        platform,
        delivery_id: delivery.to_owned(),
        event_type: "channel.chat.message".to_owned(),
        body,
        sent_at: app.clock.now(),
    };
    let of_twitch =
        |channel: &str| json!({ "event": { "broadcaster_user_id": channel, "text": "dissolved" } });
    let inbound = [
        line("1 handled", Platform::Twitch, of_twitch(&own.id)),
        line("2 open", Platform::Twitch, of_twitch(&own.id)),
        line("3 shared", Platform::Twitch, of_twitch(&shared.id)),
        line(
            "4 kick",
            Platform::Kick,
            json!({ "broadcaster": { "user_id": of_kick.id }, "content": "dissolved" }),
        ),
        line("5 of no channel", Platform::Twitch, json!({ "subscription": {} })),
    ];
    let mut connection = app.databases.postgres.get().await.unwrap();
    inbox::accept(&mut connection, &inbound, app.clock.now()).await.unwrap();
    sql_query("UPDATE webhook_inbox SET handled_at = now() WHERE delivery_id = '1 handled'")
        .execute(&mut *connection)
        .await
        .unwrap();
    drop(connection);

    dissolve(&owner, owner.account_id, "Test account").await.expect(200);
    let running = workers(&app, &[Daemon::Outbox, Daemon::Housekeeping]).await;
    let row = |id: &str, handled: bool, holds: bool| (id.to_owned(), handled, holds);
    let expected = [
        row("1 handled", true, false),
        row("2 open", true, false),
        row("3 shared", false, true),
        row("4 kick", true, false),
        row("5 of no channel", false, true),
    ];
    eventually("what was told is gone", async || deliveries(&app).await == expected).await;
    running.stop().await.unwrap();
}
