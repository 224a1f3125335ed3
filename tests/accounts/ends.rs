//! Leaving and dissolving (A §4.3; C §3), and what is left of it.

use diesel::{insert_into, prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, eventually};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use shared::{
    db::schema::{
        account_service_keys, extension_installs, extensions, invites, login_assignments, popout_tokens,
        sessions, timeseries, user_api_keys, users,
    },
    events::{Channel, Event},
    id,
    token::TokenKind,
};
use uuid::Uuid;

use super::{login_connection, members_of, role_id, socket, workers};

async fn dissolve(caller: &Caller, account_id: Uuid, name: &str) -> Answer {
    caller.post(&format!("/v1/accounts/{account_id}/dissolve"), json!({ "confirm_name": name })).await
}

async fn dissolve_over_graphql(caller: &Caller, account_id: Uuid, name: &str) -> Answer {
    let document = "mutation($id: UUID!, $input: DissolveAccountInput!) { \
        dissolveAccount(id: $id, input: $input) { success } }";
    caller.graphql(document, json!({ "id": account_id, "input": { "confirmName": name } })).await
}

async fn leave(caller: &Caller, account_id: Uuid) -> Answer {
    caller.post(&format!("/v1/accounts/{account_id}/leave"), json!({})).await
}

async fn leave_over_graphql(caller: &Caller, account_id: Uuid) -> Answer {
    let document = "mutation($id: UUID!) { leaveAccount(id: $id) { success } }";
    caller.graphql(document, json!({ "id": account_id })).await
}

/// Tables that still hold rows of an account.
async fn left_of(app: &TestApp, account_id: Uuid) -> Vec<String> {
    let belongings = app.belongings(account_id).await;
    belongings.into_iter().filter(|(_, (rows, _))| *rows > 0).map(|(table, _)| table).collect()
}

#[tokio::test]
async fn nothing_is_left_of_a_dissolved_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.one_of_everything(&owner).await;
    app.one_of_everything(&other).await;
    let kept = app.belongings(other.account_id).await;
    let account = owner.account_id;
    let stored = [format!("accounts/{account}/uploads/a"), format!("accounts/{account}/b")];
    let foreign = format!("accounts/{}/b", other.account_id);
    for key in stored.iter().chain([&foreign]) {
        app.state.storage.put(key, "bytes".into()).await.unwrap();
    }
    let event = Event::new(Channel::Chat(account), "chat:message", json!({}), app.clock.now());
    app.state.events.append(&event).await.unwrap();
    let installed: Uuid = extension_installs::table
        .filter(extension_installs::account_id.eq(account))
        .select(extension_installs::extension_id)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    diesel::update(extensions::table.find(installed))
        .set(extensions::install_count.eq(7))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
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
    let log = Channel::Chat(account).to_string();
    eventually("its log is gone", async || app.state.events.newest(&log).await.unwrap().is_none()).await;
    running.stop().await.unwrap();

    assert_eq!(app.belongings(other.account_id).await, kept);
    assert!(app.state.storage.get(&foreign).await.unwrap().is_some());
    let installs: i32 = extensions::table
        .find(installed)
        .select(extensions::install_count)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(installs, 6);
    let audited = app.audited_once("account:dissolved").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(account), Some(owner.user_id)));
    assert_eq!(audited.metadata["name"], "Test account");
}

#[tokio::test]
async fn rows_that_were_about_to_be_written_are_erased_an_hour_later() {
    let app = TestApp::start().await;
    let account = app.owner().await.account_id;
    let job = shared::jobs::EraseAccount { account_id: account, is_repeat: true };
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
        .execute(&mut *app.state.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    app.state.jobs.enqueue(&job, "late").await.unwrap();
    let running = workers(&app, &[Daemon::Housekeeping]).await;
    let left = async || left_of(&app, account).await.contains(&"chat_messages".to_owned());
    eventually("the late row is gone", async || !left().await).await;
    running.stop().await.unwrap();
}

#[tokio::test]
async fn nobodys_credential_outlives_the_account() {
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
async fn only_the_owner_dissolves_and_only_by_its_name() {
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

/// Gives a person what members gather: a popout, a personal key, tokens, an assignment, an invite, a service key.
async fn settle(app: &TestApp, person: &Person) {
    app.popout(person, &[]).await;
    app.personal_key(person, &[]).await;
    app.service_key(person.account_id, &[]).await;
    app.surface_token(TokenKind::Extension, person.account_id, "x", None).await;
    let login = login_connection(app, person.user_id, "twitch").await;
    let role = role_id(app, person.account_id, "viewer").await;
    let mut db = app.state.databases.postgres.get().await.unwrap();
    for sql in [
        format!("UPDATE account_service_keys SET created_by = '{}'", person.user_id),
        format!("UPDATE surface_tokens SET user_id = '{}'", person.user_id),
        format!(
            "UPDATE users SET active_account_id = '{}' WHERE id = '{}'",
            person.account_id, person.user_id
        ),
        format!(
            "INSERT INTO login_assignments (id, account_id, user_id, login_connection_id, platform) \
             VALUES (gen_random_uuid(), '{}', '{}', '{login}', 'twitch')",
            person.account_id, person.user_id
        ),
        format!(
            "INSERT INTO invites (id, account_id, code, role_id, method, created_by) \
             VALUES (gen_random_uuid(), '{}', 'secret', '{role}', 'link', '{}')",
            person.account_id, person.user_id
        ),
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
}

#[tokio::test]
async fn leaving_takes_everything_but_the_service_keys() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "administrator").await;
    settle(&app, &member).await;
    let answer = leave(&member, owner.account_id).await;
    assert_eq!(answer.expect(200), &json!({ "success": true }));

    let mut db = app.state.databases.postgres.get().await.unwrap();
    for (table, left) in [
        ("popouts", popout_tokens::table.count().get_result::<i64>(&mut *db).await),
        ("keys", user_api_keys::table.count().get_result(&mut *db).await),
        ("tokens", shared::db::schema::surface_tokens::table.count().get_result(&mut *db).await),
        ("assignments", login_assignments::table.count().get_result(&mut *db).await),
        ("invites", invites::table.count().get_result(&mut *db).await),
    ] {
        assert_eq!(left.unwrap(), 0, "{table}");
    }
    let creators: Vec<Option<Uuid>> =
        account_service_keys::table.select(account_service_keys::created_by).load(&mut *db).await.unwrap();
    assert_eq!(creators, [None]);
    let active: (Option<Uuid>, Option<Uuid>) = users::table
        .inner_join(sessions::table)
        .filter(users::id.eq(member.user_id))
        .select((users::active_account_id, sessions::active_account_id))
        .first(&mut *db)
        .await
        .unwrap();
    assert_eq!(active, (None, None));
    drop(db);
    let audited = app.audited_once("member:left").await;
    assert_eq!((audited.account_id, audited.actor_id), (Some(owner.account_id), Some(member.user_id)));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
    member.get("/v1/settings").await.refused("FORBIDDEN", "Missing permission: settings:read");

    let second = app.member_as(owner.account_id, "viewer").await;
    let twin = leave_over_graphql(&second, owner.account_id).await;
    assert_eq!(twin.field("leaveAccount"), json!({ "success": true }));
    assert_eq!(members_of(&app, owner.account_id).await.len(), 1);
}

#[tokio::test]
async fn owners_stay_and_strangers_have_nothing_to_leave() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let rest = leave(&owner, owner.account_id).await;
    let graphql = leave_over_graphql(&owner, owner.account_id).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Account owner cannot leave");
    let rest = leave(&owner, other.account_id).await;
    let graphql = leave_over_graphql(&owner, other.account_id).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Account not found");
    // A key belongs to one account and reaches no other of its person's.
    app.join(other.account_id, owner.user_id, "viewer").await;
    let key = app.personal_key(&owner, &[]).await;
    leave(&key, other.account_id).await.refused("NOT_FOUND", "Account not found");
    let popout = app.popout(&owner, &[]).await;
    let graphql = leave_over_graphql(&popout, owner.account_id).await;
    let rest = leave(&popout, owner.account_id).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "First-party session required");
    owner.post("/v1/accounts/mine/leave", json!({})).await.refused("VALIDATION_ERROR", "Invalid UUID: id");
    assert_eq!(members_of(&app, other.account_id).await.len(), 2);
    // Not the account that one acts in, but one of one's own.
    leave(&owner, other.account_id).await.expect(200);
    assert_eq!(owner.get("/v1/users/me").await.data()["active_account_id"], json!(owner.account_id));
}

#[tokio::test]
async fn clients_learn_who_comes_and_goes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let member = app.member_as(owner.account_id, "viewer").await;
    let (mut account, mut person) = (socket(&app, &owner).await, socket(&app, &member).await);
    account.subscribe(&format!("account:{}", owner.account_id)).await;
    person.subscribe(&format!("user:{}", member.user_id)).await;
    let running = workers(&app, &[Daemon::Outbox]).await;
    leave(&member, owner.account_id).await.expect(200);
    let told = account.frame().await;
    assert_eq!(
        (&told["event_type"], &told["data"]["change"]),
        (&json!("members:updated"), &json!("removed"))
    );
    assert_eq!(told["data"]["user_id"], json!(member.user_id));
    let told = person.frame().await;
    assert_eq!(told["event_type"], "permissions:updated");
    assert_eq!(told["data"], json!({ "account_id": owner.account_id }));
    running.stop().await.unwrap();
}

/// Deliveries of the inbox: id, whether they were handled, and whether there is something in them.
async fn deliveries(app: &TestApp) -> Vec<(String, bool, bool)> {
    use shared::db::schema::webhook_inbox::dsl;
    let rows: Vec<(String, Option<chrono::DateTime<chrono::Utc>>, Value)> = dsl::webhook_inbox
        .order(dsl::delivery_id)
        .select((dsl::delivery_id, dsl::handled_at, dsl::body))
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    rows.into_iter().map(|(id, handled, body)| (id, handled.is_some(), body != json!({}))).collect()
}

#[tokio::test]
async fn what_platforms_told_of_a_dissolved_accounts_channels_goes_with_it() {
    use shared::{ingest::inbox, platforms::Platform};
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    let twitch = platforms_stand_in::Platform::Twitch;
    let own = crate::live::world::connect(&app, owner.account_id, twitch, "own").await;
    let shared = crate::live::world::connect(&app, other.account_id, twitch, "shared").await;
    let kick = platforms_stand_in::Platform::Kick;
    let of_kick = crate::live::world::connect(&app, owner.account_id, kick, "kick").await;
    let line = |delivery: &str, platform: Platform, body: Value| inbox::Inbound {
        platform,
        delivery_id: delivery.to_owned(),
        event_type: "channel.chat.message".to_owned(),
        body,
        sent_at: app.clock.now(),
    };
    let of_twitch =
        |channel: &str| json!({ "event": { "broadcaster_user_id": channel, "text": "dissolved" } });
    let told = [
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
    let mut connection = app.state.databases.postgres.get().await.unwrap();
    inbox::accept(&mut connection, &told, app.clock.now()).await.unwrap();
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
