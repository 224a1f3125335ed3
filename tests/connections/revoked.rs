//! Reports of platforms that an authorization was revoked, in time and late.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::GrantRevocation;
use platforms_stand_in::Platform;
use serde_json::{Value, json};
use shared::{
    platform::Platform as Slug,
    schema::{channel_connections, outbox, webhook_subscriptions},
};
use uuid::Uuid;

use super::world::{channel_tokens, connect, id_of, reconnect};

const LATER: TimeDelta = TimeDelta::minutes(2);

fn revocation(at: DateTime<Utc>) -> GrantRevocation<'static> {
    GrantRevocation { at, client_id: None, subscription_id: None }
}

async fn report(app: &TestApp, owner: &Person, revocation: GrantRevocation<'_>) {
    app.state.tokens().revoked(owner.account_id, Slug::Twitch, revocation).await.unwrap();
}

async fn is_flagged(app: &TestApp, id: Uuid) -> bool {
    channel_tokens(app, id).await.reconnect_required
}

/// Inserts a subscription that was made when the channel was connected.
async fn delivered(app: &TestApp, owner: &Person, id: Uuid, subscription: &str, at: DateTime<Utc>) {
    insert_into(webhook_subscriptions::table)
        .values((
            webhook_subscriptions::connection_id.eq(id),
            webhook_subscriptions::event_type.eq(subscription),
            webhook_subscriptions::account_id.eq(owner.account_id),
            webhook_subscriptions::platform_subscription_id.eq(subscription),
            webhook_subscriptions::updated_at.eq(at),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

async fn deliveries(app: &TestApp) -> Vec<String> {
    webhook_subscriptions::table
        .select(webhook_subscriptions::event_type)
        .order(webhook_subscriptions::event_type)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// Payloads of the outbox jobs that subscribe channels again.
async fn resubscriptions(app: &TestApp) -> Vec<Value> {
    outbox::table
        .filter(outbox::queue.eq("webhook_subscriptions"))
        .select(outbox::payload)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

#[tokio::test]
async fn revoked_earlier_grants_flag_nothing_and_renew_deliveries() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&connection);
    let first = app.clock.now();
    delivered(&app, &owner, id, "old", first).await;
    app.clock.advance(LATER);
    reconnect(&app, &owner, Platform::Twitch).await;
    delivered(&app, &owner, id, "new", app.clock.now()).await;
    let asked = resubscriptions(&app).await.len();

    let late = first + LATER / 2;
    report(&app, &owner, GrantRevocation { subscription_id: Some("old"), ..revocation(late) }).await;
    assert!(!is_flagged(&app, id).await);
    assert_eq!(deliveries(&app).await, ["new"]);
    let again = resubscriptions(&app).await;
    assert_eq!((again.len(), &again[again.len() - 1]), (asked + 1, &json!({ "connection_id": id })));
    report(&app, &owner, revocation(late)).await;
    assert_eq!(resubscriptions(&app).await.len(), asked + 1, "nothing more has ended");
    assert!(app.audited("connection:flagged").await.is_empty());

    app.clock.advance(LATER);
    report(&app, &owner, revocation(app.clock.now())).await;
    assert!(is_flagged(&app, id).await);
    assert_eq!(app.audited_once("connection:flagged").await.metadata["reason"], "revoked");
    app.stop().await;
}

#[tokio::test]
async fn revoked_grants_of_another_application_flag_nothing() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&connection);
    delivered(&app, &owner, id, "ours", app.clock.now()).await;
    app.clock.advance(LATER);
    let now = revocation(app.clock.now());
    report(&app, &owner, GrantRevocation { client_id: Some("another-app"), ..now }).await;
    report(&app, &owner, GrantRevocation { subscription_id: Some("of another app"), ..now }).await;
    assert!(!is_flagged(&app, id).await);
    let client_id = channel_tokens(&app, id).await.client_id.unwrap();
    report(&app, &owner, GrantRevocation { client_id: Some(&client_id), ..now }).await;
    assert!(is_flagged(&app, id).await);
    app.stop().await;
}

#[tokio::test]
async fn revoked_grants_with_a_known_or_possible_delivery_flag_the_channel() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (_, connection) = connect(&app, &owner, Platform::Twitch, "streamer").await;
    let id = id_of(&connection);
    delivered(&app, &owner, id, "ours", app.clock.now()).await;
    app.clock.advance(LATER);
    report(&app, &owner, GrantRevocation { subscription_id: Some("ours"), ..revocation(app.clock.now()) })
        .await;
    assert!(is_flagged(&app, id).await);

    // The platform reported that the subscription exists already, without its id.
    let mut db = app.databases.postgres.get().await.unwrap();
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
    report(&app, &owner, GrantRevocation { subscription_id: Some("which"), ..revocation(app.clock.now()) })
        .await;
    assert!(is_flagged(&app, id).await);
    app.stop().await;
}
