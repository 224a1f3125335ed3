//! Privacy settings decide which data of viewers is kept (reference/accounts.md#privacy-settings).

use lumio_tests::TestApp;
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, kick};
use serde_json::json;

use lumio_tests::world::{connect, connect_to, eventually, messages, published, workers};

#[tokio::test]
async fn privacy_of_an_account_that_stores_no_chat_still_publishes_it_live() {
    let app = TestApp::start().await;
    let (private, usual) = (app.owner().await, app.owner().await);
    private.patch("/v1/settings", json!({ "privacy": { "store_chat": false } })).await.expect(200);
    let streamer = connect(&app, private.account_id, Platform::Kick, "streamer").await;
    connect_to(&app, usual.account_id, &streamer, None).await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let (viewer, _token) = app.platforms.create_user(Platform::Kick, "viewer");
    let line = kick::Event::chat_message(&streamer, &viewer, "psst");
    let callback = format!("{}/v1/webhooks/kick", app.url());
    app.platforms.deliver_kick_to(&callback, &line, &DeliveryOptions::default()).await;

    // The other account's row is of the same batch.
    eventually("the row is written", async || messages(&app, usual.account_id).await.len() == 1).await;
    assert_eq!(messages(&app, private.account_id).await, Vec::<serde_json::Value>::new());
    for account_id in [private.account_id, usual.account_id] {
        let published = published(&app, &format!("chat:{account_id}")).await;
        assert_eq!((published.len(), &published[0]["data"]["text"]), (1, &json!("psst")));
    }
    running.stop().await.unwrap();
    app.stop().await;
}
