//! What handlers wrote to their logs: read whole, however much it is, and after everything else.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{
    erase,
    planted::{keys_with, plant, run, tables_with},
    staff,
};
use lumio_tests::TestApp;

#[tokio::test]
async fn nothing_waits_for_logs_that_cannot_be_read() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    plant(&app, owner.account_id, "twitch", "4711470001").await;
    run(&app, "ALTER TABLE extension_errors RENAME TO errors_elsewhere").await;
    let subject = json!({ "platform": "twitch", "user_id": "4711470001" });
    erase(&staff, &subject).await.refused_with("DATABASE_ERROR");
    let logs = BTreeMap::from([("errors_elsewhere".to_owned(), 1), ("extension_logs".to_owned(), 1)]);
    assert_eq!(tables_with(&app, "4711470001").await, logs);
    assert_eq!(keys_with(&app, "4711470001").await, BTreeSet::new());
    // The next call does what was left.
    run(&app, "ALTER TABLE errors_elsewhere RENAME TO extension_errors").await;
    let erased = erase(&staff, &subject).await;
    assert_eq!(erased.data()["affected_account_ids"], json!([owner.account_id]));
    assert_eq!(tables_with(&app, "4711470001").await, BTreeMap::new());
    app.stop().await;
}

#[tokio::test]
async fn logs_are_cleared_to_their_end() {
    let app = TestApp::start().await;
    let (owner, staff) = (app.owner().await, staff(&app).await);
    app.one_of_everything(&owner).await;
    // More than two statements read at once.
    let rows = run(
        &app,
        "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
         SELECT gen_random_uuid(), extension_id, install.id, account_id, 'info',
             CASE WHEN i % 1000 = 0 THEN 'seen 4711470001' ELSE 'line ' || i END, now()
         FROM (SELECT * FROM extension_installs LIMIT 1) AS install CROSS JOIN generate_series(1, 25000) AS i",
    )
    .await;
    assert_eq!(rows, 25_000);
    erase(&staff, &json!({ "platform": "twitch", "user_id": "4711470001" })).await.expect(200);
    assert_eq!(tables_with(&app, "4711470001").await, BTreeMap::new());
    assert_eq!(tables_with(&app, "seen [erased]").await, BTreeMap::from([("extension_logs".to_owned(), 25)]));
    app.stop().await;
}
