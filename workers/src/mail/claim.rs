//! One process sends a mail at a time, also when a job runs twice.

use chrono::Duration;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use shared::{
    Result,
    db::schema::{
        mails::{self, dsl},
        users,
    },
    id::UserId,
    mail::Mail,
};
use uuid::Uuid;

use crate::Context;

/// Longer than a job may run, so that a claim ends only when its process has.
const MAX_DURATION: Duration = Duration::seconds(120);

/// A mail that nobody else sends.
pub struct Claim {
    pub id: Uuid,
    /// `None` when its person has no address, or none any more.
    pub address: Option<String>,
    pub mail: Mail,
}

/// Whether the mail may be sent.
pub enum Claimed {
    Mine(Claim),
    /// It was sent.
    Gone,
    Others,
}

pub async fn take(context: &Context, mail_id: Uuid) -> Result<Claimed> {
    let now = context.clock.now();
    let mut connection = context.databases.postgres.get().await?;
    let is_free = dsl::claimed_until.is_null().or(dsl::claimed_until.lt(now));
    let taken: Option<(Option<UserId>, Option<String>, serde_json::Value)> =
        diesel::update(dsl::mails.filter(dsl::id.eq(mail_id).and(is_free)))
            .set(dsl::claimed_until.eq(now + MAX_DURATION))
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

/// The mail is on its way: nothing of it is kept.
pub async fn settle(context: &Context, mail_id: Uuid) -> Result<()> {
    let mut connection = context.databases.postgres.get().await?;
    diesel::delete(dsl::mails.find(mail_id)).execute(&mut *connection).await?;
    Ok(())
}

/// The mail was not sent.
pub async fn release(context: &Context, mail_id: Uuid) -> Result<()> {
    let mut connection = context.databases.postgres.get().await?;
    diesel::update(dsl::mails.find(mail_id))
        .set(dsl::claimed_until.eq(None::<chrono::DateTime<chrono::Utc>>))
        .execute(&mut *connection)
        .await?;
    Ok(())
}
