//! Hosts that the daemon connects to (reference/obs.md#hosts).

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use platforms_stand_in::obs::ObsStandIn;
use serde_json::json;

use super::{OBS, connect, connected, daemon, owner, refused, rest};

/// Stores a host past the check of the operation, as a name whose addresses have changed would be.
async fn store(app: &TestApp, owner: &Person, host: &str, port: u16) {
    sql_query(format!(
        "INSERT INTO obs_configs (account_id, port, remote_enabled, remote_host) VALUES ($1, {port}, true, '{host}')"
    ))
    .bind::<SqlUuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
}

#[tokio::test]
async fn obs_status_refuses_private_addresses_when_the_connection_is_made() {
    let obs = ObsStandIn::start(None).await;
    let app = TestApp::start().await;
    let running = daemon(&app).await;
    // A name that nothing resolves gets the same text, so that the text reveals no internal name.
    for host in ["localhost", "127.0.0.1", "169.254.169.254", "unknown.invalid"] {
        let owner = owner(&app).await;
        store(&app, &owner, host, obs.address().port()).await;
        let reason = "The host has no address on the public internet";
        refused(&owner, reason).await;
        let expected = json!({ "success": false, "error": reason, "relayed": false });
        assert_eq!(*rest(&owner, "test").await.expect(200), expected);
    }
    assert_eq!(obs.connections(), 0);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn obs_status_reaches_private_addresses_where_the_operator_allows_them() {
    let obs = ObsStandIn::start(None).await;
    let app = TestApp::builder().with("LUMIO_OBS_ALLOW_PRIVATE", 1).start().await;
    let running = daemon(&app).await;
    let owner = owner(&app).await;
    connect(&owner, &obs, None).await;
    connected(&owner).await;
    // Nothing listens there.
    let port = lumio_tests::free_address().port();
    let input = json!({ "port": port, "remote_enabled": true, "remote_host": "127.0.0.1" });
    owner.put(OBS, input).await.expect(200);
    refused(&owner, "The host cannot be reached").await;
    running.stop().await.unwrap();
    app.stop().await;
}
