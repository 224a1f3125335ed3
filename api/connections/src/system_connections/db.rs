//! Queries over `system_connections`, which belong to the deployment and to no account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::db::schema::system_connections::{self, dsl};
use uuid::Uuid;

/// The table, as sealed secrets name it.
pub(super) const TABLE: &str = "system_connections";

/// One a platform and kind; the list is bounded all the same.
const MOST: i64 = 100;

#[derive(Queryable, Selectable)]
#[diesel(table_name = system_connections)]
pub(super) struct Record {
    pub id: Uuid,
    pub platform: String,
    pub kind: String,
    pub client_id: String,
    pub client_secret: Vec<u8>,
    pub updated_at: Timestamp,
}

#[derive(Insertable)]
#[diesel(table_name = system_connections)]
pub(super) struct NewRecord<'a> {
    pub id: Uuid,
    pub platform: &'a str,
    pub kind: &'a str,
    pub client_id: &'a str,
    pub client_secret: &'a [u8],
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

pub(super) async fn list(connection: &mut AsyncPgConnection) -> Result<Vec<Record>> {
    Ok(dsl::system_connections.limit(MOST).select(Record::as_select()).load(connection).await?)
}

/// The id of a record. Holds back others who write it until the transaction ends, also when there is none yet: the
/// secret is sealed for the id.
pub(super) async fn lock(
    connection: &mut AsyncPgConnection,
    platform: &str,
    kind: &str,
) -> Result<Option<Uuid>> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("{TABLE}:{platform}:{kind}"))
        .execute(connection)
        .await?;
    Ok(dsl::system_connections
        .filter(dsl::platform.eq(platform).and(dsl::kind.eq(kind)))
        .select(dsl::id)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn put(connection: &mut AsyncPgConnection, record: &NewRecord<'_>) -> Result<Record> {
    Ok(insert_into(dsl::system_connections)
        .values(record)
        .on_conflict((dsl::platform, dsl::kind))
        .do_update()
        .set((
            dsl::client_id.eq(record.client_id),
            dsl::client_secret.eq(record.client_secret),
            dsl::updated_at.eq(record.updated_at),
        ))
        .returning(Record::as_returning())
        .get_result(connection)
        .await?)
}

/// The records of a platform that were there, of one kind or of every kind.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    platform: &str,
    kind: Option<&str>,
) -> Result<Vec<Record>> {
    let mut chosen = diesel::delete(dsl::system_connections).filter(dsl::platform.eq(platform)).into_boxed();
    if let Some(kind) = kind {
        chosen = chosen.filter(dsl::kind.eq(kind));
    }
    Ok(chosen.returning(Record::as_returning()).get_results(connection).await?)
}
