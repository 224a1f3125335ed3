//! Commands that an account's own page executes (reference/obs.md#local-mode).

use lumio_tests::{SocketRequest, TestApp, both_refused, world::published};
use serde_json::{Value, json};

use super::{
    FEATURES, OBS, RESULT, TEST_RESULT, gql, gql_scene, gql_source, owner, remote_status, rest, status,
};

/// Commands without input: path, field and audited action.
const PLAIN: [(&str, &str, &str); 4] = [
    ("stream/start", "startObsStream", "obs_stream:started"),
    ("stream/stop", "stopObsStream", "obs_stream:stopped"),
    ("record/start", "startObsRecord", "obs_record:started"),
    ("record/stop", "stopObsRecord", "obs_record:stopped"),
];

#[tokio::test]
async fn start_obs_stream_and_the_other_commands_are_relayed_in_local_mode() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    rest(&owner, "stream/start").await.refused("CONFLICT", "OBS is not connected");
    owner.put(OBS, json!({})).await.expect(200);
    let channel = format!("obs:{}", owner.account_id);
    let mut socket = SocketRequest::to(app.url()).bearer(owner.caller.token()).connect().await;
    socket.subscribe(&channel).await;
    let relayed = json!({ "success": true, "relayed": true });
    let expected = |command: &str, scene: Value, source: Value, visible: Value| json!({ "command": command, "scene": scene, "source": source, "visible": visible });
    let mut heard = async |what: Value| {
        let frame = socket.frame().await;
        assert_eq!(frame["event_type"], "obs:command", "{frame}");
        let mut data = frame["data"].as_object().unwrap().clone();
        assert!(data.remove("command_id").is_some() && data.remove("issued_at").is_some());
        assert_eq!(Value::Object(data), what);
    };
    for (path, field, action) in PLAIN {
        let command = path.split('/').rev().collect::<Vec<_>>().join("_");
        assert_eq!(*rest(&owner, path).await.expect(200), relayed);
        heard(expected(&command, Value::Null, Value::Null, Value::Null)).await;
        assert_eq!(gql(&owner, field, RESULT).await.field(field), relayed);
        heard(expected(&command, Value::Null, Value::Null, Value::Null)).await;
        assert_eq!(app.audited(action).await.len(), 2, "{action}");
    }
    let scene = json!({ "scene": " Game " });
    assert_eq!(*owner.post(&format!("{OBS}/scene"), scene).await.expect(200), relayed);
    heard(expected("set_scene", json!(" Game "), Value::Null, Value::Null)).await;
    let source = json!({ "scene": "Game", "source": "Camera", "visible": false });
    assert_eq!(*owner.post(&format!("{OBS}/source"), source).await.expect(200), relayed);
    heard(expected("set_source", json!("Game"), json!("Camera"), json!(false))).await;
    let metadata = json!({ "scene": "Game", "source": "Camera", "visible": false });
    assert_eq!(app.audited_once("obs_source:set").await.metadata, metadata);
    assert_eq!(app.audited_once("obs_scene:set").await.account_id, Some(owner.account_id));
    let test = json!({ "success": true, "error": null, "relayed": true });
    assert_eq!(*rest(&owner, "test").await.expect(200), test);
    heard(expected("test", Value::Null, Value::Null, Value::Null)).await;
    assert_eq!(gql(&owner, "testObsConnection", TEST_RESULT).await.field("testObsConnection"), test);
    app.stop().await;
}

#[tokio::test]
async fn obs_status_and_obs_remote_status_know_nothing_in_local_mode() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    let expected = json!({
        "configured": false, "remote_enabled": false, "connected": false, "streaming": false,
        "recording": false, "current_scene": null, "error": null, "updated_at": null,
    });
    assert_eq!(status(&owner).await, expected);
    owner.put(OBS, json!({})).await.expect(200);
    assert_eq!(status(&owner).await["configured"], true);
    let document = "{ obsStatus { configured remoteEnabled connected streaming recording currentScene error updatedAt } }";
    assert_eq!(owner.graphql(document, json!({})).await.field("obsStatus"), status(&owner).await);
    let expected = json!({
        "connected": false, "error": null, "stream": { "active": false, "state": "stopped" },
        "record": { "active": false, "paused": false, "state": "stopped" }, "scenes": [], "current_scene": null,
        "updated_at": null,
    });
    assert_eq!(remote_status(&owner).await, expected);
    let document =
        "{ obsRemoteStatus { connected error stream { active state } record { active paused state }
        scenes currentScene updatedAt } }";
    assert_eq!(owner.graphql(document, json!({})).await.field("obsRemoteStatus"), expected);
    app.stop().await;
}

#[tokio::test]
async fn set_obs_source_and_set_obs_scene_validate_every_field() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    owner.put(OBS, json!({})).await.expect(200);
    for (name, rule) in [
        (String::new(), "must not be empty"),
        (" ".to_owned(), "must not be empty"),
        ("x".repeat(257), "must be between 1 and 256 characters"),
        ("a\nb".to_owned(), "must not contain control characters"),
    ] {
        let rest = owner.post(&format!("{OBS}/scene"), json!({ "scene": name })).await;
        let graphql = gql_scene(&owner, &name).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &format!("scene {rule}"));
        for (scene, source, field) in [(name.as_str(), "Camera", "scene"), ("Game", name.as_str(), "source")]
        {
            let input = json!({ "scene": scene, "source": source, "visible": true });
            let rest = owner.post(&format!("{OBS}/source"), input).await;
            let graphql = gql_source(&owner, scene, source, true).await;
            both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", &format!("{field} {rule}"));
        }
    }
    owner.post(&format!("{OBS}/scene"), json!({ "scene": "x".repeat(256) })).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn test_obs_connection_and_every_command_need_permission_and_both_features() {
    let app = TestApp::start().await;
    let owner = owner(&app).await;
    owner.put(OBS, json!({})).await.expect(200);
    let reader = app.member_with(owner.account_id, &["obs:read"]).await;
    let editor = app.member_with(owner.account_id, &["obs:edit"]).await;
    let fields = PLAIN.map(|(path, field, _)| (path, field, RESULT)).into_iter();
    let plain: Vec<_> = fields.chain([("test", "testObsConnection", TEST_RESULT)]).collect();
    let scene = json!({ "scene": "Game" });
    let source = json!({ "scene": "Game", "source": "Camera", "visible": true });
    let check = async |caller: &lumio_tests::Caller, code: &str, message: &str| {
        for (path, field, selection) in &plain {
            let (rest, graphql) = (rest(caller, path).await, gql(caller, field, selection).await);
            both_refused(&rest, &graphql, 403, code, message);
        }
        let rest = caller.post(&format!("{OBS}/scene"), scene.clone()).await;
        both_refused(&rest, &gql_scene(caller, "Game").await, 403, code, message);
        let rest = caller.post(&format!("{OBS}/source"), source.clone()).await;
        both_refused(&rest, &gql_source(caller, "Game", "Camera", true).await, 403, code, message);
    };
    check(&reader.caller, "FORBIDDEN", "Missing permission: obs:edit").await;
    for (path, field) in [("status", "obsStatus"), ("remote-status", "obsRemoteStatus")] {
        reader.get(&format!("{OBS}/{path}")).await.expect(200);
        let (rest, graphql) = (
            editor.get(&format!("{OBS}/{path}")).await,
            editor.graphql(&format!("{{ {field} {{ connected }} }}"), json!({})).await,
        );
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: obs:read");
    }
    for (path, ..) in &plain {
        rest(&editor, path).await.expect(200);
    }
    for feature in FEATURES {
        app.override_feature(owner.account_id, feature, false).await;
        let message = format!("Feature is disabled: {feature}");
        check(&editor.caller, "FEATURE_DISABLED", &message).await;
        for path in ["status", "remote-status"] {
            let refused = reader.get(&format!("{OBS}/{path}")).await;
            refused.refused("FEATURE_DISABLED", &message);
        }
        app.override_feature(owner.account_id, feature, true).await;
    }
    let commands = published(&app, &format!("obs:{}", owner.account_id)).await;
    assert_eq!(commands.len(), plain.len(), "refused calls relay nothing");
    app.stop().await;
}
