//! Accounts, their members, and the data that they leave behind.

mod accounts;
mod audit;
mod audit_chains;
mod crossed_limits;
mod dissolution;
mod invites;
mod leaving;
mod limits;
mod login_assignments;
mod members;
mod settings;

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, Socket, SocketRequest, TestApp};
use lumio_worker::{Daemon, Running};
use serde_json::Value;
use shared::{
    id,
    schema::{account_roles, login_connections, memberships},
};
use uuid::Uuid;

async fn socket(app: &TestApp, caller: &Caller) -> Socket {
    SocketRequest::to(app.url()).bearer(caller.token()).connect().await
}

async fn workers(app: &TestApp, daemons: &[Daemon]) -> Running {
    lumio_worker::start_with(app.config(), app.clock.clone(), daemons).await.expect("the workers start")
}

/// Inserts a login connection of a user.
async fn login_connection(app: &TestApp, user_id: Uuid, platform: &str) -> Uuid {
    let connection_id = id::new();
    insert_into(login_connections::table)
        .values((
            login_connections::id.eq(connection_id),
            login_connections::user_id.eq(user_id),
            login_connections::platform.eq(platform),
            login_connections::provider_user_id.eq(connection_id.to_string()),
            login_connections::username.eq(format!("on_{platform}")),
            login_connections::display_name.eq(format!("On {platform}")),
            login_connections::avatar_url.eq(format!("https://cdn.example/{platform}.png")),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    connection_id
}

/// Id of a role of an account.
async fn role_id(app: &TestApp, account_id: Uuid, slug: &str) -> Uuid {
    account_roles::table
        .filter(account_roles::account_id.eq(account_id).and(account_roles::slug.eq(slug)))
        .select(account_roles::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// Id of a person's membership.
async fn membership_id(app: &TestApp, person: &Person) -> Uuid {
    memberships::table
        .filter(memberships::account_id.eq(person.account_id))
        .filter(memberships::user_id.eq(person.user_id))
        .select(memberships::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// User and role of every membership of an account, in the order of joining.
async fn members_of(app: &TestApp, account_id: Uuid) -> Vec<(Uuid, Uuid)> {
    memberships::table
        .filter(memberships::account_id.eq(account_id))
        .order(memberships::joined_at.asc())
        .select((memberships::user_id, memberships::role_id))
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is a text"))
}
