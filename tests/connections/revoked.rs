//! Platforms that tell that an authorisation was taken away, in time and late.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    db::schema::{channel_connections, outbox, webhook_subscriptions},
    platforms::Platform as Slug,
    tokens::TakenAway,
};
use uuid::Uuid;

use super::world::{channel_tokens, connect, id_of, reconnect};

const LATER: TimeDelta = TimeDelta::minutes(2);

fn told(at: DateTime<Utc>) -> TakenAway<'static> {
    TakenAway { at, client_id: None, subscription_id: None }
}

async fn tell(app: &TestApp, owner: &Person, told: TakenAway<'_>) {
    app.state.tokens.revoked(owner.account_id, Slug::Twitch, told).await.unwrap();
}

async fn is_flagged(app: &TestApp, id: Uuid) -> bool {
    channel_tokens(app, id).await.reconnect_required
}

/// A delivery that was asked for when the channel was connected.
async fn delivered(app: &TestApp, owner: &Person, id: Uuid, subscription: &str, at: DateTime<Utc>) {
    insert_into(webhook_subscriptions::table)
        .values((
            webhook_subscriptions::connection_id.eq(id),
            webhook_subscriptions::event_type.eq(subscription),
            webhook_subscriptions::account_id.eq(owner.account_id),
            webhook_subscriptions::platform_subscription_id.eq(subscription),
            webhook_subscriptions::updated_at.eq(at),
        ))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn deliveries(app: &TestApp) -> Vec<String> {
    webhook_subscriptions::table
        .select(webhook_subscriptions::event_type)
        .order(webhook_subscriptions::event_type)
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// Channels that are to be asked for anew.
async fn asked_again(app: &TestApp) -> Vec<Value> {
    outbox::table
        .filter(outbox::queue.eq("webhook_subscriptions"))
        .select(outbox::payload)
        .load(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn what_is_told_of_an_earlier_grant_flags_nothing_and_its_deliveries_are_asked_for_anew() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&connection);
    let first = app.clock.now();
    delivered(&app, &owner, id, "old", first).await;
    app.clock.advance(LATER);
    reconnect(&app, &owner, Platform::Twitch).await;
    delivered(&app, &owner, id, "new", app.clock.now()).await;
    let asked = asked_again(&app).await.len();

    let late = first + LATER / 2;
    tell(&app, &owner, TakenAway { subscription_id: Some("old"), ..told(late) }).await;
    assert!(!is_flagged(&app, id).await);
    assert_eq!(deliveries(&app).await, ["new"]);
    let again = asked_again(&app).await;
    assert_eq!((again.len(), &again[again.len() - 1]), (asked + 1, &json!({ "connection_id": id })));
    tell(&app, &owner, told(late)).await;
    assert_eq!(asked_again(&app).await.len(), asked + 1, "nothing more has ended");
    assert!(app.audited("connection:flagged").await.is_empty());

    app.clock.advance(LATER);
    tell(&app, &owner, told(app.clock.now())).await;
    assert!(is_flagged(&app, id).await);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "revoked");
    app.stop().await;
}

#[tokio::test]
async fn what_is_told_of_another_application_flags_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&connection);
    delivered(&app, &owner, id, "ours", app.clock.now()).await;
    app.clock.advance(LATER);
    let now = told(app.clock.now());
    tell(&app, &owner, TakenAway { client_id: Some("another-app"), ..now }).await;
    tell(&app, &owner, TakenAway { subscription_id: Some("of another app"), ..now }).await;
    assert!(!is_flagged(&app, id).await);
    let client_id = channel_tokens(&app, id).await.client_id.unwrap();
    tell(&app, &owner, TakenAway { client_id: Some(&client_id), ..now }).await;
    assert!(is_flagged(&app, id).await);
    app.stop().await;
}

#[tokio::test]
async fn a_delivery_that_is_known_or_may_be_ours_flags() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&connection);
    delivered(&app, &owner, id, "ours", app.clock.now()).await;
    app.clock.advance(LATER);
    tell(&app, &owner, TakenAway { subscription_id: Some("ours"), ..told(app.clock.now()) }).await;
    assert!(is_flagged(&app, id).await);

    // The platform said of one that it is there already, and not under which id.
    let mut db = app.state.databases.postgres.get().await.unwrap();
    diesel::update(channel_connections::table)
        .set(channel_connections::reconnect_required.eq(false))
        .execute(&mut *db)
        .await
        .unwrap();
    diesel::update(webhook_subscriptions::table)
        .set(webhook_subscriptions::platform_subscription_id.eq(None::<String>))
        .execute(&mut *db)
        .await
        .unwrap();
    drop(db);
    tell(&app, &owner, TakenAway { subscription_id: Some("which"), ..told(app.clock.now()) }).await;
    assert!(is_flagged(&app, id).await);
    app.stop().await;
}
