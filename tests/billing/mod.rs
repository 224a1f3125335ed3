//! What accounts may use and what they pay.

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
use shared::db::schema::{accounts, feature_flags as flags_table, plans as plans_table};
use uuid::Uuid;

/// The plan of a slug.
async fn plan_id(app: &TestApp, slug: &str) -> Uuid {
    let plan = plans_table::table.filter(plans_table::slug.eq(slug)).select(plans_table::id);
    plan.first(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// The flag of a key.
async fn feature_id(app: &TestApp, key: &str) -> Uuid {
    let flag = flags_table::table.filter(flags_table::key.eq(key)).select(flags_table::id);
    flag.first(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap()
}

/// Puts an account on a plan, past every operation.
async fn put_on(app: &TestApp, account_id: Uuid, plan: Uuid) {
    diesel::update(accounts::table.find(account_id))
        .set(accounts::plan_id.eq(plan))
        .execute(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

/// Whether a feature is on for the account that somebody acts in, and why not.
async fn reason_of(caller: &Caller, account_id: Uuid, key: &str) -> Value {
    let statuses = caller.get(&format!("/v1/accounts/{account_id}/feature-statuses")).await;
    let found = statuses.data().as_array().unwrap().iter().find(|status| status["key"] == key);
    found.unwrap_or_else(|| panic!("no status of {key}"))["reason"].clone()
}

/// Asserts that neither strangers nor keys nor people without the admin permission may call, on both protocols.
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

/// A GraphQL field without variables.
async fn ask(caller: &Caller, document: &str) -> Answer {
    caller.graphql(document, json!({})).await
}

/// What GraphQL answered, written as REST would: values of enums in lower case, and numbers beyond 32 bits, which are
/// doubles there, as whole ones.
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
