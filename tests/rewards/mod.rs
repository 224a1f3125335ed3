//! Rewards of channel points and their redemptions.

mod changes;
mod internal;
mod layers;
mod redemptions;
mod rewards;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, TestApp, world::connect};
use platforms_stand_in::{Platform, User};
use serde_json::{Value, json};
use uuid::Uuid;

const FEATURE: &str = "feature:rewards";
const REWARDS: &str = "/v1/rewards";
const REWARD: &str =
    "{ id accountId platform platformRewardId title cost enabled action createdAt updatedAt }";

/// Owner whose account has the feature, independent of its plan.
async fn owner(app: &TestApp) -> Person {
    let owner = app.owner().await;
    app.override_feature(owner.account_id, FEATURE, true).await;
    owner
}

fn chat() -> Value {
    json!({ "type": "chat", "template": "{user} says hello" })
}

/// An owner with a channel on Twitch.
async fn streamer(app: &TestApp) -> (Person, User) {
    let owner = owner(app).await;
    let channel =
        connect(app, owner.account_id, Platform::Twitch, &format!("s{}", Uuid::now_v7().simple())).await;
    (owner, channel)
}

/// Input of a reward that exists at Twitch.
fn linked(platform_reward_id: &str, action: Value) -> Value {
    json!({ "platform": "twitch", "platform_reward_id": platform_reward_id, "title": "Say hello", "cost": 500,
        "action": action })
}

/// Input of a reward that Lumio creates.
fn new(title: &str, action: Value) -> Value {
    json!({ "platform": "twitch", "title": title, "cost": 500, "action": action })
}

/// Creates over GraphQL, where the keys of an action are the same.
async fn gql_create(caller: &Caller, input: &Value) -> Answer {
    let mut input = input.clone();
    if let Some(id) = input.as_object_mut().unwrap().remove("platform_reward_id") {
        input["platformRewardId"] = id;
    }
    let document = format!("mutation($input: CreateRewardInput!) {{ createReward(input: $input) {REWARD} }}");
    caller.graphql(&document, json!({ "input": input })).await
}

async fn gql_update(caller: &Caller, id: &str, change: &Value) -> Answer {
    let mut input = change.clone();
    input["id"] = json!(id);
    let document = format!("mutation($input: UpdateRewardInput!) {{ updateReward(input: $input) {REWARD} }}");
    caller.graphql(&document, json!({ "input": input })).await
}

async fn gql_delete(caller: &Caller, id: &str) -> Answer {
    let document = "mutation($id: UUID!) { deleteReward(id: $id) { success } }";
    caller.graphql(document, json!({ "id": id })).await
}

async fn gql_reward(caller: &Caller, id: &str) -> Answer {
    let document = format!("query($id: UUID!) {{ reward(id: $id) {REWARD} }}");
    caller.graphql(&document, json!({ "id": id })).await
}

fn id_of(reward: &Value) -> String {
    reward["id"].as_str().expect("an id").to_owned()
}

#[derive(QueryableByName)]
struct Made {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Runs a statement that names the account as `$1` and returns an id.
async fn make(app: &TestApp, account: Uuid, sql: &str) -> Uuid {
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query(sql).bind::<SqlUuid, _>(account).get_result::<Made>(&mut *db).await.unwrap().id
}

/// Like [`make`], for several rows.
async fn make_each(app: &TestApp, account: Uuid, sql: &str) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let made: Vec<Made> = sql_query(sql).bind::<SqlUuid, _>(account).load(&mut *db).await.unwrap();
    assert!(made.iter().all(|made| !made.id.is_nil()) && !made.is_empty());
}

async fn make_automation(app: &TestApp, account: Uuid, enabled: bool) -> Uuid {
    let sql = format!(
        "WITH automation AS (
            INSERT INTO automations (id, account_id, name, enabled) VALUES (gen_random_uuid(), $1, 'a', {enabled})
            RETURNING id, account_id)
         INSERT INTO automation_nodes (account_id, automation_id, id, node_type, position)
         SELECT account_id, id, gen_random_uuid(), 'reward_redeemed', 0 FROM automation RETURNING automation_id AS id"
    );
    make(app, account, &sql).await
}

async fn make_sound(app: &TestApp, account: Uuid) -> Uuid {
    let sql = "INSERT INTO sounds (id, account_id, name, filename, content_type, size_bytes, storage_key, sha256)
        VALUES (gen_random_uuid(), $1, 's', 's.mp3', 'audio/mpeg', 1, gen_random_uuid()::text, 'x') RETURNING id";
    make(app, account, sql).await
}

/// A hidden layer of a new overlay.
async fn make_layer(app: &TestApp, account: Uuid) -> Uuid {
    let sql = "WITH overlay AS (
            INSERT INTO overlays (id, account_id, name, key, width, height, background, token)
            VALUES (gen_random_uuid(), $1, 'o', left(md5($1::text), 12), 1920, 1080, 'transparent', '') RETURNING id)
        INSERT INTO overlay_layers (id, account_id, overlay_id, layer_type, name, visible, sort_order, width, height)
        SELECT gen_random_uuid(), $1, id, 'text', 'l', false, 0, 1, 1 FROM overlay RETURNING id";
    make(app, account, sql).await
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
}

/// First value of a query for `text`; `None` without a row, and for null.
async fn found(app: &TestApp, sql: &str) -> Option<String> {
    let mut db = app.databases.postgres.get().await.unwrap();
    let rows: Vec<Found> = sql_query(sql).load(&mut *db).await.unwrap();
    rows.into_iter().next().and_then(|row| row.text)
}
