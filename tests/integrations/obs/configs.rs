//! Configuration of OBS (reference/obs.md#configuration).

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use live_model::obs::open_password;
use lumio_tests::{Answer, Caller, Person, TestApp, both_refused, world::count};
use serde_json::{Value, json};
use shared::{
    id::{AccountId, Trust},
    schema::obs_configs,
};

use super::{CONFIG, FEATURES, OBS, owner};

async fn gql_config(caller: &Caller) -> Answer {
    caller.graphql(&format!("{{ obsConfig {CONFIG} }}"), json!({})).await
}

async fn gql_save(caller: &Caller, input: &Value) -> Answer {
    let document =
        format!("mutation($input: SaveObsConfigInput!) {{ saveObsConfig(input: $input) {CONFIG} }}");
    let mut renamed = json!({});
    for (name, value) in input.as_object().unwrap() {
        let name = name.replace("remote_e", "remoteE").replace("remote_h", "remoteH");
        renamed[name] = value.clone();
    }
    caller.graphql(&document, json!({ "input": renamed })).await
}

async fn gql_delete(caller: &Caller) -> Answer {
    caller.graphql("mutation { deleteObsConfig }", json!({})).await
}

/// The stored password of an account.
async fn password(app: &TestApp, owner: &Person) -> Option<String> {
    let sealed: Option<Vec<u8>> = obs_configs::table
        .find(owner.account_id)
        .select(obs_configs::password)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let account = AccountId::trusted(owner.account_id, Trust::Test);
    sealed.map(|sealed| {
        assert!(!sealed.windows(6).any(|part| part == b"secret"), "it is not encrypted");
        open_password(&app.state.keyring, account, &sealed).unwrap().expose().to_owned()
    })
}

#[tokio::test]
async fn obs_config_has_defaults_until_save_obs_config_replaces_them() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let absent = json!({
        "port": 4455, "has_password": false, "remote_enabled": false, "remote_host": null, "created_at": null,
        "updated_at": null,
    });
    assert_eq!(*owner.get(OBS).await.data(), absent);
    assert_eq!(gql_config(&owner).await.field("obsConfig"), absent);
    let input = json!({
        "port": 4460, "remote_enabled": true, "remote_host": "OBS.Example.", "password": " secret words ",
    });
    let saved = owner.put(OBS, input).await.data().clone();
    assert_eq!(
        (&saved["port"], &saved["has_password"], &saved["remote_enabled"], &saved["remote_host"]),
        (&json!(4460), &json!(true), &json!(true), &json!("obs.example"))
    );
    assert_eq!(*owner.get(OBS).await.data(), saved);
    assert_eq!(password(&app, &owner).await.as_deref(), Some(" secret words "));
    let entry = app.audited_once("obs_config:saved").await;
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    let expected =
        json!({ "port": 4460, "remote_enabled": true, "remote_host": "obs.example", "password": "set" });
    assert_eq!(entry.metadata, expected);
    app.stop().await;
}

#[tokio::test]
async fn save_obs_config_replaces_everything_and_keeps_an_absent_password() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let input = json!({ "port": 1, "remote_enabled": true, "remote_host": "8.8.8.8", "password": "secret" });
    let first = owner.put(OBS, input).await.data().clone();
    app.clock.advance(chrono::Duration::seconds(5));
    let elsewhere = "password must be given again for another host or port";
    for moved in [
        json!({}),
        json!({ "port": 2, "remote_host": "8.8.8.8" }),
        json!({ "port": 1, "remote_host": "8.8.4.4" }),
    ] {
        gql_save(&owner, &moved).await.refused("VALIDATION_ERROR", elsewhere);
    }
    let same = json!({ "port": 1, "remote_host": "8.8.8.8" });
    let second = gql_save(&owner, &same).await.field("saveObsConfig");
    assert_eq!(
        (&second["port"], &second["remote_enabled"], &second["remote_host"], &second["has_password"]),
        (&json!(1), &json!(false), &json!("8.8.8.8"), &json!(true))
    );
    assert_eq!(second["created_at"], first["created_at"]);
    assert_ne!(second["updated_at"], first["updated_at"]);
    assert_eq!(password(&app, &owner).await.as_deref(), Some("secret"));
    let third = gql_save(&owner, &json!({ "password": null })).await.field("saveObsConfig");
    assert_eq!(third["has_password"], false);
    let metadata: Vec<Value> = app
        .audited("obs_config:saved")
        .await
        .iter()
        .map(|entry| entry.metadata["password"].clone())
        .collect();
    assert_eq!(metadata, ["set", "kept", "removed"]);
    app.stop().await;
}

#[tokio::test]
async fn save_obs_config_validates_every_field() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let form = "remote_host must be a host name or an address, without scheme and port";
    let public = "remote_host must be on the public internet";
    for (input, message) in [
        (json!({ "port": 0 }), "port must be between 1 and 65535"),
        (json!({ "port": 65_536 }), "port must be between 1 and 65535"),
        (json!({ "port": -1 }), "port must be between 1 and 65535"),
        (json!({ "password": "" }), "password must not be empty"),
        (json!({ "password": "x".repeat(257) }), "password must be between 1 and 256 characters"),
        (json!({ "password": "a\u{0}b" }), "password must not contain control characters"),
        (json!({ "remote_enabled": true }), "Missing field: remote_host"),
        (json!({ "remote_host": "ws://obs.example" }), form),
        (json!({ "remote_host": "obs.example:4455" }), form),
        (json!({ "remote_host": "obs.example/path" }), form),
        (json!({ "remote_host": "" }), form),
        (json!({ "remote_host": "a".repeat(254) }), form),
        (json!({ "remote_host": "127.0.0.1" }), public),
        (json!({ "remote_host": "2130706433" }), public),
        (json!({ "remote_host": "10.0.0.7" }), public),
        (json!({ "remote_host": "192.168.1.5" }), public),
        (json!({ "remote_host": "169.254.169.254" }), public),
        (json!({ "remote_host": "::1" }), public),
        (json!({ "remote_host": "[fe80::1]" }), public),
        (json!({ "remote_host": "::ffff:10.0.0.1" }), public),
        (json!({ "remote_host": "localhost" }), public),
        (json!({ "remote_host": "obs.local" }), public),
    ] {
        let (rest, graphql) = (owner.put(OBS, input.clone()).await, gql_save(&owner, &input).await);
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let longest = format!("{}.example", "a.".repeat(122) + "a");
    assert_eq!(longest.len(), 253);
    let input = json!({ "port": 65_535, "remote_host": longest, "password": "ä".repeat(256) });
    owner.put(OBS, input).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn save_obs_config_takes_private_hosts_where_the_operator_allows_them() {
    let app = TestApp::builder().with("LUMIO_OBS_ALLOW_PRIVATE", 1).start().await;
    let owner = owner(&app).await;
    for (given, stored) in [("192.168.1.5", "192.168.1.5"), ("[::1]", "::1"), ("obs-pc", "obs-pc")] {
        let input = json!({ "remote_enabled": true, "remote_host": given });
        assert_eq!(owner.put(OBS, input).await.data()["remote_host"], stored);
    }
    app.stop().await;
}

#[tokio::test]
async fn save_obs_config_counts_as_one_integration_until_delete_obs_config() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    for feature in FEATURES {
        app.override_feature(owner.account_id, feature, true).await;
    }
    let used = async || {
        let sql = format!(
            "account_usage WHERE quota = 'integrations' AND used = 1 AND account_id = '{}'",
            owner.account_id
        );
        count(&app, &sql).await
    };
    let saves = (0..4).map(|_| owner.put(OBS, json!({})));
    for saved in futures::future::join_all(saves).await {
        saved.expect(200);
    }
    assert_eq!(used().await, 1, "all saves together");
    owner.delete(OBS).await.expect(204);
    assert_eq!(used().await, 0);
    // Two others are all that the plan has.
    let sql = format!(
        "UPDATE account_usage SET used = 2 WHERE quota = 'integrations' AND account_id = '{}'",
        owner.account_id
    );
    diesel::sql_query(sql).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let (rest, graphql) = (owner.put(OBS, json!({})).await, gql_save(&owner, &json!({})).await);
    both_refused(&rest, &graphql, 403, "PLAN_LIMIT_REACHED", "Integration limit reached");
    assert_eq!(count(&app, "obs_configs").await, 0);
    app.stop().await;
}

#[tokio::test]
async fn delete_obs_config_removes_the_own_configuration_only() {
    let app = TestApp::start().await;
    let (owner, stranger) = (owner(&app).await, owner(&app).await);
    stranger.put(OBS, json!({ "port": 1 })).await.expect(200);
    let message = "OBS configuration not found";
    let (rest, graphql) = (owner.delete(OBS).await, gql_delete(&owner).await);
    both_refused(&rest, &graphql, 404, "NOT_FOUND", message);
    owner.put(OBS, json!({ "password": "secret" })).await.expect(200);
    owner.delete(OBS).await.expect(204);
    assert_eq!(app.audited_once("obs_config:deleted").await.account_id, Some(owner.account_id));
    assert_eq!(owner.get(OBS).await.data()["has_password"], false);
    assert_eq!(gql_delete(&stranger).await.field("deleteObsConfig"), json!(true));
    assert_eq!(count(&app, "obs_configs").await, 0);
    app.stop().await;
}

#[tokio::test]
async fn obs_config_and_save_obs_config_and_delete_obs_config_need_permission_and_both_features() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let reader = app.member_with(owner.account_id, &["obs:read"]).await;
    let editor = app.member_with(owner.account_id, &["obs:edit"]).await;
    let deleter = app.member_with(owner.account_id, &["obs:delete"]).await;
    editor.put(OBS, json!({})).await.expect(200);
    gql_config(&reader).await.field("obsConfig");
    deleter.delete(OBS).await.expect(204);
    let lacks = "Missing permission: obs:";
    let (rest, graphql) = (editor.get(OBS).await, gql_config(&editor).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}read"));
    let (rest, graphql) = (reader.put(OBS, json!({})).await, gql_save(&reader, &json!({})).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}edit"));
    let (rest, graphql) = (editor.delete(OBS).await, gql_delete(&editor).await);
    both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("{lacks}delete"));
    for feature in FEATURES {
        app.override_feature(owner.account_id, feature, false).await;
        let message = format!("Feature is disabled: {feature}");
        let (rest, graphql) = (owner.get(OBS).await, gql_config(&owner).await);
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
        let (rest, graphql) = (owner.put(OBS, json!({})).await, gql_save(&owner, &json!({})).await);
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
        let (rest, graphql) = (owner.delete(OBS).await, gql_delete(&owner).await);
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
        app.override_feature(owner.account_id, feature, true).await;
    }
    app.stop().await;
}
