//! Queries over the secrets of `webhook_endpoints`. Each carries the account.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::{Queryable, Selectable, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{id::AccountId, schema::webhook_endpoints};
use uuid::Uuid;

use crate::stored::not_found;

/// Sealed secret of an endpoint.
#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_endpoints)]
pub(super) struct Sealed {
    pub secret: Vec<u8>,
    pub previous_secret_until: Option<Timestamp>,
}

/// Finds the secret of an endpoint of the account.
pub(super) async fn find(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Sealed> {
    webhook_endpoints::table
        .filter(webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id)))
        .select(Sealed::as_select())
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Locks an endpoint of the account until the transaction ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: AccountId, id: Uuid) -> Result<Sealed> {
    webhook_endpoints::table
        .filter(webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id)))
        .select(Sealed::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?
        .ok_or_else(not_found)
}

/// Stores a new secret, and the former one until its end.
pub(super) async fn rotate(
    connection: &mut AsyncPgConnection,
    (account, id): (AccountId, Uuid),
    (secret, previous): (&[u8], &[u8]),
    until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    let own = webhook_endpoints::account_id.eq(account).and(webhook_endpoints::id.eq(id));
    update(webhook_endpoints::table.filter(own))
        .set((
            webhook_endpoints::secret.eq(secret),
            webhook_endpoints::previous_secret.eq(previous),
            webhook_endpoints::previous_secret_until.eq(until),
            webhook_endpoints::updated_at.eq(now),
        ))
        .execute(connection)
        .await?;
    Ok(())
}
