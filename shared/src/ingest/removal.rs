//! Chat messages that a moderator removed (specification B §4.7 rule 3, C §11.5).

use chrono::{DateTime, Duration, Utc};
use diesel::{
    sql_query,
    sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Result;

/// A chat that is cleared shows nothing older than this.
const SHOWN: Duration = Duration::hours(24);

/// What was removed from the chat of an account's channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Removal {
    /// One message, by the platform's id.
    Message { message_id: String },
    /// Everything of one user.
    User {
        platform_user_id: String,
        action: RemovalAction,
        /// Of a time-out.
        duration_secs: Option<u32>,
        /// The platform's id of the moderator, when it is known. Jobs of earlier versions call it `moderator_id`.
        #[serde(default, alias = "moderator_id")]
        moderator_platform_user_id: Option<String>,
        /// The person who moderated through Lumio.
        #[serde(default)]
        moderator_user_id: Option<Uuid>,
    },
    /// Everything that the chat shows, as of then.
    Chat { at: DateTime<Utc> },
}

/// Why everything of a user was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemovalAction {
    Ban,
    Timeout,
    /// The platform tells only that it was removed.
    Clear,
}

impl Removal {
    /// Type of the event on the chat channel.
    #[must_use]
    pub const fn event_type(&self) -> &'static str {
        match self {
            Self::Message { .. } => "chat:delete_message",
            Self::User { .. } => "chat:clear_user",
            Self::Chat { .. } => "chat:clear",
        }
    }

    /// Data of the event on the chat channel.
    #[must_use]
    pub fn data(&self, platform: &str) -> Value {
        match self {
            Self::Message { message_id } => json!({ "platform": platform, "message_id": message_id }),
            Self::User {
                platform_user_id,
                action,
                duration_secs,
                moderator_platform_user_id,
                moderator_user_id,
            } => json!({
                "platform": platform,
                "platform_user_id": platform_user_id,
                "action": action,
                "duration_secs": duration_secs,
                "moderator_id": moderator_user_id,
                "moderator_platform_user_id": moderator_platform_user_id,
            }),
            Self::Chat { .. } => json!({ "platform": platform }),
        }
    }

    /// Marks the stored messages that were sent until then; answers how many. A user's later messages are none of a
    /// removal's business: a time-out ends.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn mark(
        &self,
        connection: &mut AsyncPgConnection,
        account_id: Uuid,
        platform: &str,
        until: DateTime<Utc>,
    ) -> Result<usize> {
        let (column, id, until) = match self {
            Self::Message { message_id } => ("platform_message_id", message_id, None),
            Self::User { platform_user_id, .. } => ("platform_user_id", platform_user_id, Some(until)),
            Self::Chat { at } => return mark_shown(connection, account_id, platform, *at).await,
        };
        let marked = sql_query(format!(
            "UPDATE chat_messages SET is_deleted = true \
             WHERE account_id = $1 AND platform = $2 AND {column} = $3 \
             AND sent_at <= coalesce($4, 'infinity') AND NOT is_deleted"
        ))
        .bind::<SqlUuid, _>(account_id)
        .bind::<Text, _>(platform)
        .bind::<Text, _>(id)
        .bind::<Nullable<Timestamptz>, _>(until)
        .execute(connection)
        .await?;
        Ok(marked)
    }
}

async fn mark_shown(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    platform: &str,
    at: DateTime<Utc>,
) -> Result<usize> {
    let marked = sql_query(
        "UPDATE chat_messages SET is_deleted = true \
         WHERE account_id = $1 AND platform = $2 AND sent_at > $3 AND sent_at <= $4 AND NOT is_deleted",
    )
    .bind::<SqlUuid, _>(account_id)
    .bind::<Text, _>(platform)
    .bind::<Timestamptz, _>(at - SHOWN)
    .bind::<Timestamptz, _>(at)
    .execute(connection)
    .await?;
    Ok(marked)
}
