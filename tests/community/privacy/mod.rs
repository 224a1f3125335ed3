//! Erasure of the data of chat users: the tests plant a person in every store and find them in none
//! afterwards (reference/privacy.md#erasure-of-a-person).

mod accounts;
mod deletions;
mod keys;
mod late;
mod logs;
mod planted;
mod short_ids;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use community::privacy::stores::TABLES;
use diesel::{
    sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use foundation::jobs::{Job, RunTriggers};
use live_model::{ChatMessage, RowBuffer};
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused};
use lumio_worker::Daemon;
use serde_json::{Value, json};
use uuid::Uuid;

use planted::{Named, PLANTED, keys_with, message, plant, plant_in_redis, run, tables_with};

const CHAT_RESULT: &str = "{ deletedMessageCount affectedAccountIds }";
const MEMBER_RESULT: &str = "{ erasedKeyCount deletedMessageCount affectedAccountIds }";
const CHANNEL: &str = "UCaaaaaaaaaaaaaaaaaaaaaa";

/// Regular expression of the names of text columns that may name a person.
const COLUMNS: &str = "(user_ids?|usernames?|user_name|display_names?|person_ids|author_ids?|owner|owner_id|target|subject\
    |login|recipient|sender)$";
/// Tables with such columns that name no chat user, each with the reason.
const OTHERS: &[(&str, &str)] = &[
    ("bot_connections", "the bots of Lumio and of accounts"),
    ("channel_connections", "the channels of accounts"),
    ("chatter_notes", "they are counted before anything is erased, and gone then"),
    ("developer_applications", "what applicants call themselves"),
    ("developer_profiles", "what developers call themselves"),
    ("login_connections", "what registered people sign in with, which is theirs"),
    ("public_channels", "channels that are public on their platform; their owners can hide them"),
    ("support_tickets", "what a ticket is about, in words of who wrote it"),
    ("surface_tokens", "what a token is for"),
    ("token_revocations", "whose connection ends"),
    ("unconfirmed_logins", "what registered people were linked with a day ago at most"),
    ("users", "registered people, whose account is theirs"),
];

async fn erase(caller: &Caller, input: &Value) -> Answer {
    caller.post("/v1/admin/privacy/chat/erase", input.clone()).await
}

async fn erase_over_graphql(caller: &Caller, input: &Value) -> Answer {
    let document = format!(
        "mutation($input: EraseChatSubjectInput!) {{ eraseChatSubjectData(input: $input) {CHAT_RESULT} }}"
    );
    let camel = |name: &str| name.replace("lumio_user_id", "lumioUserId").replace("user_id", "userId");
    let fields = input.as_object().expect("an input").iter();
    let input: serde_json::Map<String, Value> =
        fields.map(|(name, value)| (camel(name), value.clone())).collect();
    caller.graphql(&document, json!({ "input": input })).await
}

async fn erase_member(caller: &Caller, id: &str) -> Answer {
    caller.delete(&format!("/v1/admin/privacy/youtube/member/{id}")).await
}

async fn erase_member_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = format!("mutation($id: String!) {{ eraseYoutubeMemberData(id: $id) {MEMBER_RESULT} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

async fn staff(app: &TestApp) -> Person {
    app.admin_with(&["admin:privacy-erase"]).await
}

#[tokio::test]
async fn privacy_has_an_eraser_for_every_table_that_names_chatters() {
    let app = TestApp::start().await;
    let mut db = app.databases.postgres.get().await.unwrap();
    let naming: Vec<Named> = sql_query(format!(
        "SELECT DISTINCT relname::text AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid \
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition \
         AND attname ~ '{COLUMNS}' AND atttypid IN ('text'::regtype, 'text[]'::regtype) AND NOT attisdropped"
    ))
    .load(&mut *db)
    .await
    .unwrap();
    let erased: BTreeSet<&str> = TABLES.iter().map(|table| table.name).collect();
    for Named { name } in naming {
        let is_of_others = OTHERS.iter().any(|(table, _)| *table == name);
        assert!(
            erased.contains(name.as_str()) != is_of_others,
            "`{name}` may name people who chat: it needs a line in api/community/src/privacy/stores.rs, or one in OTHERS \
             with the reason"
        );
    }
    let planted: BTreeSet<&str> = PLANTED.iter().map(|(table, _)| *table).collect();
    assert_eq!(planted, erased, "each store (right) has somebody planted in it (left)");
    drop(db);
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_erases_the_person_everywhere_and_no_one_else() {
    let app = TestApp::start().await;
    let (one, two, untouched) = (app.owner().await, app.owner().await, app.owner().await);
    for owner in [&one, &two] {
        app.one_of_everything(owner).await;
        plant(&app, owner.account_id, "twitch", "4711470001").await;
        // The same id on another platform, and an id with the same prefix, belong to other people.
        plant_in_redis(&app, owner.account_id, "kick", "4711479999").await;
        plant_in_redis(&app, owner.account_id, "twitch", "47114700").await;
    }
    plant(&app, one.account_id, "kick", "8811470002").await;
    // An old run that does not record whom it names: it may be anyone, on any platform.
    let sealed = "INSERT INTO extension_failed_runs (id, extension_id, install_id, account_id, version_id, handler, platform,
            platform_user_id, run, failed_at)
        SELECT gen_random_uuid(), extension_id, install_id, account_id, version_id, 'of-before', 'kick', 'giver', 'sealed', now()
        FROM extension_failed_runs LIMIT 1";
    assert_eq!(run(&app, sealed).await, 1);
    for (table, _) in PLANTED {
        assert!(tables_with(&app, "4711470001").await.contains_key(*table), "nobody is planted in {table}");
    }
    let (others_rows, others_keys) =
        (tables_with(&app, "8811470002").await, keys_with(&app, "8811470002").await);
    let (like_before, kick_before) = (keys_with(&app, "4711470").await, keys_with(&app, "4711479999").await);
    let planted = keys_with(&app, "4711470001").await;
    assert!(planted.len() >= 12, "{planted:?}");
    for part in ["s", "delayed", "dead"] {
        let key = format!(":{}}}:{part}", RunTriggers::QUEUE);
        assert!(planted.iter().any(|planted| planted.ends_with(&key)), "nobody is planted in {key}");
    }

    let staff = staff(&app).await;
    let erased = erase(&staff, &json!({ "platform": "twitch", "user_id": "4711470001" })).await;
    let mut affected = [one.account_id, two.account_id];
    affected.sort_unstable();
    assert_eq!(*erased.data(), json!({ "deleted_message_count": 6, "affected_account_ids": affected }),);
    assert_eq!(tables_with(&app, "4711470001").await, BTreeMap::new());
    assert_eq!(keys_with(&app, "4711470001").await, BTreeSet::new());
    assert_eq!(tables_with(&app, "of-before").await, BTreeMap::new());
    assert_eq!(tables_with(&app, "8811470002").await, others_rows);
    assert_eq!(keys_with(&app, "8811470002").await, others_keys);
    assert_eq!(keys_with(&app, "4711479999").await, kick_before);
    // The names of values stored by handlers are opaque.
    let is_kept_value = |key: &String| key.contains(":v:last-");
    let (kept_values, like_after): (BTreeSet<String>, BTreeSet<String>) =
        keys_with(&app, "4711470").await.into_iter().partition(is_kept_value);
    assert_eq!(kept_values.len(), 2, "those of whoever has an id that begins alike: {kept_values:?}");
    let like: BTreeSet<String> =
        like_before.into_iter().filter(|key| !key.ends_with("4711470001") && !is_kept_value(key)).collect();
    assert_eq!(like_after, like);
    let cleared = tables_with(&app, "[erased]").await;
    for table in ["extension_errors", "extension_logs"] {
        assert_eq!(cleared.get(table), Some(&2), "the rows of {table} stay without the id: {cleared:?}");
    }

    let entries = app.audited("chat_pii_erasure").await;
    assert_eq!(entries.len(), 3, "{entries:?}");
    assert_eq!(entries.iter().filter(|entry| entry.scope == "system").count(), 1);
    let accounts: BTreeSet<Uuid> = entries.iter().filter_map(|entry| entry.account_id).collect();
    assert_eq!(accounts, BTreeSet::from(affected));
    assert!(!accounts.contains(&untouched.account_id));
    let entry_of_all = entries.iter().find(|entry| entry.scope == "system").unwrap();
    assert_eq!(entry_of_all.actor_id, Some(staff.user_id));
    assert_eq!(entry_of_all.metadata["deleted_message_count"], 6);
    assert!(entries.iter().all(|entry| !entry.metadata.to_string().contains("4711470001")));
    assert!(
        entries.iter().all(|entry| entry.metadata["subject_hash"] == entry_of_all.metadata["subject_hash"])
    );
    let bans = app.audited("chat:user_banned").await;
    let of_erased: Vec<_> =
        bans.iter().filter(|entry| entry.resource_id.as_deref() == Some("erased")).collect();
    assert_eq!(of_erased.len(), 2, "the trail still says that somebody was banned: {bans:?}");
    assert!(of_erased.iter().all(|entry| entry.metadata == json!({ "platform": "twitch", "success": true })));
    let again = erase(&staff, &json!({ "platform": "twitch", "user_id": "4711470001" })).await;
    assert_eq!(*again.data(), json!({ "deleted_message_count": 0, "affected_account_ids": [] }));
    app.stop().await;
}

#[tokio::test]
async fn erase_youtube_member_data_erases_the_member_and_keeps_emotes() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    app.one_of_everything(&owner).await;
    plant(&app, owner.account_id, "youtube", CHANNEL).await;
    // The id is no number, and null is no id.
    let of_others = r#"INSERT INTO automation_runs (id, account_id, automation_id, trigger, dedupe_key)
        SELECT gen_random_uuid(), account_id, id, '{"node_id": null, "payload": [null]}', 'bystander' FROM automations LIMIT 1"#;
    assert_eq!(run(&app, of_others).await, 1);
    let mut redis = app.state.redis.get().await.unwrap();
    let emotes = app.state.redis.key(format_args!("emotes:7tv:channel-youtube-{CHANNEL}"));
    redis::cmd("SET").arg(&emotes).arg("{}").query_async::<()>(&mut *redis).await.unwrap();
    drop(redis);
    let staff = staff(&app).await;
    let erased = erase_member_over_graphql(&staff, CHANNEL).await.field("eraseYoutubeMemberData");
    assert_eq!(erased["deleted_message_count"], 3);
    assert_eq!(erased["affected_account_ids"], json!([owner.account_id]));
    // Two caches, three events, a removal, two buffered rows, four jobs; of handlers one wanted action, three
    // names and values, and one log line.
    assert_eq!(erased["erased_key_count"], 17);
    assert_eq!(tables_with(&app, CHANNEL).await, BTreeMap::new());
    assert_eq!(tables_with(&app, "bystander").await, BTreeMap::from([("automation_runs".to_owned(), 1)]));
    assert_eq!(keys_with(&app, CHANNEL).await, BTreeSet::from([emotes]));
    let entries = app.audited("youtube_member_erasure").await;
    assert_eq!(entries.iter().map(|entry| entry.account_id).collect::<BTreeSet<_>>().len(), 2);
    let rest = erase_member(&staff, CHANNEL).await;
    let nothing = json!({ "erased_key_count": 0, "deleted_message_count": 0, "affected_account_ids": [] });
    assert_eq!(*rest.data(), nothing);
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_erases_rows_buffered_by_workers() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let running =
        lumio_worker::start_with(app.config(), app.clock.clone(), &[Daemon::Ingest]).await.expect("workers");
    let buffer = RowBuffer::<ChatMessage>::new(app.state.redis.clone());
    let rows: Vec<ChatMessage> =
        (0..50).map(|_| message(owner.account_id, "trovo", "991199", app.clock.now())).collect();
    buffer.push(&rows).await.unwrap();
    let staff = staff(&app).await;
    erase(&staff, &json!({ "platform": "trovo", "user_id": "991199" })).await.expect(200);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(tables_with(&app, "991199").await, BTreeMap::new());
    assert_eq!(keys_with(&app, "991199").await, BTreeSet::new());
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_of_a_user_covers_every_login() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    let user_id = app.user("viewer").await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for (platform, id) in [("twitch", "331133"), ("kick", "331134")] {
        sql_query(
            "INSERT INTO login_connections (id, user_id, platform, provider_user_id, username, display_name) \
             VALUES (gen_random_uuid(), $1, $2, $3, 'v', 'V')",
        )
        .bind::<SqlUuid, _>(user_id)
        .bind::<Text, _>(platform)
        .bind::<Text, _>(id)
        .execute(&mut *db)
        .await
        .unwrap();
    }
    drop(db);
    plant(&app, owner.account_id, "twitch", "331133").await;
    plant_in_redis(&app, owner.account_id, "kick", "331134").await;
    // A server function that the signed-in user called.
    let mut db = app.databases.timescaledb.get().await.unwrap();
    let run = "INSERT INTO extension_failed_runs (id, extension_id, install_id, account_id, version_id, handler, user_id,
            run, person_ids, failed_at)
        SELECT gen_random_uuid(), extension_id, install_id, account_id, version_id, 'h', $1, run, '{}', now()
        FROM extension_failed_runs LIMIT 1";
    assert_eq!(sql_query(run).bind::<SqlUuid, _>(user_id).execute(&mut *db).await.unwrap(), 1);
    drop(db);
    let input = json!({ "lumio_user_id": user_id });
    let erased = erase_over_graphql(&staff, &input).await.field("eraseChatSubjectData");
    assert_eq!(erased, json!({ "deleted_message_count": 3, "affected_account_ids": [owner.account_id] }));
    // Their login connections are kept.
    let left = BTreeMap::from([("login_connections".to_owned(), 1)]);
    assert_eq!((tables_with(&app, "331133").await, tables_with(&app, "331134").await), (left.clone(), left));
    assert_eq!(keys_with(&app, "33113").await, BTreeSet::new());
    assert!(!tables_with(&app, &user_id.to_string()).await.contains_key("extension_failed_runs"));
    let unknown = json!({ "lumio_user_id": Uuid::now_v7() });
    let rest = erase(&staff, &unknown).await;
    let graphql = erase_over_graphql(&staff, &unknown).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "User not found");
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_needs_exactly_one_complete_subject() {
    let app = TestApp::start().await;
    let staff = staff(&app).await;
    let id = Uuid::now_v7();
    let message = "Provide either lumioUserId or both platform and userId";
    for input in [
        json!({}),
        json!({ "platform": "twitch" }),
        json!({ "platform": "twitch", "user_id": "" }),
        json!({ "platform": "", "user_id": "1" }),
        json!({ "platform": "", "user_id": "" }),
        json!({ "user_id": "1" }),
        json!({ "lumio_user_id": id, "platform": "twitch" }),
        json!({ "lumio_user_id": id, "user_id": "1" }),
        json!({ "lumio_user_id": id, "platform": "twitch", "user_id": "1" }),
    ] {
        let graphql = erase_over_graphql(&staff, &input).await;
        both_refused(&erase(&staff, &input).await, &graphql, 400, "VALIDATION_ERROR", message);
    }
    for (input, message) in [
        (
            json!({ "platform": "x", "user_id": "1" }),
            "platform must be one of twitch, youtube, kick, trovo, spotify, discord",
        ),
        (json!({ "platform": "kick", "user_id": " " }), "user_id must not be empty"),
        (
            json!({ "platform": "kick", "user_id": "1".repeat(129) }),
            "user_id must be between 1 and 128 characters",
        ),
        (
            json!({ "platform": "youtube", "user_id": "streamer" }),
            "user_id must be a YouTube channel id, such as UCxxxxxxxxxxxxxxxxxxxxxx",
        ),
    ] {
        let graphql = erase_over_graphql(&staff, &input).await;
        both_refused(&erase(&staff, &input).await, &graphql, 400, "VALIDATION_ERROR", message);
    }
    // In GraphQL an id is a UUID, which an empty text is not.
    for input in [json!({ "lumio_user_id": "" }), json!({ "lumio_user_id": "", "platform": "twitch" })] {
        erase(&staff, &input)
            .await
            .refused("VALIDATION_ERROR", "Provide either lumioUserId or both platform and userId");
    }
    for malformed in [json!("x"), json!(1)] {
        erase(&staff, &json!({ "lumio_user_id": malformed }))
            .await
            .refused("VALIDATION_ERROR", "Invalid UUID: lumio_user_id");
    }
    let message = "id must be a YouTube channel id, such as UCxxxxxxxxxxxxxxxxxxxxxx";
    for wrong in [
        "UC",
        "UCaaaaaaaaaaaaaaaaaaaaa",
        "UCaaaaaaaaaaaaaaaaaaaaaaa",
        "UDaaaaaaaaaaaaaaaaaaaaaa",
        "UCaaaaaaaaaaaaaaaaaaaaa%21",
    ] {
        let decoded = wrong.replace("%21", "!");
        let (rest, graphql) =
            (erase_member(&staff, wrong).await, erase_member_over_graphql(&staff, &decoded).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    assert!(app.audited("chat_pii_erasure").await.is_empty());
    let with_an_empty_id = json!({ "lumio_user_id": "", "platform": "twitch", "user_id": "1" });
    erase(&staff, &with_an_empty_id).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn erase_chat_subject_data_and_youtube_erasure_need_the_permission() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let other_staff = app.admin_with(&["admin:audit"]).await;
    let input = json!({ "platform": "twitch", "user_id": "1" });
    for (caller, status, code, message) in [
        (app.anonymous(), 401, "UNAUTHORIZED", "Authentication required"),
        (owner.caller.clone(), 403, "FORBIDDEN", "Missing permission: admin:privacy-erase"),
        (other_staff.caller.clone(), 403, "FORBIDDEN", "Missing permission: admin:privacy-erase"),
    ] {
        let graphql = erase_over_graphql(&caller, &input).await;
        both_refused(&erase(&caller, &input).await, &graphql, status, code, message);
        let graphql = erase_member_over_graphql(&caller, CHANNEL).await;
        both_refused(&erase_member(&caller, CHANNEL).await, &graphql, status, code, message);
    }
    app.stop().await;
}
