//! Connections of the daemon `obs-remote` to a stand-in for OBS (reference/obs.md#connection).

use std::time::Duration;

use lumio_tests::{
    Person, Program, SocketRequest, TestApp, both_refused, eventually,
    world::{count, published},
};
use platforms_stand_in::obs::{ObsStandIn, Scene, close};
use serde_json::{Value, json};

use super::{
    FEATURES, OBS, RESULT, TEST_RESULT, builder, connect, connected, daemon, gql, gql_scene, gql_source,
    owner, refused, remote_status, rest, status,
};

/// A connected owner.
async fn attached(app: &TestApp, obs: &ObsStandIn, password: Option<&str>) -> Person {
    let owner = owner(app).await;
    connect(&owner, obs, password).await;
    connected(&owner).await;
    owner
}

/// Published events of the account's channel: types and data.
async fn events(app: &TestApp, owner: &Person) -> Vec<(String, Value)> {
    let published = published(app, &format!("obs:{}", owner.account_id)).await;
    published
        .iter()
        .map(|event| (event["event_type"].as_str().unwrap().to_owned(), event["data"].clone()))
        .collect()
}

#[tokio::test]
async fn obs_remote_status_follows_obs_with_and_without_a_password() {
    for password in [None, Some("secret")] {
        let obs = ObsStandIn::start(password).await;
        obs.set_recording(true);
        obs.set_paused(true);
        let app = builder(&obs).start().await;
        let running = daemon(&app).await;
        let owner = attached(&app, &obs, password).await;
        let state = remote_status(&owner).await;
        assert_eq!((&state["scenes"], &state["current_scene"]), (&json!(["Game", "Break"]), &json!("Game")));
        assert_eq!(state["stream"], json!({ "active": false, "state": "stopped" }));
        assert_eq!(state["record"], json!({ "active": true, "paused": true, "state": "paused" }));
        assert_eq!((&state["connected"], &state["error"]), (&json!(true), &Value::Null));

        let mut socket = SocketRequest::to(app.url()).bearer(owner.caller.token()).connect().await;
        socket.subscribe(&format!("obs:{}", owner.account_id)).await;
        let mut until = async |event_type: &str, key: &str, value: Value| loop {
            let frame = socket.frame().await;
            if frame["event_type"] == event_type && frame["data"][key] == value {
                return frame["data"].clone();
            }
        };
        obs.switch_to("Break");
        until("obs:scene_changed", "scene", json!("Break")).await;
        until("obs:status", "current_scene", json!("Break")).await;
        obs.set_streaming(true);
        let starting = until("obs:stream_state", "state", json!("starting")).await;
        assert_eq!(starting, json!({ "active": false, "state": "starting" }));
        let started = until("obs:stream_state", "state", json!("started")).await;
        assert_eq!(started, json!({ "active": true, "state": "started" }));
        until("obs:status", "streaming", json!(true)).await;
        obs.set_paused(false);
        let resumed = json!({ "active": true, "state": "resumed", "paused": false });
        assert_eq!(until("obs:record_state", "state", json!("resumed")).await, resumed);
        obs.rename_scene("Break", "Pause");
        until("obs:status", "current_scene", json!("Pause")).await;
        obs.add_scene(Scene::new("Later", &[]));
        eventually("the scenes are in the order of OBS", async || {
            remote_status(&owner).await["scenes"] == json!(["Game", "Pause", "Later"])
        })
        .await;
        assert_eq!(remote_status(&owner).await["stream"]["active"], true);
        running.stop().await.unwrap();
        eventually("OBS is left", async || obs.sessions() == 0).await;
        until("obs:status", "connected", json!(false)).await;
        assert_eq!(status(&owner).await["connected"], false);
        assert_eq!(obs.violations(), Vec::<String>::new());
        app.stop().await;
    }
}

#[tokio::test]
async fn obs_remote_status_follows_a_change_of_the_scene_collection() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = attached(&app, &obs, None).await;
    obs.begin_collection_change();
    let busy = "OBS changes its scene collection";
    eventually("requests are held back", async || {
        rest(&owner, "record/start").await.error().1 == busy || {
            obs.set_recording(false);
            false
        }
    })
    .await;
    let requests = obs.requests().len();
    gql(&owner, "startObsStream", RESULT).await.refused("BAD_REQUEST", busy);
    assert_eq!(obs.requests().len(), requests);
    obs.change_collection(vec![Scene::new("Other", &[]), Scene::new("Last", &[])]);
    eventually("the new scenes are known", async || {
        let state = remote_status(&owner).await;
        state["scenes"] == json!(["Other", "Last"]) && state["current_scene"] == "Other"
    })
    .await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn stop_obs_stream_and_the_other_commands_reach_obs() {
    let obs = ObsStandIn::start(Some("secret")).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = attached(&app, &obs, Some("secret")).await;
    let done = json!({ "success": true, "relayed": false });
    assert_eq!(*rest(&owner, "stream/start").await.expect(200), done);
    assert!(obs.is_streaming());
    assert_eq!(gql(&owner, "stopObsStream", RESULT).await.field("stopObsStream"), done);
    assert!(!obs.is_streaming());
    assert_eq!(gql(&owner, "startObsRecord", RESULT).await.field("startObsRecord"), done);
    assert!(obs.is_recording());
    assert_eq!(*rest(&owner, "record/stop").await.expect(200), done);
    assert!(!obs.is_recording());
    assert_eq!(*owner.post(&format!("{OBS}/scene"), json!({ "scene": "Break" })).await.expect(200), done);
    assert_eq!(obs.current_scene(), "Break");
    assert_eq!(gql_source(&owner, "Game", "Screen", false).await.field("setObsSource"), done);
    assert_eq!(
        (obs.is_visible("Game", "Screen"), obs.is_visible("Game", "Camera")),
        (Some(false), Some(true))
    );
    let entries = [
        app.audited_once("obs_stream:started").await,
        app.audited_once("obs_stream:stopped").await,
        app.audited_once("obs_record:started").await,
        app.audited_once("obs_record:stopped").await,
        app.audited_once("obs_scene:set").await,
        app.audited_once("obs_source:set").await,
    ];
    assert!(entries.iter().all(|entry| entry.account_id == Some(owner.account_id)), "{entries:?}");
    assert!(!events(&app, &owner).await.iter().any(|(event_type, _)| event_type == "obs:command"));
    assert_eq!(obs.violations(), Vec::<String>::new());
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn set_obs_scene_and_stop_obs_record_answer_with_the_comment_of_obs() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = attached(&app, &obs, None).await;
    let rest_scene = owner.post(&format!("{OBS}/scene"), json!({ "scene": "None" })).await;
    let message = "No source was found by the name of `None`.";
    both_refused(&rest_scene, &gql_scene(&owner, "None").await, 400, "BAD_REQUEST", message);
    let input = json!({ "scene": "Game", "source": "None", "visible": true });
    let rest_source = owner.post(&format!("{OBS}/source"), input).await;
    let graphql = gql_source(&owner, "Game", "None", true).await;
    let message = "No scene items were found in the specified scene by that name or offset.";
    both_refused(&rest_source, &graphql, 400, "BAD_REQUEST", message);
    let (first, second) = (rest(&owner, "record/stop").await, gql(&owner, "stopObsRecord", RESULT).await);
    both_refused(&first, &second, 400, "BAD_REQUEST", "OBS refuses it with status 501");
    assert_eq!(app.audited("obs_scene:set").await, []);
    obs.behave(|behaviour| behaviour.is_not_ready = true);
    rest(&owner, "stream/start").await.refused("BAD_REQUEST", "OBS is not ready");
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn stop_obs_record_and_the_other_commands_need_a_connection() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let owner = owner(&app).await;
    connect(&owner, &obs, None).await;
    for (path, field) in [
        ("stream/start", "startObsStream"),
        ("stream/stop", "stopObsStream"),
        ("record/start", "startObsRecord"),
        ("record/stop", "stopObsRecord"),
    ] {
        let (rest, graphql) = (rest(&owner, path).await, gql(&owner, field, RESULT).await);
        both_refused(&rest, &graphql, 409, "CONFLICT", "OBS is not connected");
    }
    let rest_scene = owner.post(&format!("{OBS}/scene"), json!({ "scene": "Game" })).await;
    both_refused(&rest_scene, &gql_scene(&owner, "Game").await, 409, "CONFLICT", "OBS is not connected");
    gql_source(&owner, "Game", "Camera", true).await.refused("CONFLICT", "OBS is not connected");
    assert_eq!(app.audited("obs_stream:started").await, []);
    app.stop().await;
}

#[tokio::test]
async fn start_obs_record_is_executed_at_most_once_when_obs_is_silent() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = attached(&app, &obs, None).await;
    obs.behave(|behaviour| behaviour.is_silent = true);
    let answer = rest(&owner, "record/start").await;
    answer.refused("CONFLICT", "OBS did not answer in time");
    assert_eq!(answer.body["details"]["code"], "OUTCOME_UNKNOWN");
    refused(&owner, "OBS does not answer").await;
    obs.behave(|behaviour| behaviour.is_silent = false);
    connected(&owner).await;
    assert_eq!(obs.requests().iter().filter(|request| *request == "StartRecord").count(), 1);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn start_obs_stream_refuses_more_than_twenty_waiting_commands() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let owner = owner(&app).await;
    connect(&owner, &obs, None).await;
    // Connected by the word of a daemon that takes no commands.
    let state = json!({
        "connected": true, "error": null, "stream": { "active": false, "paused": false, "state": "stopped" },
        "record": { "active": false, "paused": false, "state": "stopped" }, "scenes": [], "current_scene": null,
        "updated_at": app.clock.now(),
    });
    let mut redis = app.state.redis.get().await.unwrap();
    let key = app.state.redis.key(format!("obs:state:{}", owner.account_id));
    redis::cmd("SET").arg(key).arg(state.to_string()).query_async::<()>(&mut *redis).await.unwrap();
    let list = app.state.redis.key(format!("obs:commands:{}", owner.account_id));
    redis::cmd("RPUSH").arg(&list).arg(&["{}"; 19][..]).query_async::<()>(&mut *redis).await.unwrap();
    let (first, second) = tokio::join!(rest(&owner, "stream/start"), async {
        eventually("the first waits", async || {
            let mut redis = app.state.redis.get().await.unwrap();
            let waiting: u32 = redis::cmd("LLEN").arg(&list).query_async(&mut *redis).await.unwrap();
            waiting == 20
        })
        .await;
        (rest(&owner, "stream/start").await, gql(&owner, "startObsStream", RESULT).await)
    });
    let message = "Too many commands to OBS are waiting";
    both_refused(&second.0, &second.1, 429, "RATE_LIMIT_EXCEEDED", message);
    first.refused("CONFLICT", "OBS is not connected");
    let waiting: u32 = redis::cmd("LLEN").arg(&list).query_async(&mut *redis).await.unwrap();
    assert_eq!(waiting, 19, "the command that was not taken is withdrawn");
    drop(redis);
    app.stop().await;
}

#[tokio::test]
async fn test_obs_connection_reports_what_stops_it_and_touches_no_connection() {
    let obs = ObsStandIn::start(Some("secret")).await;
    let app = builder(&obs).start().await;
    let owner = owner(&app).await;
    let running = daemon(&app).await;
    connect(&owner, &obs, Some("wrong")).await;
    let failed = |error: &str| json!({ "success": false, "error": error, "relayed": false });
    assert_eq!(*rest(&owner, "test").await.expect(200), failed("OBS refuses the password"));
    connect(&owner, &obs, None).await;
    let answer = gql(&owner, "testObsConnection", TEST_RESULT).await;
    assert_eq!(answer.field("testObsConnection"), failed("OBS requires a password"));
    connect(&owner, &obs, Some("secret")).await;
    connected(&owner).await;
    let done = json!({ "success": true, "error": null, "relayed": false });
    assert_eq!(*rest(&owner, "test").await.expect(200), done);
    assert_eq!(status(&owner).await["connected"], true);
    obs.behave(|behaviour| behaviour.rpc_version = Some(0));
    let expected = failed("OBS has another version of obs-websocket");
    assert_eq!(*rest(&owner, "test").await.expect(200), expected);
    obs.behave(|behaviour| behaviour.says_no_hello = true);
    let (first, second) = tokio::join!(rest(&owner, "test"), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        rest(&owner, "test").await
    });
    assert_eq!(*first.expect(200), failed("OBS does not answer"));
    second.refused("RATE_LIMIT_EXCEEDED", "A test of the connection is running");
    obs.behave(|behaviour| behaviour.refuses_upgrades = true);
    let expected = failed("The host does not speak obs-websocket 5");
    assert_eq!(*rest(&owner, "test").await.expect(200), expected);
    assert_eq!(status(&owner).await["connected"], true);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn test_obs_connection_without_a_daemon_fails_in_time() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let owner = owner(&app).await;
    connect(&owner, &obs, None).await;
    let expected =
        json!({ "success": false, "error": "The test was not executed in time", "relayed": false });
    assert_eq!(*rest(&owner, "test").await.expect(200), expected);
    assert_eq!(obs.connections(), 0, "the API opens no connection");
    app.stop().await;
}

#[tokio::test]
async fn obs_status_states_a_wrong_password_and_tries_it_once() {
    let obs = ObsStandIn::start(Some("secret")).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = owner(&app).await;
    connect(&owner, &obs, Some("wrong")).await;
    refused(&owner, "OBS refuses the password").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(obs.connections(), 1, "no second try before a person acts");
    let (event_type, data) = events(&app, &owner).await.remove(0);
    assert_eq!((event_type.as_str(), &data["error"]), ("obs:status", &json!("OBS refuses the password")));
    connect(&owner, &obs, Some("secret")).await;
    connected(&owner).await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn obs_status_recovers_from_lost_connections() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = attached(&app, &obs, None).await;
    let breaks: [(&str, &dyn Fn()); 4] = [
        ("cut", &|| obs.cut_all()),
        ("closed", &|| obs.close_all(1001)),
        ("no JSON", &|| obs.send_text("{")),
        ("too large", &|| obs.send_text("x".repeat(2 * 1024 * 1024))),
    ];
    for (what, break_it) in breaks {
        let before = obs.connections();
        break_it();
        eventually(what, async || obs.connections() > before && obs.sessions() == 1).await;
        connected(&owner).await;
    }
    obs.close_all(close::SESSION_INVALIDATED);
    refused(&owner, "OBS ended the session").await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn delete_obs_config_and_a_feature_that_is_off_end_the_connection() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let running = daemon(&app).await;
    let owner = attached(&app, &obs, None).await;
    owner.put(OBS, json!({})).await.expect(200);
    eventually("local mode ends it", async || obs.sessions() == 0).await;
    connect(&owner, &obs, None).await;
    connected(&owner).await;
    for feature in FEATURES {
        app.override_feature(owner.account_id, feature, false).await;
        eventually("the feature is off", async || obs.sessions() == 0).await;
        app.override_feature(owner.account_id, feature, true).await;
        connected(&owner).await;
    }
    owner.delete(OBS).await.expect(204);
    eventually("the configuration is gone", async || obs.sessions() == 0).await;
    let key = app.state.redis.key(format!("obs:state:{}", owner.account_id));
    eventually("nothing is left", async || {
        let mut redis = app.state.redis.get().await.unwrap();
        let left: u32 = redis::cmd("EXISTS").arg(&key).query_async(&mut *redis).await.unwrap();
        left == 0
    })
    .await;
    assert_eq!(count(&app, "obs_configs").await, 0);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn obs_status_is_held_by_one_copy_and_taken_over_by_another() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let (first, second) = (daemon(&app).await, daemon(&app).await);
    let owner = attached(&app, &obs, None).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!((obs.sessions(), obs.connections()), (1, 1), "two copies, one connection");
    first.stop().await.unwrap();
    eventually("the other copy has it", async || obs.sessions() == 1).await;
    connected(&owner).await;
    assert_eq!(*rest(&owner, "stream/start").await.expect(200), json!({ "success": true, "relayed": false }));
    second.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn obs_status_of_a_killed_copy_is_taken_over() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let mut killed = Program::start("lumio-worker", &["obs-remote"], &app.variables());
    let owner = attached(&app, &obs, None).await;
    killed.kill();
    eventually("its connection is gone", async || obs.sessions() == 0).await;
    let running = daemon(&app).await;
    eventually("another copy has it", async || obs.sessions() == 1).await;
    connected(&owner).await;
    assert_eq!(*rest(&owner, "stream/start").await.expect(200), json!({ "success": true, "relayed": false }));
    assert_eq!(obs.connections(), 2);
    running.stop().await.unwrap();
    app.stop().await;
}
