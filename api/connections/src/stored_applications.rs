//! Stored applications (reference/connections.md#uniqueness): of the deployment, one for each platform and
//! kind, and of accounts, one for each platform. They are in two tables that differ in the owner of a row. A
//! secret is sealed for its row.

use api_core::{Result, Timestamp, validate};
use chrono::{DateTime, Utc};
use connection_model::applications;
use diesel::{
    QueryableByName,
    pg::Pg,
    prelude::*,
    query_builder::{BoxedSqlQuery, SqlQuery},
    sql_query,
    sql_types::{Bytea, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::Keyring;
use shared::{id::AccountId, platform::Platform, secret::Secret};
use uuid::Uuid;

pub(crate) const MAX_CLIENT_ID_LENGTH: usize = 255;
pub(crate) const MAX_CLIENT_SECRET_LENGTH: usize = 1024;
/// Upper bound of the lists. There is at most one application for each platform and kind.
const MAX_ROWS: i64 = 100;

/// Owner of an application.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whose {
    /// Deployment; table `system_connections`.
    Deployment,
    /// Account; table `app_credentials`.
    Account(AccountId),
}

/// Stored application.
#[derive(QueryableByName)]
pub(crate) struct Record {
    /// Identifier.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Slug of the platform.
    #[diesel(sql_type = Text)]
    pub platform: String,
    /// Kind as stored.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// Client id in plain text.
    #[diesel(sql_type = Text)]
    pub client_id: String,
    #[diesel(sql_type = Bytea)]
    client_secret: Vec<u8>,
    /// Time of the last change.
    #[diesel(sql_type = Timestamptz)]
    pub updated_at: Timestamp,
}

/// Checked application to store.
pub(crate) struct Entered {
    client_id: String,
    client_secret: Secret,
}

impl Entered {
    /// Checks the client id and the secret.
    pub fn checked(client_id: &str, client_secret: &str) -> Result<Self> {
        let client_id = validate::text("client_id", client_id, 1, MAX_CLIENT_ID_LENGTH)?;
        let client_secret = validate::text("client_secret", client_secret, 1, MAX_CLIENT_SECRET_LENGTH)?;
        Ok(Self { client_id, client_secret: Secret::new(client_secret) })
    }
}

impl Record {
    /// Returns true when a configured key opens the secret.
    pub fn is_decryptable(&self, keyring: &Keyring, whose: Whose) -> Result<bool> {
        Ok(applications::open(keyring, whose.table(), self.id, &self.client_secret)?.is_some())
    }
}

impl Whose {
    /// Lists the applications by platform.
    pub async fn list(self, connection: &mut AsyncPgConnection) -> Result<Vec<Record>> {
        let filter = match self {
            Self::Deployment => "",
            Self::Account(_) => "WHERE account_id = $1",
        };
        let sql = format!("SELECT * FROM {} {filter} ORDER BY platform, kind LIMIT {MAX_ROWS}", self.table());
        Ok(self.and_account(sql_query(sql).into_boxed()).load(connection).await?)
    }

    /// Stores an application and replaces the present one. Other writers of the same place wait until the
    /// transaction ends, also when there is no row yet, because the secret is sealed for the id of the row.
    pub async fn upsert(
        self,
        connection: &mut AsyncPgConnection,
        keyring: &Keyring,
        platform: Platform,
        kind: &str,
        entered: &Entered,
        now: DateTime<Utc>,
    ) -> Result<Record> {
        let id = self.lock(connection, platform, kind).await?.unwrap_or_else(shared::id::new);
        let sealed = applications::seal(keyring, self.table(), id, &entered.client_secret)?;
        let (column, value, key) = match self {
            Self::Deployment => ("", "", "platform, kind"),
            Self::Account(_) => (", account_id", ", $7", "account_id, platform"),
        };
        let sql = format!(
            "INSERT INTO {table} (id, platform, kind, client_id, client_secret, created_at, updated_at{column})
            VALUES ($1, $2, $3, $4, $5, $6, $6{value})
            ON CONFLICT ({key}) DO UPDATE SET kind = excluded.kind, client_id = excluded.client_id,
                client_secret = excluded.client_secret, updated_at = excluded.updated_at
            RETURNING *",
            table = self.table(),
        );
        let query = sql_query(sql)
            .into_boxed()
            .bind::<SqlUuid, _>(id)
            .bind::<Text, _>(platform.slug())
            .bind::<Text, _>(kind)
            .bind::<Text, _>(&entered.client_id)
            .bind::<Bytea, _>(sealed)
            .bind::<Timestamptz, _>(now);
        Ok(self.and_account(query).get_result(connection).await?)
    }

    /// Deletes the applications of a platform, of one kind or of every kind, and returns them.
    pub async fn forget(
        self,
        connection: &mut AsyncPgConnection,
        platform: Platform,
        kind: Option<&str>,
    ) -> Result<Vec<Record>> {
        let sql = format!("DELETE FROM {} WHERE {} RETURNING *", self.table(), self.of_platform());
        let query =
            sql_query(sql).into_boxed().bind::<Text, _>(platform.slug()).bind::<Nullable<Text>, _>(kind);
        Ok(self.and_account(query).load(connection).await?)
    }

    /// Locks the place and returns the id of the present application.
    async fn lock(
        self,
        connection: &mut AsyncPgConnection,
        platform: Platform,
        kind: &str,
    ) -> Result<Option<Uuid>> {
        #[derive(QueryableByName)]
        struct Found {
            #[diesel(sql_type = SqlUuid)]
            id: Uuid,
        }
        let (owner, kind) = match self {
            Self::Deployment => (kind.to_owned(), Some(kind)),
            Self::Account(account) => (account.to_string(), None),
        };
        sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
            .bind::<Text, _>(format!("{}:{owner}:{platform}", self.table()))
            .execute(connection)
            .await?;
        let sql = format!("SELECT id FROM {} WHERE {}", self.table(), self.of_platform());
        let query =
            sql_query(sql).into_boxed().bind::<Text, _>(platform.slug()).bind::<Nullable<Text>, _>(kind);
        let found: Option<Found> = self.and_account(query).get_result(connection).await.optional()?;
        Ok(found.map(|found| found.id))
    }

    /// Name of the table, as sealed secrets contain it.
    const fn table(self) -> &'static str {
        match self {
            Self::Deployment => "system_connections",
            Self::Account(_) => "app_credentials",
        }
    }

    /// Condition for a platform and an optional kind. The condition for the account follows it.
    const fn of_platform(self) -> &'static str {
        match self {
            Self::Deployment => "platform = $1 AND ($2 IS NULL OR kind = $2)",
            Self::Account(_) => "platform = $1 AND ($2 IS NULL OR kind = $2) AND account_id = $3",
        }
    }

    /// Binds the account as the last parameter.
    fn and_account<'q>(self, query: BoxedSqlQuery<'q, Pg, SqlQuery>) -> BoxedSqlQuery<'q, Pg, SqlQuery> {
        match self {
            Self::Deployment => query,
            Self::Account(account) => query.bind::<SqlUuid, _>(account),
        }
    }
}
