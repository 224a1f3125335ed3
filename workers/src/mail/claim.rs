//! Claim on a mail: one process sends a mail at a time, also when its job runs twice.

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use notices::mail::Mail;
use shared::{
    Result,
    id::UserId,
    schema::{
        mails::{self, dsl},
        users,
    },
};
use uuid::Uuid;

use worker_core::Context;

/// Lifetime of a claim. Longer than a job may run, so that a claim ends only after its process has.
const CLAIM_TTL: Duration = Duration::seconds(120);

/// Mail that only this process may send.
pub struct Claim {
    /// Id of the mail.
    pub id: Uuid,
    /// Address of the recipient. `None` when its user has no address, or none any more.
    pub address: Option<String>,
    /// Content of the mail.
    pub mail: Mail,
}

/// Outcome of a claim.
pub enum Claimed {
    /// The mail may be sent by this process.
    Mine(Claim),
    /// The mail was sent already.
    Gone,
    /// Another process holds the claim.
    Others,
}

/// Claims a mail.
pub async fn take(context: &Context, mail_id: Uuid) -> Result<Claimed> {
    let now = context.clock.now();
    let mut connection = context.databases.postgres.get().await?;
    let is_free = dsl::claimed_until.is_null().or(dsl::claimed_until.lt(now));
    let taken: Option<(Option<UserId>, Option<String>, serde_json::Value)> =
        diesel::update(dsl::mails.filter(dsl::id.eq(mail_id).and(is_free)))
            .set(dsl::claimed_until.eq(now + CLAIM_TTL))
            .returning((mails::user_id, mails::address, mails::template))
            .get_result(&mut *connection)
            .await
            .optional()?;
    let Some((user, address, template)) = taken else {
        let exists = diesel::select(diesel::dsl::exists(dsl::mails.find(mail_id)));
        let exists: bool = exists.get_result(&mut *connection).await?;
        return Ok(if exists { Claimed::Others } else { Claimed::Gone });
    };
    let address = match user {
        Some(user) => {
            users::table.find(user).select(users::email).first(&mut *connection).await.optional()?.flatten()
        }
        None => address,
    };
    Ok(Claimed::Mine(Claim { id: mail_id, address, mail: serde_json::from_value(template)? }))
}

/// Deletes a mail that was delivered.
pub async fn settle(context: &Context, mail_id: Uuid) -> Result<()> {
    let mut connection = context.databases.postgres.get().await?;
    diesel::delete(dsl::mails.find(mail_id)).execute(&mut *connection).await?;
    Ok(())
}

/// Releases the claim of a mail that was not sent.
pub async fn release(context: &Context, mail_id: Uuid) -> Result<()> {
    let mut connection = context.databases.postgres.get().await?;
    diesel::update(dsl::mails.find(mail_id))
        .set(dsl::claimed_until.eq(None::<chrono::DateTime<chrono::Utc>>))
        .execute(&mut *connection)
        .await?;
    Ok(())
}
