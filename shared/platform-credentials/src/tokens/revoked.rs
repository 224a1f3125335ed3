//! Authorizations that were withdrawn at the platform (reference/connections.md#revoked-by-the-platform). The
//! message may arrive late, after the channel was connected again, or concern the grant of another
//! application.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{Holder, Tokens, flag::Reason, holder};
use foundation::{jobs::SubscribeChannel, outbox};
use shared::{Result, platform::Platform};

/// Message of a platform about a withdrawn authorization.
#[derive(Debug, Clone, Copy)]
pub struct GrantRevocation<'a> {
    /// Time at which the platform sent it, not of its arrival.
    pub at: DateTime<Utc>,
    /// Application of the authorization; `None` when the platform does not name it.
    pub client_id: Option<&'a str>,
    /// Delivery that ended with it; `None` when the platform does not name one.
    pub subscription_id: Option<&'a str>,
}

/// Present grant of a channel.
#[derive(QueryableByName)]
struct Present {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    client_id: Option<String>,
    /// Time of the connection. A refresh continues the same grant; every new grant is a new connection.
    #[diesel(sql_type = Timestamptz)]
    connected_at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    token_version: i64,
    /// True when the channel's own deliveries are known and do not include the ended one.
    #[diesel(sql_type = Bool)]
    is_foreign_delivery: bool,
}

impl Present {
    /// True when the message concerns the grant of another application.
    fn is_of_another_app(&self, revocation: &GrantRevocation<'_>) -> bool {
        match (revocation.client_id, &self.client_id) {
            (Some(revocation), Some(own)) => revocation != own,
            (Some(_), None) => false,
            (None, _) => self.is_foreign_delivery,
        }
    }
}

impl Tokens {
    /// Flags the channel of an account, because its platform reports that the authorization was withdrawn. A
    /// message about an earlier grant or another application has no such effect. After an earlier grant, the
    /// deliveries that ended with it are requested again.
    ///
    /// # Errors
    /// A failure of the database.
    pub async fn revoked(
        &self,
        account: Uuid,
        platform: Platform,
        revocation: GrantRevocation<'_>,
    ) -> Result<()> {
        let mut connection = self.0.database.get().await?;
        let Some(present) = present(&mut connection, account, platform, revocation.subscription_id).await?
        else {
            return Ok(());
        };
        if present.is_of_another_app(&revocation) {
            return Ok(());
        }
        if revocation.at < present.connected_at {
            return connection
                .transaction(async |connection| renew_deliveries(connection, &present, revocation.at).await)
                .await;
        }
        let holder = Holder::Channel(present.id);
        let row = holder::find(&mut connection, holder).await?;
        drop(connection);
        // The channel was connected again just now: the message is older than that.
        if let Some(row) = row.filter(|row| row.token_version == present.token_version) {
            self.flag(holder, &row, Reason::Revoked).await?;
        }
        Ok(())
    }
}

async fn present(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    subscription_id: Option<&str>,
) -> Result<Option<Present>> {
    let sql = "
        SELECT c.id, c.client_id, c.connected_at, c.token_version,
            $3 IS NOT NULL AND coalesce((
                SELECT bool_and(s.platform_subscription_id IS NOT NULL AND s.platform_subscription_id <> $3)
                FROM webhook_subscriptions s WHERE s.connection_id = c.id AND s.refusal IS NULL
            ), false) AS is_foreign_delivery
        FROM channel_connections c WHERE c.account_id = $1 AND c.platform = $2";
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(account)
        .bind::<Text, _>(platform.slug())
        .bind::<Nullable<Text>, _>(subscription_id)
        .get_result(connection)
        .await
        .optional()?)
}

/// Requests deliveries again. Those that were made before its end ended with the earlier grant.
async fn renew_deliveries(
    connection: &mut AsyncPgConnection,
    present: &Present,
    ended_at: DateTime<Utc>,
) -> Result<()> {
    let ended = sql_query("DELETE FROM webhook_subscriptions WHERE connection_id = $1 AND updated_at <= $2")
        .bind::<SqlUuid, _>(present.id)
        .bind::<Timestamptz, _>(ended_at)
        .execute(connection)
        .await?;
    if ended == 0 {
        return Ok(());
    }
    let job = SubscribeChannel { connection_id: present.id };
    let key = format!("{}:{}:{}", present.id, present.token_version, ended_at.timestamp_millis());
    outbox::add(connection, &job, &key).await
}
