//! Queries over `usage_budgets`. Each carries the account.

use api_core::{ApiError, Result};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};
use shared::{
    id::{self, AccountId},
    schema::usage_budgets,
};
use usage_model::SubjectKind;
use uuid::Uuid;

use super::fields::Fields;

#[derive(QueryableByName)]
struct Existence {
    #[diesel(sql_type = Bool)]
    exists: bool,
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Extension $2 that is installed in the account $1.
const HAS_EXTENSION: &str = "
    SELECT EXISTS (SELECT FROM extension_installs WHERE account_id = $1 AND extension_id = $2) AS exists";

/// Service key $2 of the account $1, or personal key in it.
const HAS_KEY: &str = "
    SELECT EXISTS (SELECT FROM account_service_keys WHERE account_id = $1 AND id = $2)
        OR EXISTS (SELECT FROM user_api_keys WHERE account_id = $1 AND id = $2) AS exists";

/// Counts the budgets of an account. Other changes of its budgets by callers wait until the transaction ends.
pub(super) async fn lock_and_count(connection: &mut AsyncPgConnection, account: AccountId) -> Result<i64> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("usage_budgets:{account}"))
        .execute(connection)
        .await?;
    let own = usage_budgets::table.filter(usage_budgets::account_id.eq(account));
    Ok(own.count().get_result(connection).await?)
}

/// Refuses a budget of an extension or key that the account does not have.
pub(super) async fn require_subject(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    fields: &Fields,
) -> Result<()> {
    let (statement, missing) = match fields.subject {
        SubjectKind::Account => return Ok(()),
        SubjectKind::Extension => (HAS_EXTENSION, "Extension not found"),
        SubjectKind::Key => (HAS_KEY, "API key not found"),
    };
    let found: Existence = sql_query(statement)
        .bind::<SqlUuid, _>(account)
        .bind::<SqlUuid, _>(fields.subject_id)
        .get_result(connection)
        .await?;
    if found.exists { Ok(()) } else { Err(ApiError::not_found(missing)) }
}

/// True when the account has a budget of the subject, unit and period.
pub(super) async fn exists(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    fields: &Fields,
) -> Result<bool> {
    let same = usage_budgets::table
        .filter(usage_budgets::account_id.eq(account))
        .filter(usage_budgets::subject_kind.eq(fields.subject.as_str()))
        .filter(usage_budgets::subject_id.eq(fields.subject_id))
        .filter(usage_budgets::unit.eq(fields.unit.as_str()))
        .filter(usage_budgets::period.eq(fields.period.as_str()));
    Ok(same.count().get_result::<i64>(connection).await? > 0)
}

/// Inserts a budget of an author, or replaces the one of the same subject, unit and period. Another maximum notifies
/// anew. Returns the id.
pub(super) async fn set(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    author: Option<Uuid>,
    fields: &Fields,
    now: DateTime<Utc>,
) -> Result<Uuid> {
    const SET: &str = "
        INSERT INTO usage_budgets AS known (id, account_id, subject_kind, subject_id, unit, period, maximum,
            warn_percent, is_stopping, created_by, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
        ON CONFLICT (account_id, subject_kind, subject_id, unit, period) DO UPDATE SET
            warned_period = CASE WHEN known.maximum = excluded.maximum THEN known.warned_period END,
            reached_period = CASE WHEN known.maximum = excluded.maximum THEN known.reached_period END,
            maximum = excluded.maximum, warn_percent = excluded.warn_percent, is_stopping = excluded.is_stopping,
            updated_at = excluded.updated_at
        RETURNING id";
    let set: Id = sql_query(SET)
        .bind::<SqlUuid, _>(id::new())
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(fields.subject.as_str())
        .bind::<SqlUuid, _>(fields.subject_id)
        .bind::<Text, _>(fields.unit.as_str())
        .bind::<Text, _>(fields.period.as_str())
        .bind::<BigInt, _>(fields.maximum)
        .bind::<Nullable<SmallInt>, _>(fields.warn_percent)
        .bind::<Bool, _>(fields.is_stopping)
        .bind::<Nullable<SqlUuid>, _>(author)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await?;
    Ok(set.id)
}

/// Deletes a budget; returns what it was for the audit trail, or `None` when the account has no such budget.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Value>> {
    let own = usage_budgets::account_id.eq(account).and(usage_budgets::id.eq(id));
    let deleted: Option<(String, Uuid, String, String, i64)> =
        diesel::delete(usage_budgets::table.filter(own))
            .returning((
                usage_budgets::subject_kind,
                usage_budgets::subject_id,
                usage_budgets::unit,
                usage_budgets::period,
                usage_budgets::maximum,
            ))
            .get_result(connection)
            .await
            .optional()?;
    Ok(deleted.map(|(subject, subject_id, unit, period, maximum)| {
        json!({
            "subject": subject, "subject_id": subject_id, "unit": unit, "period": period, "maximum": maximum,
        })
    }))
}
