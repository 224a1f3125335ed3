//! A real OBS, where `LUMIO_TEST_OBS_URL` names one: `ws://:password@host:port`, the password percent-encoded.

use lumio_tests::TestApp;
use serde_json::json;
use url::Url;

use super::{OBS, connected, daemon, owner, remote_status, rest};

#[tokio::test]
async fn obs_remote_status_and_set_obs_scene_work_with_a_real_obs() {
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
    let input = json!({
        "port": url.port().unwrap_or(4455), "remote_enabled": true, "remote_host": url.host_str(),
        "password": password,
    });
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
    owner.post(&format!("{OBS}/scene"), json!({ "scene": missing })).await.refused_with("BAD_REQUEST");
    running.stop().await.unwrap();
    app.stop().await;
}
