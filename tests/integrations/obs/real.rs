//! A real OBS, where `LUMIO_TEST_OBS_URL` names one: `ws://:password@host:port`, the password percent-encoded.
//!
//! On a machine without a screen it runs under Xvfb. Debian has the packages `obs-studio` and `xvfb`; the server of
//! obs-websocket is switched on in the dialogue of its settings, or by `ServerEnabled`, `AuthRequired`, `ServerPort`,
//! `ServerPassword` and `FirstLoad=false` in the section `OBSWebSocket` of `~/.config/obs-studio/global.ini` (OBS 29).

use lumio_tests::TestApp;
use serde_json::json;
use url::Url;

use super::{OBS, connected, daemon, owner, remote_status, rest};

#[tokio::test]
async fn obs_remote_status_and_the_commands_work_with_a_real_obs() {
    let Ok(url) = std::env::var("LUMIO_TEST_OBS_URL") else {
        eprintln!("skipped: LUMIO_TEST_OBS_URL names no OBS");
        return;
    };
    let url = Url::parse(&url).expect("LUMIO_TEST_OBS_URL is an address");
    let app = TestApp::builder().with("LUMIO_OBS_ALLOW_PRIVATE", 1).start().await;
    let running = daemon(&app).await;
    let owner = owner(&app).await;
    let password = url.password().map(|text| {
        let query = format!("p={}", text.replace('+', "%2B"));
        url::form_urlencoded::parse(query.as_bytes()).next().expect("a password").1.into_owned()
    });
    let mut input = json!({
        "port": url.port().unwrap_or(4455), "remote_enabled": true, "remote_host": url.host_str(),
        "password": "another password",
    });
    if password.is_some() {
        owner.put(OBS, input.clone()).await.expect(200);
        let failed = json!({ "success": false, "error": "OBS refuses the password", "relayed": false });
        assert_eq!(*rest(&owner, "test").await.expect(200), failed);
    }
    input["password"] = json!(password);
    owner.put(OBS, input).await.expect(200);
    let done = json!({ "success": true, "error": null, "relayed": false });
    assert_eq!(*rest(&owner, "test").await.expect(200), done);
    connected(&owner).await;
    let state = remote_status(&owner).await;
    let scene = state["current_scene"].as_str().expect("a scene is on air").to_owned();
    assert!(state["scenes"].as_array().unwrap().contains(&json!(scene)), "{state}");
    let done = json!({ "success": true, "relayed": false });
    assert_eq!(*owner.post(&format!("{OBS}/scene"), json!({ "scene": scene })).await.expect(200), done);
    let missing = format!("missing-{}", uuid::Uuid::now_v7());
    let refusal = |what: &str| format!("No source was found by the name of `{what}`.");
    let answer = owner.post(&format!("{OBS}/scene"), json!({ "scene": missing })).await;
    answer.refused("BAD_REQUEST", &refusal(&missing));
    let hide = |scene: &str| json!({ "scene": scene, "source": missing, "visible": false });
    let answer = owner.post(&format!("{OBS}/source"), hide(&missing)).await;
    answer.refused("BAD_REQUEST", &refusal(&missing));
    let answer = owner.post(&format!("{OBS}/source"), hide(&scene)).await;
    let message = "No scene items were found in the specified scene by that name or offset.";
    answer.refused("BAD_REQUEST", message);
    if state["record"]["active"] == false {
        rest(&owner, "record/stop").await.refused("BAD_REQUEST", "OBS refuses it with status 501");
    }
    running.stop().await.unwrap();
    app.stop().await;
}
