//! Mail: written as a typed template in the transaction of the change, composed and sent by the mail daemon
//! (reference/notifications.md#mail).

mod address;
mod text;

use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use foundation::{jobs::SendMail, outbox};
use shared::{
    Result,
    id::{self, UserId},
    schema::mails,
};

pub use address::is_address;
pub use text::Composed;

/// Recipient of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// A person, at the address at the time of sending. Without one the mail is dropped.
    User(UserId),
    /// A person who is no user yet.
    Address(String),
}

/// Templates of mails. The content is stored until the mail is sent, so a new field needs a default.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "template", rename_all = "snake_case")]
pub enum Mail {
    /// A notification, for those who want it by mail.
    Notification { title: String, message: String },
    /// An invite for a person who is known by an address only. Anyone with the code can accept it.
    Invite {
        account_name: String,
        role_name: String,
        invited_by: Option<String>,
        code: String,
        expires_at: Option<DateTime<Utc>>,
    },
}

impl Mail {
    /// Name of the template, for logs.
    #[must_use]
    pub const fn template(&self) -> &'static str {
        match self {
            Self::Notification { .. } => "notification",
            Self::Invite { .. } => "invite",
        }
    }
}

// A mail may hold data that only its reader may know.
impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mail({})", self.template())
    }
}

/// Writes a mail in the current transaction. It is sent after the commit.
///
/// # Errors
/// A failure of the database, which also fails the transaction of the caller.
pub async fn enqueue(
    connection: &mut AsyncPgConnection,
    recipient: Recipient,
    mail: &Mail,
    now: DateTime<Utc>,
) -> Result<()> {
    enqueue_each(connection, &[recipient], mail, now).await
}

/// Writes the same mail to several people, a separate one for each. At most a thousand at a time.
///
/// # Errors
/// Those of [`enqueue`].
pub async fn enqueue_each(
    connection: &mut AsyncPgConnection,
    recipients: &[Recipient],
    mail: &Mail,
    now: DateTime<Utc>,
) -> Result<()> {
    if recipients.is_empty() {
        return Ok(());
    }
    let template = serde_json::to_value(mail)?;
    let ids: Vec<Uuid> = recipients.iter().map(|_| id::new()).collect();
    let rows: Vec<_> = recipients
        .iter()
        .zip(&ids)
        .map(|(recipient, id)| {
            let (user, address) = match recipient {
                Recipient::User(user) => (Some(*user), None),
                Recipient::Address(address) => (None, Some(address.as_str())),
            };
            (
                mails::id.eq(id),
                mails::user_id.eq(user),
                mails::address.eq(address),
                mails::template.eq(&template),
                mails::created_at.eq(now),
            )
        })
        .collect();
    insert_into(mails::table).values(rows).execute(connection).await?;
    let jobs: Vec<(SendMail, String)> =
        ids.iter().map(|id| (SendMail { mail_id: *id }, format!("mail:{id}"))).collect();
    outbox::add_each(connection, &jobs).await
}
