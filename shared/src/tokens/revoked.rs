//! Authorisations that were taken away at the platform. What a platform tells may arrive late, when the channel is
//! connected anew already, or concern another application's grant.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{Holder, Tokens, flag::Reason, holder};
use crate::{Result, jobs::SubscribeChannel, outbox, platforms::Platform};

/// What a platform said of an authorisation that was taken away.
#[derive(Debug, Clone, Copy)]
pub struct TakenAway<'a> {
    /// When the platform said it, not when it arrived.
    pub at: DateTime<Utc>,
    /// The application that it was given to; `None` when the platform does not say.
    pub client_id: Option<&'a str>,
    /// The delivery that ended with it; `None` when the platform does not say.
    pub subscription_id: Option<&'a str>,
}

/// The grant that a channel is connected with.
#[derive(QueryableByName)]
struct Present {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    client_id: Option<String>,
    /// A refresh goes on with the same grant; every new one is a new connect.
    #[diesel(sql_type = Timestamptz)]
    connected_at: DateTime<Utc>,
    #[diesel(sql_type = BigInt)]
    token_version: i64,
    /// Whether the channel's own deliveries are known, and the one that ended is not among them.
    #[diesel(sql_type = Bool)]
    is_foreign_delivery: bool,
}

impl Present {
    /// Whether it was another application's grant that was taken away.
    fn is_of_another_app(&self, told: &TakenAway<'_>) -> bool {
        match (told.client_id, &self.client_id) {
            (Some(told), Some(own)) => told != own,
            (Some(_), None) => false,
            (None, _) => self.is_foreign_delivery,
        }
    }
}

impl Tokens {
    /// Flags the channel of an account, because its platform says that the authorisation was taken away; not when that
    /// was said of an earlier grant or of another application's. After an earlier grant the platform is asked anew for
    /// the deliveries that ended with it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoked(&self, account: Uuid, platform: Platform, told: TakenAway<'_>) -> Result<()> {
        let mut connection = self.0.database.get().await?;
        let Some(present) = present(&mut connection, account, platform, told.subscription_id).await? else {
            return Ok(());
        };
        if present.is_of_another_app(&told) {
            return Ok(());
        }
        if told.at < present.connected_at {
            return connection
                .transaction(async |connection| renew_deliveries(connection, &present, told.at).await)
                .await;
        }
        let holder = Holder::Channel(present.id);
        let row = holder::find(&mut connection, holder).await?;
        drop(connection);
        // Connected anew a moment ago: what was said is older than that.
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

/// The earlier grant took the deliveries with it that were made before its end.
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
