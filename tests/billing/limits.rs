//! Billing status of an account and the quotas of its plan (reference/billing.md#limits).

use account_model::limits::{Quota, effective_limits, release, usage};
use api_core::{ApiError, Code, limits::take};
use diesel::{insert_into, prelude::*, sql_query, sql_types};
use diesel_async::{AsyncConnection, RunQueryDsl};
use futures::future::join_all;
use lumio_tests::{TestApp, both_refused};
use serde_json::{Value, json};
use shared::{
    id::{AccountId, Trust},
    schema::account_limits,
};
use uuid::Uuid;

use super::{as_rest, ask, plan_id, put_on, reason_of};

const LIMIT: &str = "{ key limit used source }";

async fn set_limit(app: &TestApp, account: Uuid, column: &str, value: i64) {
    sql_query(format!(
        "INSERT INTO account_limits (account_id, {column}) VALUES ($1, $2)
         ON CONFLICT (account_id) DO UPDATE SET {column} = excluded.{column}"
    ))
    .bind::<sql_types::Uuid, _>(account)
    .bind::<sql_types::BigInt, _>(value)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
}

/// Takes an amount of a quota in a transaction of its own.
async fn take_one(app: &TestApp, account: Uuid, quota: Quota, amount: i64) -> Result<(), ApiError> {
    let mut db = app.databases.postgres.get().await.unwrap();
    db.transaction(async |connection| {
        take(connection, AccountId::trusted(account, Trust::Test), quota, amount).await
    })
    .await
}

async fn used(app: &TestApp, account: Uuid) -> (i64, i64, i64) {
    let mut db = app.databases.postgres.get().await.unwrap();
    let used = usage(&mut db, AccountId::trusted(account, Trust::Test)).await.unwrap();
    (used.overlays, used.storage_bytes, used.integrations)
}

#[tokio::test]
async fn plan_limits_shows_overrides_before_the_plan_with_their_source() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    set_limit(&app, owner.account_id, "max_overlays", 7).await;
    set_limit(&app, owner.account_id, "chat_retention_days", 2_147_483_647).await;
    take_one(&app, owner.account_id, Quota::Overlays, 2).await.unwrap();
    take_one(&app, owner.account_id, Quota::StorageBytes, 1_000_000).await.unwrap();
    let rest = owner.get("/v1/billing/limits").await;
    assert_eq!(
        *rest.data(),
        json!([
            { "key": "max_overlays", "limit": 7, "used": 2, "source": "override" },
            { "key": "max_storage_bytes", "limit": 104_857_600, "used": 1_000_000, "source": "plan" },
            { "key": "max_upload_size_bytes", "limit": 5_242_880, "used": null, "source": "plan" },
            { "key": "max_integrations", "limit": 2, "used": 0, "source": "plan" },
            { "key": "chat_retention_days", "limit": 2_147_483_647, "used": null, "source": "override" },
        ])
    );
    let graphql = ask(&owner, &format!("{{ planLimits {LIMIT} }}")).await.field("planLimits");
    assert_eq!(as_rest(graphql, &["key", "source"]), *rest.data());
}

#[tokio::test]
async fn billing_status_is_the_same_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let rest = owner.get("/v1/billing/status").await;
    let status = rest.data();
    assert_eq!((&status["plan"]["slug"], &status["plan"]["price_monthly"]), (&json!("pro"), &json!("999")));
    assert_eq!((&status["status"], &status["renews_at"]), (&json!("none"), &Value::Null));
    assert_eq!(status["limits"], *owner.get("/v1/billing/limits").await.data());
    let document = format!(
        "{{ billingStatus {{ plan {{ id slug name description priceMonthly priceYearly currency isPublic sortOrder \
            maxOverlays maxStorageBytes maxUploadSizeBytes maxIntegrations chatRetentionDays \
            features {{ featureId featureKey label enabled globallyEnabled }} }} \
            limits {LIMIT} status renewsAt }} }}"
    );
    let graphql = ask(&owner, &document).await.field("billingStatus");
    assert_eq!(as_rest(graphql, &["key", "source", "status"]), *status);

    sql_query(
        "INSERT INTO subscriptions (id, account_id, plan_id, status, renews_at)
         SELECT gen_random_uuid(), id, plan_id, 'past_due', '2030-01-31T12:00:00Z' FROM accounts WHERE id = $1",
    )
    .bind::<sql_types::Uuid, _>(owner.account_id)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    let status = owner.get("/v1/billing/status").await;
    assert_eq!(status.data()["status"], "past_due");
    assert_eq!(status.data()["renews_at"], "2030-01-31T12:00:00.000Z");
}

#[tokio::test]
async fn billing_status_and_plan_limits_show_only_the_own_account() {
    let app = TestApp::start().await;
    let (owner, other) = (app.owner().await, app.owner_on("free").await);
    let callers = [
        app.member_with(owner.account_id, &["plan:read"]).await.caller,
        app.service_key(owner.account_id, &["plan:read"]).await,
        app.popout(&owner, &["plan:read"]).await,
        app.personal_key(&owner, &["plan:read"]).await,
    ];
    for caller in callers {
        assert_eq!(caller.get("/v1/billing/status").await.data()["plan"]["slug"], "pro");
        caller.get("/v1/billing/limits").await.expect(200);
    }
    assert_eq!(other.get("/v1/billing/status").await.data()["plan"]["slug"], "free");
    let administrator = app.member_as(owner.account_id, "administrator").await;
    for (path, document) in [
        ("/v1/billing/status", "{ billingStatus { status } }"),
        ("/v1/billing/limits", "{ planLimits { key } }"),
    ] {
        let (rest, graphql) = (administrator.get(path).await, ask(&administrator, document).await);
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: plan:read");
        let (rest, graphql) = (app.anonymous().get(path).await, ask(&app.anonymous(), document).await);
        both_refused(&rest, &graphql, 401, "UNAUTHORIZED", "Authentication required");
    }
}

#[tokio::test]
async fn limits_refuse_use_beyond_the_limit_and_accept_returns() {
    let app = TestApp::start().await;
    let account = app.owner_on("free").await.account_id;
    for (quota, message, limit) in [
        (Quota::Overlays, "Overlay limit reached", 3),
        (Quota::Integrations, "Integration limit reached", 2),
        (Quota::StorageBytes, "Storage limit reached", 104_857_600),
    ] {
        let full = ApiError::new(Code::PlanLimitReached, message).with_details(json!({ "limit": limit }));
        assert_eq!(take_one(&app, account, quota, limit + 1).await, Err(full.clone()));
        take_one(&app, account, quota, limit - 1).await.unwrap();
        assert_eq!(take_one(&app, account, quota, 2).await, Err(full.clone()));
        take_one(&app, account, quota, 1).await.unwrap();
        assert_eq!(take_one(&app, account, quota, 1).await, Err(full));
        take_one(&app, account, quota, 0).await.unwrap();
    }
    assert_eq!(used(&app, account).await, (3, 104_857_600, 2));
    let mut db = app.databases.postgres.get().await.unwrap();
    release(&mut db, AccountId::trusted(account, Trust::Test), Quota::Overlays, 1).await.unwrap();
    assert!(
        release(&mut db, AccountId::trusted(account, Trust::Test), Quota::Overlays, 3).await.is_err(),
        "more than was taken"
    );
    assert!(release(&mut db, AccountId::trusted(account, Trust::Test), Quota::Overlays, -1).await.is_err());
    assert!(take_one(&app, account, Quota::Overlays, -1).await.is_err());
    drop(db);
    assert_eq!(used(&app, account).await.0, 2);
    take_one(&app, account, Quota::Overlays, 1).await.unwrap();
    // A smaller plan removes nothing but allows no more; a larger plan does.
    set_limit(&app, account, "max_overlays", 1).await;
    assert!(take_one(&app, account, Quota::Overlays, 1).await.is_err());
    set_limit(&app, account, "max_overlays", 2_147_483_647).await;
    take_one(&app, account, Quota::Overlays, 3_000_000_000).await.unwrap();
}

#[tokio::test]
async fn limits_hold_for_parallel_use() {
    let app = TestApp::start().await;
    let account = app.owner_on("free").await.account_id;
    let taken = join_all((0..20).map(|_| take_one(&app, account, Quota::Overlays, 1))).await;
    assert_eq!(taken.iter().filter(|taken| taken.is_ok()).count(), 3);
    assert_eq!(used(&app, account).await.0, 3);
}

#[tokio::test]
async fn limits_do_not_count_use_that_is_rolled_back() {
    let app = TestApp::start().await;
    let account = app.owner_on("free").await.account_id;
    let mut db = app.databases.postgres.get().await.unwrap();
    let undone: Result<(), ApiError> = db
        .transaction(async |connection| {
            take(connection, AccountId::trusted(account, Trust::Test), Quota::Integrations, 2).await?;
            Err(ApiError::conflict("something else"))
        })
        .await;
    assert_eq!(undone, Err(ApiError::conflict("something else")));
    drop(db);
    assert_eq!(used(&app, account).await.2, 0);
}

#[tokio::test]
async fn limits_follow_the_plan_of_the_account() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let overlays = async || {
        let mut db = app.databases.postgres.get().await.unwrap();
        let limits = effective_limits(&mut db, AccountId::trusted(owner.account_id, Trust::Test))
            .await
            .unwrap()
            .unwrap();
        (limits.max_overlays.value, limits.custom_bot_allowed)
    };
    assert_eq!(overlays().await, (3, true));
    put_on(&app, owner.account_id, plan_id(&app, "enterprise").await).await;
    assert_eq!(overlays().await, (100, true));
    insert_into(account_limits::table)
        .values((
            account_limits::account_id.eq(owner.account_id),
            account_limits::custom_bot_allowed.eq(false),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(overlays().await, (100, false));
    let mut db = app.databases.postgres.get().await.unwrap();
    assert!(
        effective_limits(&mut db, AccountId::trusted(Uuid::now_v7(), Trust::Test)).await.unwrap().is_none()
    );
}

#[tokio::test]
async fn limits_of_a_feature_apply_below_an_override_of_the_feature() {
    let app = TestApp::start().await;
    let owner = app.owner_on("free").await;
    let features = |obs: bool, copyright: bool| {
        (
            account_limits::account_id.eq(owner.account_id),
            account_limits::obs_remote_allowed.eq(obs),
            account_limits::copyright_detection_allowed.eq(copyright),
        )
    };
    insert_into(account_limits::table)
        .values(features(false, true))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let reason = async |key: &str| reason_of(&owner, owner.account_id, key).await;
    assert_eq!(reason("feature:obs_remote").await, "account_override");
    assert_eq!(reason("feature:copyright_detection").await, Value::Null, "the plan's lock is lifted");
    assert_eq!(reason("feature:sounds").await, Value::Null);
    app.override_feature(owner.account_id, "feature:obs_remote", true).await;
    app.override_feature(owner.account_id, "feature:copyright_detection", false).await;
    assert_eq!(reason("feature:obs_remote").await, Value::Null);
    assert_eq!(reason("feature:copyright_detection").await, "plan_locked");
}
