//! Platform users (reference/chat.md#platform-users).

mod profiles;
mod search;

use diesel::{
    sql_query,
    sql_types::{BigInt, Int4, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

const ROW: &str = "{ platform platformUserId username displayName avatarUrl lastSeenAt messageCount }";
const PROFILE: &str = "{ platform platformUserId username displayName avatarUrl description accountCreatedAt \
    broadcasterType isFollower followedAt isModerator isVip isSubscriber subscriberTier isBanned banReason \
    timeoutUntil messageCount firstSeenAt lastSeenAt enrichedAt notesCount }";

/// A user who chatted a number of minutes ago.
struct Chatter<'a> {
    id: &'a str,
    username: &'a str,
    display_name: &'a str,
    minutes_ago: i32,
    messages: i64,
}

const fn chatter<'a>(id: &'a str, username: &'a str, minutes_ago: i32) -> Chatter<'a> {
    Chatter { id, username, display_name: username, minutes_ago, messages: 1 }
}

async fn seen(app: &TestApp, account_id: Uuid, platform: &str, chatters: &[Chatter<'_>]) {
    let now = chrono::DateTime::from_timestamp(1_780_000_000, 0).expect("a time");
    for chatter in chatters {
        sql_query(
            "INSERT INTO platform_users (account_id, platform, platform_user_id, username, display_name, \
             message_count, first_seen_at, last_seen_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $8 - interval '1 day', $8 - $7 * interval '1 minute')",
        )
        .bind::<SqlUuid, _>(account_id)
        .bind::<Text, _>(platform)
        .bind::<Text, _>(chatter.id)
        .bind::<Text, _>(chatter.username)
        .bind::<Text, _>(chatter.display_name)
        .bind::<BigInt, _>(chatter.messages)
        .bind::<Int4, _>(chatter.minutes_ago)
        .bind::<Timestamptz, _>(now)
        .execute(&mut *app.databases.timescaledb.get().await.unwrap())
        .await
        .unwrap();
    }
}

async fn over_rest(caller: &Caller, q: &str, more: &str) -> Answer {
    let q: String = url::form_urlencoded::byte_serialize(q.as_bytes()).collect();
    caller.get(&format!("/v1/chat/users/search?q={q}{more}")).await
}

async fn over_graphql(caller: &Caller, query: &str, arguments: Value) -> Answer {
    let document = format!(
        "query($query: String!, $platforms: [String!], $limit: Int) \
         {{ searchPlatformUsers(query: $query, platforms: $platforms, limit: $limit) {ROW} }}"
    );
    let mut variables = arguments;
    variables["query"] = json!(query);
    caller.graphql(&document, variables).await
}

fn ids(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().expect("rows");
    rows.iter().map(|row| row["platform_user_id"].as_str().expect("an id").to_owned()).collect()
}

fn path(platform: &str, user_id: &str) -> String {
    format!("/v1/chat/users/{platform}/{user_id}")
}

async fn profile_over_graphql(caller: &Caller, platform: &str, user_id: &str) -> Answer {
    let document = format!(
        "query($p: String!, $u: String!) {{ platformUserProfile(platform: $p, platformUserId: $u) {PROFILE} }}"
    );
    caller.graphql(&document, json!({ "p": platform, "u": user_id })).await
}

async fn refresh_over_graphql(caller: &Caller, platform: &str, user_id: &str) -> Answer {
    let document = format!(
        "mutation($p: String!, $u: String!) \
         {{ refreshPlatformUserProfile(platform: $p, platformUserId: $u) {PROFILE} }}"
    );
    caller.graphql(&document, json!({ "p": platform, "u": user_id })).await
}

#[tokio::test]
async fn platform_users_need_the_permission_and_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    seen(&app, owner.account_id, "kick", &[chatter("77", "viewer", 1)]).await;
    let unprivileged = app.member_with(owner.account_id, &[]).await;
    let calls = async |caller: &Caller| {
        [
            (
                "chat:userinfo",
                over_rest(caller, "viewer", "").await,
                over_graphql(caller, "viewer", json!({})).await,
            ),
            (
                "chat:userinfo",
                caller.get(&path("kick", "77")).await,
                profile_over_graphql(caller, "kick", "77").await,
            ),
            (
                "chat:refresh_user",
                caller.post(&format!("{}/refresh", path("kick", "77")), json!({})).await,
                refresh_over_graphql(caller, "kick", "77").await,
            ),
        ]
    };
    for (_, rest, graphql) in calls(&app.anonymous()).await {
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
    for (permission, rest, graphql) in calls(&unprivileged).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
    }
    let key = app.service_key(owner.account_id, &["chat:userinfo"]).await;
    assert_eq!(over_rest(&key, "viewer", "").await.data().as_array().unwrap().len(), 1);
    app.override_feature(owner.account_id, "feature:multichat", false).await;
    for (permission, rest, graphql) in calls(&owner).await {
        if permission == "chat:refresh_user" {
            // It needs no feature.
            assert_eq!(rest.data()["username"], "viewer");
            continue;
        }
        both_refused(&rest, &graphql, 403, "FEATURE_DISABLED", "Feature is disabled: feature:multichat");
    }
    app.stop().await;
}
