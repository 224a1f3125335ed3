//! Events of an account: history and own events (reference/events.md#event).

mod emit;
mod history;

use api_core::token::TokenKind;
use chrono::{DateTime, TimeDelta};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use live_model::AccountEvent;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::{id, schema::timeseries::events};
use uuid::Uuid;

use super::world::stored_events;

const FIELDS: &str =
    "{ id accountId eventType platform platformUserId username displayName avatarUrl amount currency
    message data isTest occurredAt }";

/// A stored event with default values.
struct Written {
    event_type: &'static str,
    username: &'static str,
    message: &'static str,
    minutes_ago: i64,
}

impl Default for Written {
    fn default() -> Self {
        Self { event_type: "twitch:follower", username: "ada", message: "", minutes_ago: 0 }
    }
}

/// Writes an event without the operations; returns its id.
async fn write(app: &TestApp, account: Uuid, event: Written) -> Uuid {
    let event_id = id::new();
    insert_into(events::table)
        .values((
            events::id.eq(event_id),
            events::account_id.eq(account),
            events::event_type.eq(event.event_type),
            events::platform.eq(event.event_type.split(':').next()),
            events::platform_event_id.eq(event_id.to_string()),
            events::username.eq(event.username),
            events::display_name.eq(event.username.to_uppercase()),
            events::message.eq(event.message),
            events::occurred_at.eq(app.clock.now() - TimeDelta::minutes(event.minutes_ago)),
        ))
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    event_id
}

async fn over_graphql(caller: &Caller, filter: Value) -> Answer {
    let document = format!(
        "query($filter: EventsFilter) {{ events(filter: $filter) {{ items {FIELDS} total page limit pages }} }}"
    );
    caller.graphql(&document, json!({ "filter": filter })).await
}

/// `data` is JSON: its keys stay as they are.
async fn emit_over_graphql(caller: &Caller, input: &Value) -> Answer {
    let document = format!("mutation($input: EmitEventInput!) {{ emitEvent(input: $input) {FIELDS} }}");
    let input = json!({
        "eventType": input["event_type"], "platform": input["platform"], "data": input["data"],
        "isTest": input["is_test"],
    });
    caller.graphql(&document, json!({ "input": input })).await
}

async fn one_over_graphql(caller: &Caller, id: Uuid) -> Answer {
    caller.graphql(&format!("query($id: UUID!) {{ event(id: $id) {FIELDS} }}"), json!({ "id": id })).await
}

#[track_caller]
fn ids(items: &Value) -> Vec<Uuid> {
    let items = items.as_array().unwrap_or_else(|| panic!("a list: {items}"));
    items.iter().map(|event| event["id"].as_str().unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn events_need_the_permission_the_feature_and_the_own_account() {
    let app = TestApp::start().await;
    let (owner, stranger) = (app.owner().await, app.owner().await);
    let account = owner.account_id;
    let foreign = write(&app, stranger.account_id, Written::default()).await;
    let own = write(&app, account, Written::default()).await;
    let input = json!({ "event_type": "custom:a", "data": {} });
    let reader = app.member_with(account, &["events:read"]).await;
    let powerless = app.member_with(account, &["chat:read"]).await;

    for caller in [
        &reader.caller,
        &app.service_key(account, &["events:read"]).await,
        &app.popout(&owner, &["events:read"]).await,
    ] {
        assert_eq!(ids(&caller.get("/v1/events").await.body["data"]), [own]);
        let refused =
            [caller.post("/v1/events", input.clone()).await, emit_over_graphql(caller, &input).await];
        both_refused(&refused[0], &refused[1], 403, "FORBIDDEN", "Missing permission: events:create");
    }
    let emitter = app.service_key(account, &["events:create"]).await;
    emitter.post("/v1/events", input.clone()).await.expect(201);
    for (rest, graphql) in [
        (powerless.get("/v1/events").await, over_graphql(&powerless, json!({})).await),
        (powerless.get(&format!("/v1/events/{own}")).await, one_over_graphql(&powerless, own).await),
        (emitter.get("/v1/events").await, over_graphql(&emitter, json!({})).await),
    ] {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: events:read");
    }
    let overlay = app.surface_token(TokenKind::Overlay, account, "k", None).await;
    let refused = (overlay.get("/v1/events").await, over_graphql(&overlay, json!({})).await);
    both_refused(&refused.0, &refused.1, 403, "FORBIDDEN", "This token cannot call the API");
    app.anonymous().get("/v1/events").await.refused("UNAUTHORIZED", "Authentication required");

    let missing =
        (owner.get(&format!("/v1/events/{foreign}")).await, one_over_graphql(&owner, foreign).await);
    both_refused(&missing.0, &missing.1, 404, "NOT_FOUND", "Event not found");
    owner.get("/v1/events/nothing").await.refused("VALIDATION_ERROR", "Invalid UUID: id");

    app.override_feature(account, "feature:events", false).await;
    let off = (owner.post("/v1/events", input.clone()).await, emit_over_graphql(&owner, &input).await);
    both_refused(&off.0, &off.1, 403, "FEATURE_DISABLED", "Feature is disabled: feature:events");
    let off = (owner.get("/v1/events").await, over_graphql(&owner, json!({})).await);
    both_refused(&off.0, &off.1, 403, "FEATURE_DISABLED", "Feature is disabled: feature:events");
    assert_eq!(stored_events(&app, stranger.account_id).await.len(), 1);
    app.stop().await;
}

/// The published type is the type of the response.
#[test]
fn events_are_published_with_the_fields_of_the_resource() {
    let event = AccountEvent {
        id: Uuid::nil(),
        account_id: Uuid::nil(),
        event_type: String::new(),
        platform: None,
        platform_user_id: None,
        username: None,
        display_name: None,
        avatar_url: None,
        amount: None,
        currency: None,
        message: None,
        data: json!({}),
        is_test: false,
        occurred_at: DateTime::UNIX_EPOCH,
    };
    let published = serde_json::to_value(&event).unwrap();
    let resource = serde_json::to_value(live::events::Event::from(event)).unwrap();
    assert_eq!(published, resource);
}
