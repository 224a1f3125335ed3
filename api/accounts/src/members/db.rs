//! Queries over `memberships` and `account_roles`. Each one carries the account.

use account_model::accounts::MAX_MEMBERS;
use api_core::{Result, Timestamp, access::AccountScopes};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use juniper::GraphQLObject;
use membership::invites::MemberRole;
use serde::Serialize;
use shared::{
    catalogue::PermissionSet,
    id::{AccountId, UserId},
    schema::{account_roles, accounts, login_connections, memberships, users},
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Member;

/// Slug of the role that can be neither assigned nor taken away (reference/accounts.md#members).
const OWNER: &str = "owner";
/// Maximum number of login connections of all people in a search result.
const MAX_CONNECTIONS: i64 = 500;

/// A person who is not a member.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct FoundUser {
    /// Id of the person.
    pub user_id: Uuid,
    /// Display name.
    pub display_name: String,
    /// User name.
    pub username: String,
    /// Address of the avatar; null when there is none.
    pub avatar_url: Option<String>,
    /// Names on platforms, without platforms for which sign-in is switched off.
    pub connections: Vec<FoundUserConnection>,
}

/// Names of a person on a platform.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct FoundUserConnection {
    /// Slug of the platform.
    pub platform: String,
    /// User name on the platform.
    pub username: String,
    /// Display name on the platform.
    pub display_name: String,
    /// Address of the avatar on the platform; null when unknown.
    pub avatar_url: Option<String>,
}

/// Columns of a role that assigning it needs.
pub(crate) struct Role {
    pub id: Uuid,
    pub name: String,
    slug: String,
    permissions: Vec<String>,
}

/// A membership whose row is locked for a change.
pub(super) struct LockedMembership {
    pub user: UserId,
    pub role_id: Uuid,
    /// Permissions of the role, including those that overrides of the account deny.
    pub permissions: AccountScopes,
    pub is_owner: bool,
}

#[derive(QueryableByName)]
struct Person {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    username: String,
    #[diesel(sql_type = diesel::sql_types::Nullable<Text>)]
    avatar_url: Option<String>,
}

impl Role {
    /// True for the Owner role.
    pub fn is_owner(&self) -> bool {
        self.slug == OWNER
    }

    /// Permissions of the role, including those that overrides of the account deny.
    pub fn permissions(&self) -> AccountScopes {
        PermissionSet::from_strings(&self.permissions)
    }
}

/// Role of the account.
pub(crate) async fn role(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Role>> {
    let found: Option<(Uuid, String, String, Vec<String>)> = account_roles::table
        .filter(account_roles::account_id.eq(account).and(account_roles::id.eq(id)))
        .select((account_roles::id, account_roles::name, account_roles::slug, account_roles::permissions))
        .first(connection)
        .await
        .optional()?;
    Ok(found.map(|(id, name, slug, permissions)| Role { id, name, slug, permissions }))
}

pub(super) async fn list(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Vec<Member>> {
    let rows = selected()
        .filter(memberships::account_id.eq(account))
        .order((memberships::joined_at.asc(), memberships::id.asc()))
        .limit(MAX_MEMBERS)
        .load::<Row>(connection)
        .await?;
    Ok(rows.into_iter().map(member).collect())
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Member>> {
    let own = memberships::account_id.eq(account).and(memberships::id.eq(id));
    Ok(selected().filter(own).first::<Row>(connection).await.optional()?.map(member))
}

/// Locks a membership until the transaction ends.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<LockedMembership>> {
    let own = memberships::account_id.eq(account).and(memberships::id.eq(id));
    let locked: Option<(UserId, Uuid)> = memberships::table
        .filter(own)
        .select((memberships::user_id, memberships::role_id))
        .for_update()
        .first(connection)
        .await
        .optional()?;
    let Some((user, role_id)) = locked else { return Ok(None) };
    let role: Vec<String> =
        account_roles::table.find(role_id).select(account_roles::permissions).first(connection).await?;
    let owner: UserId = accounts::table.find(account).select(accounts::owner_id).first(connection).await?;
    let permissions = PermissionSet::from_strings(&role);
    Ok(Some(LockedMembership { user, role_id, permissions, is_owner: owner == user }))
}

pub(super) async fn set_role(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
    role: Uuid,
) -> Result<()> {
    let own = memberships::table.filter(memberships::account_id.eq(account).and(memberships::id.eq(id)));
    diesel::update(own).set(memberships::role_id.eq(role)).execute(connection).await?;
    Ok(())
}

/// True when a person is a member of the account.
pub(crate) async fn is_member(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    user: UserId,
) -> Result<bool> {
    let own =
        memberships::table.filter(memberships::account_id.eq(account).and(memberships::user_id.eq(user)));
    Ok(diesel::select(diesel::dsl::exists(own)).get_result(connection).await?)
}

/// People outside the account with a name that begins with a text, in any case. Ranges are used instead of
/// patterns, so that every part reads from its index independent of the plan.
pub(super) async fn search(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    prefix: &str,
    limit: i64,
) -> Result<Vec<FoundUser>> {
    let part = |table: &str, user: &str, column: &str| {
        format!(
            "(SELECT {user} AS id FROM {table} AS found
              WHERE lower({column}) ~>=~ lower($1) AND lower({column}) ~<~ (lower($1) || chr(1114111))
                AND NOT EXISTS (SELECT 1 FROM memberships WHERE account_id = $2 AND user_id = found.{user})
              ORDER BY lower({column}) USING ~<~ LIMIT $3)"
        )
    };
    let sql = format!(
        "SELECT id, display_name, username, avatar_url FROM users WHERE id IN ({} UNION {} UNION {})
         ORDER BY lower(username), id LIMIT $3",
        part("users", "id", "username"),
        part("users", "id", "display_name"),
        part("login_connections", "user_id", "username"),
    );
    let people: Vec<Person> = sql_query(sql)
        .bind::<Text, _>(prefix)
        .bind::<SqlUuid, _>(account)
        .bind::<BigInt, _>(limit)
        .load(connection)
        .await?;
    with_connections(connection, people).await
}

async fn with_connections(connection: &mut AsyncPgConnection, people: Vec<Person>) -> Result<Vec<FoundUser>> {
    let ids: Vec<Uuid> = people.iter().map(|person| person.id).collect();
    let connections: Vec<(Uuid, String, String, String, Option<String>)> = login_connections::table
        .filter(login_connections::user_id.eq_any(ids))
        .order((login_connections::created_at.asc(), login_connections::id.asc()))
        .limit(MAX_CONNECTIONS)
        .select((
            login_connections::user_id,
            login_connections::platform,
            login_connections::username,
            login_connections::display_name,
            login_connections::avatar_url,
        ))
        .load(connection)
        .await?;
    let mut found: Vec<FoundUser> = people
        .into_iter()
        .map(|person| FoundUser {
            user_id: person.id,
            display_name: person.display_name,
            username: person.username,
            avatar_url: person.avatar_url,
            connections: Vec::new(),
        })
        .collect();
    for (user_id, platform, username, display_name, avatar_url) in connections {
        if let Some(person) = found.iter_mut().find(|person| person.user_id == user_id) {
            person.connections.push(FoundUserConnection { platform, username, display_name, avatar_url });
        }
    }
    Ok(found)
}

type Row = (
    Uuid,
    Uuid,
    String,
    Option<String>,
    Option<String>,
    (Uuid, String, String, Option<String>),
    bool,
    Timestamp,
);

#[diesel::dsl::auto_type]
fn selected() -> _ {
    memberships::table
        .inner_join(users::table)
        .inner_join(accounts::table)
        .inner_join(account_roles::table.on(account_roles::id.eq(memberships::role_id)))
        .select((
            memberships::id,
            memberships::user_id,
            users::display_name,
            users::email,
            users::avatar_url,
            (account_roles::id, account_roles::slug, account_roles::name, account_roles::color),
            accounts::owner_id.eq(memberships::user_id),
            memberships::joined_at,
        ))
}

fn member(row: Row) -> Member {
    let (membership_id, user_id, display_name, email, avatar_url, role, is_owner, joined_at) = row;
    let (id, slug, name, color) = role;
    Member {
        membership_id,
        user_id,
        display_name,
        email,
        avatar_url,
        role: MemberRole { id, slug, name, color },
        is_owner,
        joined_at,
    }
}
