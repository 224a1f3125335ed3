//! Features, plans, limits and payments of accounts.

mod coupons;
mod feature_flags;
mod feature_overrides;
mod features;
mod limits;
mod payments;
mod payout_webhook;
mod payouts;
mod plan_change;
mod plan_features;
mod plans;
mod platforms;
mod retention;
mod subscriptions;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::schema::{accounts, feature_flags as flags_table, plans as plans_table};
use uuid::Uuid;

/// Id of the plan with a slug.
async fn plan_id(app: &TestApp, slug: &str) -> Uuid {
    let plan = plans_table::table.filter(plans_table::slug.eq(slug)).select(plans_table::id);
    plan.first(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Id of the feature flag with a key.
async fn feature_id(app: &TestApp, key: &str) -> Uuid {
    let flag = flags_table::table.filter(flags_table::key.eq(key)).select(flags_table::id);
    flag.first(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Sets the plan of an account in the database, without an operation.
async fn put_on(app: &TestApp, account_id: Uuid, plan: Uuid) {
    diesel::update(accounts::table.find(account_id))
        .set(accounts::plan_id.eq(plan))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Reason why a feature is off for an account; null when it is on.
async fn reason_of(caller: &Caller, account_id: Uuid, key: &str) -> Value {
    let statuses = caller.get(&format!("/v1/accounts/{account_id}/feature-statuses")).await;
    let found = statuses.data().as_array().unwrap().iter().find(|status| status["key"] == key);
    found.unwrap_or_else(|| panic!("no status of {key}"))["reason"].clone()
}

/// Asserts on both protocols that anonymous callers, keys and users without the admin permission are refused.
async fn only_staff(
    app: &TestApp,
    permission: &str,
    rest: impl AsyncFn(Caller) -> Answer,
    graphql: impl AsyncFn(Caller) -> Answer,
) {
    let owner = app.owner().await;
    let other_staff = app.admin_with(&["admin:access"]).await;
    let lacking = format!("Missing permission: {permission}");
    let cases = [
        (app.anonymous(), 401, "UNAUTHORIZED", "Authentication required"),
        (app.service_key(owner.account_id, &["plan:*"]).await, 403, "FORBIDDEN", lacking.as_str()),
        (owner.caller.clone(), 403, "FORBIDDEN", lacking.as_str()),
        (app.personal_key(&other_staff, &["plan:*"]).await, 403, "FORBIDDEN", lacking.as_str()),
        (other_staff.caller.clone(), 403, "FORBIDDEN", lacking.as_str()),
    ];
    for (caller, status, code, message) in cases {
        let (rest, graphql) = (rest(caller.clone()).await, graphql(caller).await);
        both_refused(&rest, &graphql, status, code, message);
    }
}

/// Runs a GraphQL document without variables.
async fn ask(caller: &Caller, document: &str) -> Answer {
    caller.graphql(document, json!({})).await
}

/// Converts a GraphQL result to the form of REST: enum values in lower case, and numbers beyond 32 bits,
/// which GraphQL returns as doubles, as integers.
fn as_rest(mut value: Value, enums: &[&str]) -> Value {
    match &mut value {
        Value::Object(object) => {
            for (name, field) in object {
                *field = match (enums.contains(&name.as_str()), field.as_str()) {
                    (true, Some(text)) => text.to_lowercase().into(),
                    _ => as_rest(field.take(), enums),
                };
            }
            value
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| *item = as_rest(item.take(), enums));
            value
        }
        Value::Number(number) if number.is_f64() => {
            number.to_string().trim_end_matches(".0").parse().unwrap()
        }
        _ => value,
    }
}
