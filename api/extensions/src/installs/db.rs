//! Queries over `extension_installs`. Each carries the account.

pub(super) mod versions;
pub(super) mod views;

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    dsl::sql,
    insert_into,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::{AccountId, UserId},
    schema::{
        extension_installs::{self, dsl},
        extensions,
    },
};
use uuid::Uuid;

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_installs)]
pub(super) struct NewInstall {
    pub id: Uuid,
    pub account_id: AccountId,
    pub extension_id: Uuid,
    pub version_id: Uuid,
    pub config: Value,
    pub granted_permissions: Vec<String>,
    pub installed_by: Option<UserId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, AsChangeset)]
#[diesel(table_name = extension_installs)]
pub(crate) struct Changes {
    pub version_id: Option<Uuid>,
    pub pinned_version: Option<Option<String>>,
    pub enabled: Option<bool>,
    pub killed_at: Option<Option<DateTime<Utc>>>,
    pub config: Option<Value>,
    pub granted_permissions: Option<Vec<String>>,
    pub updated_at: DateTime<Utc>,
}

impl Changes {
    /// Changes nothing but the time.
    pub(crate) const fn at(now: DateTime<Utc>) -> Self {
        Self {
            version_id: None,
            pinned_version: None,
            enabled: None,
            killed_at: None,
            config: None,
            granted_permissions: None,
            updated_at: now,
        }
    }
}

/// An install, locked for a change.
#[derive(Debug, Clone, Queryable)]
pub(crate) struct Locked {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub version_id: Uuid,
    pub config: Value,
    pub granted_permissions: Vec<String>,
    pub visibility: String,
}

/// Version that the caller may install.
#[derive(Debug, Clone, QueryableByName)]
pub(super) struct Offer {
    #[diesel(sql_type = SqlUuid)]
    pub extension_id: Uuid,
    #[diesel(sql_type = Text)]
    pub visibility: String,
    #[diesel(sql_type = Text)]
    pub pricing_type: String,
    #[diesel(sql_type = Bool)]
    /// True when the caller is its developer and owns the account.
    pub is_own: bool,
    #[diesel(sql_type = SqlUuid)]
    pub version_id: Uuid,
    #[diesel(sql_type = Text)]
    pub version: String,
    #[diesel(sql_type = Jsonb)]
    pub manifest: Value,
}

/// Locks the install until the transaction ends.
pub(crate) async fn locked(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Locked>> {
    Ok(dsl::extension_installs
        .inner_join(extensions::table)
        .filter(dsl::account_id.eq(account).and(dsl::id.eq(id)))
        .select((
            dsl::id,
            dsl::extension_id,
            dsl::version_id,
            dsl::config,
            dsl::granted_permissions,
            extensions::visibility,
        ))
        .for_update()
        .first(connection)
        .await
        .optional()?)
}

/// Returns the version of an extension that the caller may install, and raises the install count, which locks
/// the extension's row. Built-in extensions are not counted.
///
/// The current version is offered if it is listed, unlisted or granted to the account. Testers, in accounts
/// that they own, also get versions in testing. Its developer, in accounts that the developer owns, also gets
/// versions that are private and, unless the extension is public, not reviewed: no other account runs a
/// version without a review (reference/extensions.md#installing).
pub(super) async fn offered(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
    user: Option<UserId>,
    account: AccountId,
) -> Result<Option<Offer>> {
    let offers: Vec<Offer> = sql_query(
        "WITH counted AS (
             UPDATE extensions SET install_count = install_count + (visibility <> 'system')::integer
             WHERE id = $1 AND status NOT IN ('suspended', 'archived')
             RETURNING id, visibility, pricing_type, current_version_id, listed_at, owner_developer_id, owner_team_id),
         offered AS (
             SELECT counted.*, coalesce((developer_profiles.user_id = $2 OR EXISTS (
                        SELECT FROM developer_team_members AS members
                        WHERE members.team_id = counted.owner_team_id AND members.user_id = $2))
                        AND accounts.owner_id = $2, false) AS is_own,
                    accounts.owner_id = $2 AND EXISTS (
                        SELECT FROM extension_testers AS testers
                        WHERE testers.extension_id = counted.id AND testers.user_id = $2) AS is_tester,
                    EXISTS (
                        SELECT FROM extension_access_grants AS grants
                        WHERE grants.extension_id = counted.id AND grants.account_id = $3) AS is_granted
             FROM counted
             JOIN accounts ON accounts.id = $3
             LEFT JOIN developer_profiles ON developer_profiles.id = owner_developer_id)
         SELECT offered.id AS extension_id, visibility, pricing_type, is_own, versions.id AS version_id,
                versions.version, versions.manifest
         FROM offered JOIN extension_versions AS versions ON versions.extension_id = offered.id
         WHERE (versions.id = current_version_id
                AND (is_own OR is_granted OR visibility IN ('unlisted', 'system')
                     OR (visibility IN ('public', 'paid') AND listed_at IS NOT NULL)))
            OR (is_own AND visibility IN ('private', 'unlisted')
                AND versions.status IN ('pending', 'testing', 'pending_publish'))
            OR (is_tester AND versions.status = 'testing')
         ORDER BY versions.submitted_at DESC, versions.id DESC LIMIT 1",
    )
    .bind::<SqlUuid, _>(extension)
    .bind::<Nullable<SqlUuid>, _>(user)
    .bind::<SqlUuid, _>(account)
    .load(connection)
    .await?;
    Ok(offers.into_iter().next())
}

/// Numbers of installs of the account, and of one extension in it.
pub(super) async fn count(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    extension: Uuid,
) -> Result<(i64, i64)> {
    Ok(dsl::extension_installs
        .filter(dsl::account_id.eq(account))
        .select((
            diesel::dsl::count_star(),
            sql::<BigInt>("count(*) FILTER (WHERE extension_id = ").bind::<SqlUuid, _>(extension).sql(")"),
        ))
        .first(connection)
        .await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, install: NewInstall) -> Result<()> {
    insert_into(dsl::extension_installs).values(install).execute(connection).await?;
    Ok(())
}

/// True when the account has such an install.
pub(crate) async fn exists(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<bool> {
    let own = dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(connection).await?)
}

pub(crate) async fn update(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    changes: Changes,
) -> Result<()> {
    let own = dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id)));
    diesel::update(own).set(changes).execute(connection).await?;
    Ok(())
}

pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    extension: Uuid,
) -> Result<()> {
    diesel::delete(dsl::extension_installs.filter(dsl::account_id.eq(account).and(dsl::id.eq(id))))
        .execute(connection)
        .await?;
    diesel::update(extensions::table.find(extension))
        .set(extensions::install_count.eq(extensions::install_count - 1))
        .execute(connection)
        .await?;
    Ok(())
}
