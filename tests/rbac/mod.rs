//! Roles of accounts, of people and of staff, and the overrides in addition to them.

mod admin_account_connections;
mod admin_account_limits;
mod admin_accounts;
mod admin_roles;
mod admin_users;
mod explain;
mod oauth_clients;
mod overrides;
mod processes;
mod roles;
mod rules;
mod staff;
mod user_roles;

use lumio_tests::{Answer, Caller, TestApp, both_refused};
use serde_json::{Value, json};
use shared::catalogue::{AccountPermission, Permission};
use uuid::Uuid;

/// The text at a pointer.
#[track_caller]
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text at {pointer} in {value}"))
}

/// The identifier in `id`.
#[track_caller]
fn id_of(value: &Value) -> Uuid {
    text(value, "/id").parse().expect("an identifier")
}

/// Permissions of the caller in the account, as the caller reads them.
async fn account_permissions(caller: &Caller) -> Value {
    let held = caller.get("/v1/tokens/me").await.data()["permissions"].clone();
    let of_account = held
        .as_array()
        .expect("permissions")
        .iter()
        .filter(|permission| AccountPermission::parse(permission.as_str().unwrap_or_default()).is_some());
    of_account.cloned().collect()
}

/// Responses of both protocols to the same call.
type Both = (Answer, Answer);

#[track_caller]
fn refused(both: &Both, status: u16, code: &str, message: &str) {
    both_refused(&both.0, &both.1, status, code, message);
}

/// Asserts that each call, made by each caller, is refused for lack of its permission.
async fn each_needs<F>(app: &TestApp, callers: &[&Caller], calls: impl Fn(Caller) -> F)
where
    F: Future<Output = Vec<(&'static str, Both)>>,
{
    for (_, both) in calls(app.anonymous()).await {
        refused(&both, 401, "UNAUTHORIZED", "Authentication required");
    }
    for caller in callers {
        for (permission, both) in calls((*caller).clone()).await {
            refused(&both, 403, "FORBIDDEN", &format!("Missing permission: {permission}"));
        }
    }
}

/// Types of the events of a channel in the outbox, oldest first.
async fn pending_events(app: &TestApp, channel: &str) -> Vec<String> {
    use diesel::prelude::*;
    use diesel_async::RunQueryDsl;
    use shared::schema::outbox;
    let payloads: Vec<Value> = outbox::table
        .filter(outbox::queue.eq("live_events"))
        .order(outbox::id.asc())
        .select(outbox::payload)
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let events = payloads.into_iter().filter(|payload| payload["event"]["channel"] == json!(channel));
    events.map(|payload| text(&payload, "/event/event_type").to_owned()).collect()
}
