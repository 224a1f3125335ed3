//! People, operator staff and developers.

use account_model::accounts::{self, NewAccount};
use anyhow::{Context, ensure};
use api_core::{State, validate};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{
    audit::{self, Actor, Entry, Scope},
    db::Databases,
    invalidation::{self, Invalidation},
};
use serde::Serialize;
use shared::{
    id::{self, AccountId, UserId},
    schema::{admin_role_members, admin_roles, developer_profiles, users},
};
use uuid::Uuid;

/// Input of a new person.
pub struct NewPerson {
    /// 1 to 100 characters.
    pub display_name: String,
    /// 1 to 100 characters; the display name in lower case when absent.
    pub username: Option<String>,
    /// Address for mails.
    pub email: Option<String>,
    /// Name of the account; the display name when absent.
    pub account: Option<String>,
}

/// Ids of a new person.
#[derive(Debug, Serialize)]
pub struct CreatedPerson {
    /// The person.
    pub user_id: UserId,
    /// Account that the person owns.
    pub account_id: AccountId,
}

/// Creates a person with an account of their own.
pub async fn create(
    state: &State,
    databases: &Databases,
    person: NewPerson,
) -> anyhow::Result<CreatedPerson> {
    let display_name = validate::text("display-name", &person.display_name, 1, 100)?;
    let username =
        person.username.unwrap_or_else(|| display_name.to_lowercase().replace(char::is_whitespace, "_"));
    let username = validate::text("username", &username, 1, 100)?;
    let email = person.email.map(|email| validate::email("email", &email)).transpose()?;
    let account_name = person.account.unwrap_or_else(|| display_name.clone());
    let account_name = validate::text("account", &account_name, 1, accounts::MAX_NAME_LENGTH)?;
    let (user_id, now) = (UserId(id::new()), state.clock.now());
    let account_id = databases
        .postgres
        .get()
        .await?
        .transaction(async |connection| {
            insert_into(users::table)
                .values((
                    users::id.eq(user_id),
                    users::display_name.eq(&display_name),
                    users::username.eq(&username),
                    users::email.eq(&email),
                    users::created_at.eq(now),
                ))
                .execute(connection)
                .await?;
            let account = NewAccount {
                name: &account_name,
                description: None,
                owner: user_id,
                primary_login_connection: None,
                plan: &state.config.billing.default_plan,
            };
            let account_id = accounts::create_with_default_roles(connection, &account, now).await?;
            diesel::update(users::table.find(user_id))
                .set(users::active_account_id.eq(account_id))
                .execute(connection)
                .await?;
            audit::record(connection, entry("user:created", "user", user_id.0)).await?;
            Ok::<_, shared::Error>(account_id)
        })
        .await?;
    Ok(CreatedPerson { user_id, account_id })
}

/// Gives a person a role of operator staff and returns the role's name. A role that the person has stays.
/// Without a name it is the System Admin role, which is found by its marker and not by its name.
pub async fn grant_admin(
    state: &State,
    databases: &Databases,
    user: Uuid,
    role: Option<&str>,
) -> anyhow::Result<String> {
    let mut connection = databases.postgres.get().await?;
    ensure!(exists(&mut connection, user).await?, "there is no person {user}");
    let roles = admin_roles::table.select((admin_roles::id, admin_roles::name));
    let (role_id, name): (Uuid, String) = match role {
        Some(name) => roles
            .filter(admin_roles::name.eq(name))
            .first(&mut connection)
            .await
            .optional()?
            .with_context(|| format!("there is no admin role `{name}`"))?,
        None => roles
            .filter(admin_roles::is_system)
            .first(&mut connection)
            .await
            .optional()?
            .context("the database is not seeded yet: run `lumio-api migrate`")?,
    };
    connection
        .transaction(async |connection| {
            insert_into(admin_role_members::table)
                .values((admin_role_members::role_id.eq(role_id), admin_role_members::user_id.eq(user)))
                .on_conflict_do_nothing()
                .execute(connection)
                .await?;
            audit::record(connection, entry("admin_role:assigned", "user", user)).await
        })
        .await?;
    invalidation::announce(&state.redis, &Invalidation::User { user_id: user }).await?;
    Ok(name)
}

/// Gives a person a developer profile, or returns the existing one, which stays as it is. `verified` makes
/// either one verified.
pub async fn create_developer(
    state: &State,
    databases: &Databases,
    user: Uuid,
    display_name: Option<String>,
    verified: bool,
) -> anyhow::Result<Uuid> {
    let mut connection = databases.postgres.get().await?;
    let own_name: Option<String> =
        users::table.find(user).select(users::display_name).first(&mut connection).await.optional()?;
    let own_name = own_name.with_context(|| format!("there is no person {user}"))?;
    let display_name = validate::text("display-name", &display_name.unwrap_or(own_name), 1, 100)?;
    let now = state.clock.now();
    let profile_id = connection
        .transaction(async |connection| {
            let profile_id = find_or_insert_developer(connection, user, &display_name, now).await?;
            if verified && verify_developer(connection, profile_id).await? {
                audit::record(connection, entry("developer:verified", "developer_profile", profile_id))
                    .await?;
            }
            Ok::<_, shared::Error>(profile_id)
        })
        .await?;
    Ok(profile_id)
}

async fn find_or_insert_developer(
    connection: &mut AsyncPgConnection,
    user: Uuid,
    display_name: &str,
    now: DateTime<Utc>,
) -> shared::Result<Uuid> {
    let profile_id = id::new();
    let inserted = insert_into(developer_profiles::table)
        .values((
            developer_profiles::id.eq(profile_id),
            developer_profiles::user_id.eq(user),
            developer_profiles::display_name.eq(display_name),
            // The id makes it unique, independent of the name.
            developer_profiles::slug.eq(format!("developer-{}", profile_id.simple())),
            developer_profiles::created_at.eq(now),
        ))
        .on_conflict(developer_profiles::user_id)
        .do_nothing()
        .execute(connection)
        .await?;
    if inserted == 0 {
        let own = developer_profiles::table.filter(developer_profiles::user_id.eq(user));
        return Ok(own.select(developer_profiles::id).first(connection).await?);
    }
    audit::record(connection, entry("developer:profile_created", "developer_profile", profile_id)).await?;
    Ok(profile_id)
}

/// True when it was not verified before.
async fn verify_developer(connection: &mut AsyncPgConnection, profile_id: Uuid) -> shared::Result<bool> {
    let unverified =
        developer_profiles::table.find(profile_id).filter(developer_profiles::verified.eq(false));
    Ok(diesel::update(unverified).set(developer_profiles::verified.eq(true)).execute(connection).await? > 0)
}

async fn exists(connection: &mut AsyncPgConnection, user: Uuid) -> shared::Result<bool> {
    let found: Option<Uuid> = users::table.find(user).select(users::id).first(connection).await.optional()?;
    Ok(found.is_some())
}

/// Entry of the operators' audit log.
pub(super) fn entry<'a>(action: &'a str, resource_type: &'a str, resource_id: Uuid) -> Entry<'a> {
    Entry {
        scope: Scope::System,
        actor: Actor::System,
        action,
        resource_type,
        resource_id: Some(resource_id.to_string()),
        metadata: serde_json::json!({ "by": "console" }),
        ip: None,
    }
}
