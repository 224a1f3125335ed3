//! Control of OBS: configuration, the daemon `obs-remote`, and commands.

mod configs;
mod hosts;
mod limits;
mod real;
mod relayed;
mod remote;

use lumio_tests::{Answer, Caller, Person, TestApp, TestAppBuilder, eventually, world::workers};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::obs::ObsStandIn;
use reqwest::Method;
use serde_json::{Value, json};

const OBS: &str = "/v1/integrations/obs";
const FEATURES: [&str; 2] = ["feature:obs_remote", "integration:obs_websocket"];
const CONFIG: &str = "{ port hasPassword remoteEnabled remoteHost createdAt updatedAt }";
const RESULT: &str = "{ success relayed }";
const TEST_RESULT: &str = "{ success error relayed }";

/// Owner whose account has both features, independent of its plan.
async fn owner(app: &TestApp) -> Person {
    let owner = app.owner().await;
    for feature in FEATURES {
        app.override_feature(owner.account_id, feature, true).await;
    }
    owner
}

/// A server whose daemon may reach the stand-in.
fn builder(obs: &ObsStandIn) -> TestAppBuilder {
    TestApp::builder().with("LUMIO_EGRESS_TEST_HOSTS", obs.address())
}

async fn daemon(app: &TestApp) -> Running {
    workers(app, &[Daemon::ObsRemote]).await
}

/// Saves a connection to the stand-in.
async fn connect(owner: &Person, obs: &ObsStandIn, password: Option<&str>) {
    let input = json!({
        "port": obs.address().port(), "remote_enabled": true, "remote_host": "127.0.0.1", "password": password,
    });
    owner.put(OBS, input).await.expect(200);
}

async fn status(owner: &Person) -> Value {
    owner.get(&format!("{OBS}/status")).await.data().clone()
}

async fn remote_status(owner: &Person) -> Value {
    owner.get(&format!("{OBS}/remote-status")).await.data().clone()
}

/// Waits until the service is connected.
async fn connected(owner: &Person) {
    eventually("the service is connected", async || status(owner).await["connected"] == true).await;
}

/// Waits until the service states why it is not connected.
async fn refused(owner: &Person, reason: &str) {
    eventually(reason, async || status(owner).await["error"] == reason).await;
}

/// An operation without input, over REST.
async fn rest(caller: &Caller, path: &str) -> Answer {
    caller.send(caller.request(Method::POST, &format!("{OBS}/{path}"))).await
}

/// The same over GraphQL.
async fn gql(caller: &Caller, field: &str, selection: &str) -> Answer {
    caller.graphql(&format!("mutation {{ {field} {selection} }}"), json!({})).await
}

/// Sets a scene over GraphQL.
async fn gql_scene(caller: &Caller, scene: &str) -> Answer {
    let document = format!("mutation($input: SetObsSceneInput!) {{ setObsScene(input: $input) {RESULT} }}");
    caller.graphql(&document, json!({ "input": { "scene": scene } })).await
}

/// Shows or hides a source over GraphQL.
async fn gql_source(caller: &Caller, scene: &str, source: &str, visible: bool) -> Answer {
    let document = format!("mutation($input: SetObsSourceInput!) {{ setObsSource(input: $input) {RESULT} }}");
    let input = json!({ "scene": scene, "source": source, "visible": visible });
    caller.graphql(&document, json!({ "input": input })).await
}
