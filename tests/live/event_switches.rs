//! Each type of event has a switch (reference/events.md#switches): an event of a type that is off is dropped.

use account_model::features::accounts_without;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use live_model::EVENT_TYPES;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use lumio_worker::Daemon;
use platforms_stand_in::{DeliveryOptions, Platform, twitch};
use serde_json::{Value, json};
use shared::{
    catalogue::{FEATURES, FeatureCategory},
    schema::feature_flags,
};

use lumio_tests::world::{
    connect, connect_to, eventually, jobs, open_deliveries, published, rows, stored_events, workers,
};

async fn emit(caller: &Caller, event_type: &str) -> (Answer, Answer) {
    let rest = caller.post("/v1/events", json!({ "event_type": event_type, "data": {} })).await;
    let document = "mutation($input: EmitEventInput!) { emitEvent(input: $input) { id } }";
    let input = json!({ "eventType": event_type, "data": {} });
    (rest, caller.graphql(document, json!({ "input": input })).await)
}

#[tokio::test]
async fn emit_event_refuses_a_type_that_is_switched_off() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner().await);
    app.override_feature(owner.account_id, "event:twitch:raid", false).await;
    app.switch("event:kick:raid", false).await;
    app.override_feature(owner.account_id, "event:kick:raid", true).await;
    for off in ["twitch:raid", "kick:raid"] {
        let (rest, graphql) = emit(&owner, off).await;
        let message = format!("Feature is disabled: event:{off}");
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", &message);
    }
    assert!(stored_events(&app, owner.account_id).await.is_empty());
    assert!(published(&app, &format!("events:{}", owner.account_id)).await.is_empty());
    for (caller, on) in [(&owner, "twitch:follower"), (&owner, "custom:raid"), (&other, "twitch:raid")] {
        let (rest, graphql) = emit(caller, on).await;
        rest.expect(201);
        assert!(graphql.field("emitEvent")["id"].is_string());
    }
    let (rest, _) = emit(&other, "kick:raid").await;
    rest.refused_with("FEATURE_DISABLED");
    app.stop().await;
}

#[tokio::test]
async fn event_switches_drop_deliveries_of_a_type_that_is_off() {
    let app = TestApp::start().await;
    let (off, on) = (app.owner().await.account_id, app.owner().await.account_id);
    let streamer = connect(&app, off, Platform::Twitch, "streamer").await;
    connect_to(&app, on, &streamer, None).await;
    app.override_feature(off, "event:twitch:raid", false).await;
    app.switch("event:twitch:cheer", false).await;
    let running = workers(&app, &[Daemon::Ingest]).await;
    let viewer = app.platforms.create_user(Platform::Twitch, "viewer").0;
    let callback = format!("{}/v1/webhooks/twitch", app.url());
    for event in [
        twitch::Event::raid(&viewer, &streamer, 42),
        twitch::Event::cheer(&streamer, None, 100, "cheer100"),
        twitch::Event::follow(&streamer, &viewer),
    ] {
        let secret = "stand-in-eventsub-secret";
        let usual = DeliveryOptions::default();
        let delivery = app.platforms.deliver_twitch_to(&callback, secret, &event, &usual).await;
        assert_eq!(delivery.statuses(), [Some(200)]);
    }
    eventually("everything is written", async || open_deliveries(&app).await == 0 && rows(&app).await == 3)
        .await;
    let types = async |account| -> Vec<Value> {
        stored_events(&app, account).await.into_iter().map(|row| row["event_type"].clone()).collect()
    };
    assert_eq!(types(off).await, ["twitch:follower"]);
    let mut of_other =
        types(on).await.iter().map(|kind| kind.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    of_other.sort_unstable();
    assert_eq!(of_other, ["twitch:follower", "twitch:raid"]);
    assert_eq!(published(&app, &format!("events:{off}")).await.len(), 1);
    assert_eq!(jobs(&app, "extension_triggers").await, 3);
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn event_switches_cover_every_type_and_resolve_many_accounts_as_one() {
    let app = TestApp::start().await;
    let (_, switches) =
        FEATURES.into_iter().find(|(category, _)| *category == FeatureCategory::Event).expect("the switches");
    let types: Vec<&str> = EVENT_TYPES.iter().map(|known| known.name).collect();
    assert!(types.iter().all(|name| switches.contains(name)) && types.len() == switches.len());

    let accounts = [app.owner().await, app.owner_on("free").await, app.owner().await];
    let ids: Vec<_> = accounts.iter().map(|owner| owner.account_id).collect();
    app.override_feature(ids[0], "event:twitch:raid", false).await;
    app.override_feature(ids[1], "feature:multi_account", true).await;
    app.override_feature(ids[2], "feature:events", false).await;
    app.switch("event:kick:raid", false).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    let keys: Vec<String> = feature_flags::table.select(feature_flags::key).load(&mut *db).await.unwrap();
    for key in keys.iter().filter(|key| !key.starts_with("system:")) {
        let off = accounts_without(&mut db, &ids, key).await.unwrap();
        for owner in &accounts {
            let path = format!("/v1/accounts/{}/enabled-features", owner.account_id);
            let is_on = owner.get(&path).await.data().as_array().unwrap().contains(&json!(key));
            // A kind of connection follows its platform in the API.
            let is_kind = key.starts_with("platform:") && key.matches(':').count() == 2;
            assert!(is_kind || is_on != off.contains(&owner.account_id), "{key}");
        }
    }
    assert!(accounts_without(&mut db, &ids, "event:custom:level_up").await.unwrap().is_empty());
    drop(db);
    app.stop().await;
}
