//! Queries over `extensions`. Each carries the owner, or the person who reads.

use chrono::{DateTime, Utc};
use developer_access::extensions::{Owner, readers};
use diesel::{
    dsl::{count_star, sql},
    insert_into,
    pg::Pg,
    prelude::*,
    sql_types::BigInt,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::UserId,
    schema::{
        developer_profiles, developer_team_members, developer_team_roles, developer_teams,
        extension_installs,
        extensions::{self, dsl},
    },
};
use uuid::Uuid;

use super::{ExtensionRow, slug};
use crate::{developer_api::Cursor, envelope::Result, owners::not_found};

/// Bound of the list; a developer has fewer extensions.
const MAX_ROWS: i64 = 500;

#[derive(Debug, Clone, Insertable)]
#[diesel(table_name = extensions)]
pub(super) struct NewExtension {
    pub id: Uuid,
    pub short_id: String,
    pub slug: String,
    pub owner_developer_id: Option<Uuid>,
    pub owner_team_id: Option<Uuid>,
    pub name: String,
    pub short_description: String,
    pub description: String,
    pub pricing_type: &'static str,
    pub pricing_amount: Option<i64>,
    pub pricing_interval: Option<&'static str>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(Debug, Default, AsChangeset)]
#[diesel(table_name = extensions)]
pub(crate) struct Changes {
    pub name: Option<String>,
    pub slug: Option<String>,
    pub slug_changed_at: Option<DateTime<Utc>>,
    pub short_description: Option<String>,
    pub description: Option<String>,
    pub pricing_type: Option<&'static str>,
    pub pricing_amount: Option<Option<i64>>,
    pub pricing_interval: Option<Option<&'static str>>,
    pub visibility: Option<String>,
    pub status: Option<&'static str>,
    pub icon_key: Option<Option<String>>,
    pub screenshots: Option<Vec<String>>,
    pub tags: Option<Vec<String>>,
    pub support_url: Option<Option<String>>,
    pub updated_at: DateTime<Utc>,
}

/// One row more than the limit, newest first.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    user: UserId,
    cursor: Cursor,
) -> Result<Vec<ExtensionRow>> {
    let mut query = readable(user);
    if let Some(before) = cursor.before {
        query = query.filter(dsl::id.lt(before));
    }
    Ok(query
        .order(dsl::id.desc())
        .limit(cursor.limit + 1)
        .select(ExtensionRow::as_select())
        .load(connection)
        .await?)
}

pub(crate) async fn find(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
) -> Result<ExtensionRow> {
    let row = own(owner.developer, owner.team, id)
        .select(ExtensionRow::as_select())
        .first(connection)
        .await
        .optional()?;
    row.ok_or_else(not_found)
}

/// Locks the row until the transaction ends.
pub(crate) async fn find_locked(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
) -> Result<ExtensionRow> {
    let row = own(owner.developer, owner.team, id)
        .select(ExtensionRow::as_select())
        .for_update()
        .first(connection)
        .await
        .optional()?;
    row.ok_or_else(not_found)
}

/// Every extension of a person and of the person's teams, newest first.
pub(crate) async fn all(connection: &mut AsyncPgConnection, user: UserId) -> Result<Vec<ExtensionRow>> {
    Ok(readable(user)
        .order(dsl::id.desc())
        .limit(MAX_ROWS)
        .select(ExtensionRow::as_select())
        .load(connection)
        .await?)
}

/// True when another extension has the slug.
pub(super) async fn is_taken(connection: &mut AsyncPgConnection, slug: &str, id: Uuid) -> Result<bool> {
    let other = dsl::extensions.filter(dsl::slug.eq(slug).and(dsl::id.ne(id)));
    Ok(diesel::select(diesel::dsl::exists(other)).get_result(connection).await?)
}

/// Number of extensions of an owner. Locks the profile or the team, so that concurrent counts wait.
pub(crate) async fn count_locked(connection: &mut AsyncPgConnection, owner: &Owner) -> Result<i64> {
    if let Some(developer) = owner.developer {
        let profile = developer_profiles::table.find(developer).select(developer_profiles::id);
        profile.for_update().first::<Uuid>(connection).await?;
    }
    if let Some(team) = owner.team {
        let row = developer_teams::table.find(team).select(developer_teams::id);
        row.for_update().first::<Uuid>(connection).await?;
    }
    Ok(dsl::extensions
        .filter(dsl::owner_developer_id.eq(owner.developer).or(dsl::owner_team_id.eq(owner.team)))
        .count()
        .get_result(connection)
        .await?)
}

/// Moves an extension to another owner.
pub(crate) async fn transfer(
    connection: &mut AsyncPgConnection,
    from: &Owner,
    to: &Owner,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<ExtensionRow> {
    Ok(diesel::update(own(from.developer, from.team, id))
        .set((
            dsl::owner_developer_id.eq(to.developer),
            dsl::owner_team_id.eq(to.team),
            dsl::updated_at.eq(now),
        ))
        .returning(ExtensionRow::as_returning())
        .get_result(connection)
        .await?)
}

/// Inserts under the slug, or under a distinguished one when it is taken.
pub(super) async fn insert(
    connection: &mut AsyncPgConnection,
    mut new: NewExtension,
) -> Result<ExtensionRow> {
    let inserted = insert_into(dsl::extensions)
        .values(&new)
        .on_conflict(dsl::slug)
        .do_nothing()
        .returning(ExtensionRow::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    if let Some(row) = inserted {
        return Ok(row);
    }
    new.slug = slug::distinguished(&new.slug, &new.short_id);
    Ok(insert_into(dsl::extensions)
        .values(&new)
        .returning(ExtensionRow::as_returning())
        .get_result(connection)
        .await?)
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
    changes: Changes,
) -> Result<ExtensionRow> {
    Ok(diesel::update(own(owner.developer, owner.team, id))
        .set(changes)
        .returning(ExtensionRow::as_returning())
        .get_result(connection)
        .await?)
}

/// Deletes an extension with everything that references it. Returns its installs: account and id.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    owner: &Owner,
    id: Uuid,
) -> Result<Vec<(Uuid, Uuid)>> {
    let installed = extension_installs::table.filter(extension_installs::extension_id.eq(id));
    let installs: Vec<(Uuid, Uuid)> = diesel::delete(installed)
        .returning((extension_installs::account_id, extension_installs::id))
        .get_results(connection)
        .await?;
    // The extension references its current version, and the version its extension.
    diesel::update(own(owner.developer, owner.team, id))
        .set(dsl::current_version_id.eq(None::<Uuid>))
        .execute(connection)
        .await?;
    diesel::delete(own(owner.developer, owner.team, id)).execute(connection).await?;
    Ok(installs)
}

/// Version, number of installs, and number of those that are switched on.
pub(super) async fn installs_by_version(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Vec<(Uuid, i64, i64)>> {
    Ok(extension_installs::table
        .filter(extension_installs::extension_id.eq(extension))
        .group_by(extension_installs::version_id)
        .select((
            extension_installs::version_id,
            count_star(),
            sql::<BigInt>("count(*) FILTER (WHERE enabled AND killed_at IS NULL)"),
        ))
        .load(connection)
        .await?)
}

/// Extensions that a person owns, and those of teams in which the role of the person shows them.
fn readable<'a>(user: UserId) -> extensions::BoxedQuery<'a, Pg> {
    let profiles = developer_profiles::table
        .filter(developer_profiles::user_id.eq(user))
        .select(developer_profiles::id.nullable());
    let teams = developer_team_members::table
        .inner_join(
            developer_team_roles::table.on(developer_team_roles::id.eq(developer_team_members::role_id)),
        )
        .filter(developer_team_members::user_id.eq(user))
        .filter(developer_team_roles::permissions.overlaps_with(readers()))
        .select(developer_team_members::team_id.nullable());
    dsl::extensions
        .filter(dsl::owner_developer_id.eq_any(profiles).or(dsl::owner_team_id.eq_any(teams)))
        .into_boxed()
}

#[diesel::dsl::auto_type(no_type_alias)]
fn own(developer: Option<Uuid>, team: Option<Uuid>, id: Uuid) -> _ {
    dsl::extensions
        .filter(dsl::id.eq(id))
        .filter(dsl::owner_developer_id.is_not_distinct_from(developer))
        .filter(dsl::owner_team_id.is_not_distinct_from(team))
}
