//! Members who hold a permission, for notifications.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use shared::{
    Result,
    catalogue::{AccountPermission, Permission},
    id::{AccountId, UserId},
};

/// Members who hold the permission $2, or all of its resource by $3. An override of the account decides before the role
/// (reference/permissions.md#resolution). The owner is the first, so that no limit leaves it out.
const HOLDERS: &str = "
    SELECT m.user_id FROM memberships m
    JOIN accounts a ON a.id = m.account_id
    JOIN account_roles r ON r.id = m.role_id
    LEFT JOIN account_permission_overrides o ON o.account_id = m.account_id AND o.permission = $2
    WHERE m.account_id = $1 AND coalesce(o.granted, r.permissions && ARRAY[$2, $3])
    ORDER BY a.owner_id = m.user_id DESC, m.user_id LIMIT $4";

#[derive(QueryableByName)]
struct Holder {
    #[diesel(sql_type = SqlUuid)]
    user_id: UserId,
}

/// Lists up to `limit` members of an account who hold a permission, the owner first.
///
/// # Errors
/// Database failure.
pub async fn permission_holders(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    permission: AccountPermission,
    limit: i64,
) -> Result<Vec<UserId>> {
    let found: Vec<Holder> = sql_query(HOLDERS)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(permission.as_str())
        .bind::<Text, _>(format!("{}:*", permission.resource()))
        .bind::<BigInt, _>(limit)
        .prepared()
        .load(connection)
        .await?;
    Ok(found.into_iter().map(|holder| holder.user_id).collect())
}
