//! Queries over `extension_feedback`. Each carries the account or the person.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, insert_into,
    prelude::*,
    sql_query,
    sql_types::{Bool, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    id::{AccountId, UserId},
    schema::extension_feedback::{self, dsl},
};
use uuid::Uuid;

#[derive(Debug, Insertable)]
#[diesel(table_name = extension_feedback)]
pub(super) struct NewFeedback<'a> {
    pub id: Uuid,
    pub extension_id: Uuid,
    pub version_id: Uuid,
    pub account_id: AccountId,
    pub user_id: UserId,
    pub category: &'static str,
    pub body: &'a str,
    pub created_at: DateTime<Utc>,
}

/// The version that an install runs.
#[derive(Debug, QueryableByName)]
pub(super) struct Tested {
    #[diesel(sql_type = SqlUuid)]
    pub extension_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub version_id: Uuid,
    #[diesel(sql_type = Text)]
    pub version: String,
    #[diesel(sql_type = Text)]
    pub status: String,
    #[diesel(sql_type = Bool)]
    pub is_tester: bool,
}

/// Locks the install until the transaction ends, so that the count of its feedback holds.
pub(super) async fn tested(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    install: Uuid,
    user: Option<UserId>,
) -> Result<Option<Tested>> {
    Ok(sql_query(
        "SELECT installs.extension_id, installs.version_id, versions.version, versions.status,
                EXISTS (SELECT FROM extension_testers AS testers
                        WHERE testers.extension_id = installs.extension_id AND testers.user_id = $3) AS is_tester
         FROM extension_installs AS installs JOIN extension_versions AS versions ON versions.id = installs.version_id
         WHERE installs.account_id = $1 AND installs.id = $2 FOR UPDATE OF installs",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(install)
    .bind::<Nullable<SqlUuid>, _>(user)
    .get_result(connection)
    .await
    .optional()?)
}

pub(super) async fn count(connection: &mut AsyncPgConnection, tested: &Tested, user: UserId) -> Result<i64> {
    Ok(dsl::extension_feedback
        .filter(dsl::extension_id.eq(tested.extension_id).and(dsl::version_id.eq(tested.version_id)))
        .filter(dsl::user_id.eq(user))
        .count()
        .get_result(connection)
        .await?)
}

pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewFeedback<'_>) -> Result<()> {
    insert_into(dsl::extension_feedback).values(new).execute(connection).await?;
    Ok(())
}
