//! Operations on rewards (reference/rewards.md#rewards).

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused, world::connect_to};
use platforms_stand_in::{Failure, NewUser, Platform};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    FEATURE, REWARD, REWARDS, chat, found, gql_create, gql_delete, gql_reward, gql_update, id_of, linked,
    make_automation, make_layer, make_sound, new, owner, streamer,
};

#[tokio::test]
async fn reward_and_rewards_return_what_create_reward_stored() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let answer = owner.post(REWARDS, linked("r1", chat())).await;
    let first = answer.expect(201)["data"].clone();
    assert_eq!(answer.body["_links"]["self"], format!("{REWARDS}/{}", id_of(&first)));
    assert_eq!(answer.header("location"), format!("{REWARDS}/{}", id_of(&first)));
    let expected = json!({ "id": first["id"], "account_id": owner.account_id, "platform": "twitch",
        "platform_reward_id": "r1", "title": "Say hello", "cost": 500, "enabled": true, "action": chat(),
        "created_at": first["created_at"], "updated_at": first["created_at"] });
    assert_eq!(first, expected);
    app.clock.advance(chrono::Duration::seconds(5));
    let bare =
        json!({ "platform": "kick", "platform_reward_id": " r2 ", "title": " Dance ", "cost": 1_000_000 });
    let second = gql_create(&owner, &bare).await.field("createReward");
    assert_eq!((&second["title"], &second["platform_reward_id"]), (&json!("Dance"), &json!("r2")));
    assert_eq!((&second["action"], &second["platform"]), (&json!({}), &json!("kick")));

    assert_eq!(*owner.get(REWARDS).await.data(), json!([first, second]), "oldest first");
    let listed = owner.graphql(&format!("{{ rewards {REWARD} }}"), json!({})).await;
    assert_eq!(listed.field("rewards"), json!([first, second]));
    assert_eq!(*owner.get(&format!("{REWARDS}/{}", id_of(&first))).await.data(), first);
    assert_eq!(gql_reward(&owner, &id_of(&second)).await.field("reward"), second);
    let entries = app.audited("reward:created").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0].metadata, json!({ "platform": "twitch", "title": "Say hello" }));
    assert_eq!(entries[0].resource_id, Some(id_of(&first)));
    assert!(app.platforms.engagement_calls(Platform::Twitch).is_empty(), "a linked reward is left alone");
    app.stop().await;
}

#[tokio::test]
async fn create_reward_creates_one_at_twitch() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    let first = owner.post(REWARDS, new("Hello", chat())).await.expect(201)["data"].clone();
    let mut input = new("Dance", json!({ "type": "none" }));
    input["platform_reward_id"] = Value::Null;
    let second = gql_create(&owner, &input).await.field("createReward");
    assert_eq!(second["action"], json!({ "type": "none" }));
    let at_twitch = app.platforms.twitch_rewards(&channel);
    let ids: Vec<&str> = at_twitch.iter().map(|reward| reward.id.as_str()).collect();
    assert_eq!(json!(ids), json!([first["platform_reward_id"], second["platform_reward_id"]]));
    assert_eq!(
        (at_twitch[0].title.as_str(), at_twitch[0].cost, at_twitch[0].is_enabled),
        ("Hello", 500, true)
    );
    // Titles are unique in a channel.
    both_refused(
        &owner.post(REWARDS, new("Hello", chat())).await,
        &gql_create(&owner, &new("Hello", chat())).await,
        400,
        "BAD_REQUEST",
        "CREATE_CUSTOM_REWARD_DUPLICATE_REWARD",
    );
    app.platforms.fail_next(Platform::Twitch, Failure::ServerError);
    owner.post(REWARDS, new("Later", chat())).await.refused_with("INTERNAL_SERVER_ERROR");
    assert_eq!(owner.get(REWARDS).await.data().as_array().map(Vec::len), Some(2));
    assert_eq!(app.audited("reward:created").await.len(), 2);
    app.stop().await;
}

#[tokio::test]
async fn create_reward_refuses_an_account_without_the_connection_or_the_scope() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    both_refused(
        &owner.post(REWARDS, new("Hello", chat())).await,
        &gql_create(&owner, &new("Hello", chat())).await,
        409,
        "CONFLICT",
        "The account is not connected to twitch",
    );
    let scopes = Some(vec!["user:read:chat".to_owned()]);
    let limited = NewUser { login: Some("limited".into()), scopes, ..NewUser::default() };
    let limited = app.platforms.create_user_with(Platform::Twitch, limited);
    connect_to(&app, owner.account_id, &limited.user, Some(&limited.access_token)).await;
    both_refused(
        &owner.post(REWARDS, new("Hello", chat())).await,
        &gql_create(&owner, &new("Hello", chat())).await,
        400,
        "BAD_REQUEST",
        "The connection lacks the scope channel:manage:redemptions",
    );
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("UPDATE channel_connections SET reconnect_required = true").execute(&mut *db).await.unwrap();
    drop(db);
    both_refused(
        &owner.post(REWARDS, new("Hello", chat())).await,
        &gql_create(&owner, &new("Hello", chat())).await,
        409,
        "CONFLICT",
        "The twitch channel must be connected again",
    );
    assert_eq!(*owner.get(REWARDS).await.data(), json!([]));
    app.stop().await;
}

#[tokio::test]
async fn create_reward_refuses_wrong_fields() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let with = |field: &str, value: Value| {
        let mut input = linked("r1", chat());
        input[field] = value;
        input
    };
    let id = Uuid::now_v7();
    let layer =
        |secs: i32| json!({ "type": "layer", "layer_id": id, "visible": true, "duration_secs": secs });
    for (input, message) in [
        (with("platform", json!("trovo")), "platform must be twitch or kick"),
        (with("platform", json!("kick")), "action must be none for a reward of kick"),
        (with("platform_reward_id", json!(" ")), "platform_reward_id must not be empty"),
        (
            with("platform_reward_id", json!("x".repeat(256))),
            "platform_reward_id must be between 1 and 255 characters",
        ),
        (with("title", json!(" ")), "title must not be empty"),
        (with("title", json!("x".repeat(46))), "title must be between 1 and 45 characters"),
        (with("cost", json!(0)), "cost must be between 1 and 1000000"),
        (with("cost", json!(1_000_001)), "cost must be between 1 and 1000000"),
        (with("action", json!(["none"])), "action must be an object"),
        (with("action", json!({ "sound_id": id })), "Missing field: action.type"),
        (
            with("action", json!({ "type": "dance" })),
            "Invalid action.type: must be one of none, automation, sound, chat, layer",
        ),
        (with("action", json!({ "type": "sound", "volume": 1 })), "Missing field: action.sound_id"),
        (
            with("action", json!({ "type": "sound", "sound_id": id, "volume": 1.1 })),
            "action.volume must be between 0 and 1",
        ),
        (with("action", json!({ "type": "chat", "template": "" })), "action.template must not be empty"),
        (
            with("action", json!({ "type": "chat", "template": "x".repeat(501) })),
            "action.template must be between 1 and 500 characters",
        ),
        (with("action", layer(0)), "action.duration_secs must be between 1 and 3600"),
        (with("action", layer(3601)), "action.duration_secs must be between 1 and 3600"),
    ] {
        let rest = owner.post(REWARDS, input.clone()).await;
        both_refused(&rest, &gql_create(&owner, &input).await, 400, "VALIDATION_ERROR", message);
    }
    let unknown = with("action", json!({ "type": "none", "volume": 1 }));
    let refused = owner.post(REWARDS, unknown).await;
    refused.refused_with("VALIDATION_ERROR");
    assert_eq!(refused.body["details"]["fields"][0]["field"], "action.volume");
    let on_kick = json!({ "platform": "kick", "title": "Hello", "cost": 1 });
    both_refused(
        &owner.post(REWARDS, on_kick.clone()).await,
        &gql_create(&owner, &on_kick).await,
        400,
        "VALIDATION_ERROR",
        "Missing field: platform_reward_id",
    );
    assert_eq!(*owner.get(REWARDS).await.data(), json!([]));
    app.stop().await;
}

/// Actions with a target of the account, each with the message that refuses a foreign one.
async fn with_targets(app: &TestApp, account: Uuid) -> [(Value, &'static str); 3] {
    let automation = make_automation(app, account, true).await;
    let (sound, layer) = (make_sound(app, account).await, make_layer(app, account).await);
    [
        (json!({ "type": "automation", "automation_id": automation }), "Automation not found"),
        (json!({ "type": "sound", "sound_id": sound, "volume": 0.5 }), "Sound not found"),
        (
            json!({ "type": "layer", "layer_id": layer, "visible": true, "duration_secs": 3600 }),
            "Layer not found",
        ),
    ]
}

#[tokio::test]
async fn create_reward_and_update_reward_take_targets_of_the_account_only() {
    let app = TestApp::start().await;
    let (owner, stranger) = (owner(&app).await, owner(&app).await);
    let own = id_of(&owner.post(REWARDS, linked("own", chat())).await.expect(201)["data"]);
    for (action, message) in with_targets(&app, stranger.account_id).await {
        let input = linked("r1", action.clone());
        let rest = owner.post(REWARDS, input.clone()).await;
        both_refused(&rest, &gql_create(&owner, &input).await, 404, "NOT_FOUND", message);
        let change = json!({ "action": action });
        let rest = owner.patch(&format!("{REWARDS}/{own}"), change.clone()).await;
        both_refused(&rest, &gql_update(&owner, &own, &change).await, 404, "NOT_FOUND", message);
    }
    for (index, (action, _)) in with_targets(&app, owner.account_id).await.into_iter().enumerate() {
        let created = owner.post(REWARDS, linked(&format!("r{index}"), action.clone())).await;
        assert_eq!(created.expect(201)["data"]["action"], action);
        let change = json!({ "action": action });
        assert_eq!(gql_update(&owner, &own, &change).await.field("updateReward")["action"], action);
    }
    app.stop().await;
}

#[tokio::test]
async fn create_reward_and_update_reward_need_access_to_the_overlay_of_a_layer() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let maker = app.member_with(owner.account_id, &["rewards:create", "rewards:edit"]).await;
    let other = app.member_as(owner.account_id, "viewer").await;
    let layer = make_layer(&app, owner.account_id).await;
    let overlay = found(&app, "SELECT id::text AS text FROM overlays").await.expect("an overlay");
    let entry = async |member: Uuid, role: &str| {
        let path = format!("/v1/overlays/{overlay}/access/{member}");
        owner.put(&path, json!({ "role": role })).await.expect(200);
    };
    let action = |visible: bool| json!({ "type": "layer", "layer_id": layer, "visible": visible });
    // Without entries the permission is enough.
    let own = id_of(&maker.post(REWARDS, linked("own", action(true))).await.expect(201)["data"]);
    for (member, role) in [(other.user_id, "editor"), (maker.user_id, "viewer")] {
        entry(member, role).await;
        let input = linked("r1", action(true));
        let message = "Missing access to this overlay";
        let rest = maker.post(REWARDS, input.clone()).await;
        both_refused(&rest, &gql_create(&maker, &input).await, 403, "FORBIDDEN", message);
        let change = json!({ "action": action(false) });
        let rest = maker.patch(&format!("{REWARDS}/{own}"), change.clone()).await;
        both_refused(&rest, &gql_update(&maker, &own, &change).await, 403, "FORBIDDEN", message);
    }
    // The action that the reward has stays.
    let renamed = maker.patch(&format!("{REWARDS}/{own}"), json!({ "title": "New" })).await;
    assert_eq!(renamed.data()["action"], action(true));
    let key = app.service_key(owner.account_id, &["rewards:create"]).await;
    key.post(REWARDS, linked("r2", action(true))).await.expect(201);
    owner.post(REWARDS, linked("r3", action(true))).await.expect(201);
    entry(maker.user_id, "editor").await;
    maker.post(REWARDS, linked("r4", action(true))).await.expect(201);
    let changed = gql_update(&maker, &own, &json!({ "action": action(false) })).await.field("updateReward");
    assert_eq!(changed["action"], action(false));
    app.stop().await;
}

#[tokio::test]
async fn create_reward_links_a_reward_once() {
    let app = TestApp::start().await;
    let (owner, other) = (owner(&app).await, owner(&app).await);
    owner.post(REWARDS, linked("r1", chat())).await.expect(201);
    let input = linked("r1", json!({}));
    let rest = owner.post(REWARDS, input.clone()).await;
    both_refused(&rest, &gql_create(&owner, &input).await, 409, "CONFLICT", "Reward is linked already");
    // Another account may have connected the same channel.
    other.post(REWARDS, input).await.expect(201);
    app.stop().await;
}

#[tokio::test]
async fn create_reward_stops_at_two_hundred_rewards() {
    let app = TestApp::start().await;
    let (owner, channel) = streamer(&app).await;
    sql_query(
        "INSERT INTO rewards (id, account_id, platform, platform_reward_id, is_managed, title, cost)
         SELECT gen_random_uuid(), $1, 'twitch', n::text, false, 't', 1 FROM generate_series(1, 199) AS n",
    )
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    owner.post(REWARDS, linked("last", chat())).await.expect(201);
    for input in [linked("more", chat()), new("Hello", chat())] {
        let rest = owner.post(REWARDS, input.clone()).await;
        both_refused(
            &rest,
            &gql_create(&owner, &input).await,
            403,
            "PLAN_LIMIT_REACHED",
            "Reward limit reached",
        );
    }
    assert_eq!(app.platforms.twitch_rewards(&channel), []);
    assert_eq!(owner.get(REWARDS).await.data().as_array().map(Vec::len), Some(200));
    app.stop().await;
}

#[tokio::test]
async fn rewards_need_their_permission_and_the_feature() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let own = id_of(&owner.post(REWARDS, linked("r1", chat())).await.expect(201)["data"]);
    let path = format!("{REWARDS}/{own}");
    let reader = app.member_with(owner.account_id, &["rewards:read"]).await;
    assert_eq!(reader.get(REWARDS).await.data().as_array().map(Vec::len), Some(1));
    assert_eq!(gql_reward(&reader, &own).await.field("reward")["id"], json!(own));
    let input = linked("r2", chat());
    both_refused(
        &reader.post(REWARDS, input.clone()).await,
        &gql_create(&reader, &input).await,
        403,
        "FORBIDDEN",
        "Missing permission: rewards:create",
    );
    let change = json!({ "title": "x" });
    both_refused(
        &reader.patch(&path, change.clone()).await,
        &gql_update(&reader, &own, &change).await,
        403,
        "FORBIDDEN",
        "Missing permission: rewards:edit",
    );
    both_refused(
        &reader.delete(&path).await,
        &gql_delete(&reader, &own).await,
        403,
        "FORBIDDEN",
        "Missing permission: rewards:delete",
    );
    let nothing = app.member_with(owner.account_id, &["chat:read"]).await;
    both_refused(
        &nothing.get(REWARDS).await,
        &nothing.graphql(&format!("{{ rewards {REWARD} }}"), json!({})).await,
        403,
        "FORBIDDEN",
        "Missing permission: rewards:read",
    );
    app.override_feature(owner.account_id, FEATURE, false).await;
    both_refused(
        &owner.get(REWARDS).await,
        &owner.graphql("{ rewards { id } }", json!({})).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:rewards",
    );
    gql_create(&owner, &linked("r3", chat())).await.refused_with("FEATURE_DISABLED");
    app.stop().await;
}
