//! Notifications of the members.

use automation_model::effects::NotifyMembers;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use notices::notify::{self, Notice};
use serde_json::json;
use shared::{Result, id::UserId, schema::memberships::dsl};

use super::{
    Effects, Failure, Outcome, RunIdentity,
    limits::{Limited, MAX_NOTIFICATIONS_PER_HOUR},
};

/// Members who are notified (reference/automations.md#limits-of-effects).
const MAX_NOTIFIED_MEMBERS: i64 = 1000;
/// Length of the title, in characters; longer ones are cut (reference/automations.md#limits-of-effects).
const MAX_TITLE_LENGTH: usize = 100;
/// Length of the message, in characters; longer ones are cut (reference/automations.md#limits-of-effects).
const MAX_MESSAGE_LENGTH: usize = 1000;

impl Effects {
    /// Notifies the members of the account, each on the channel of their choice.
    pub(super) async fn notify_members(&self, run: &RunIdentity, given: &NotifyMembers) -> Outcome {
        let title = text("title", &given.title, MAX_TITLE_LENGTH)?;
        let message = text("message", &given.message, MAX_MESSAGE_LENGTH)?;
        let now = self.context.clock.now();
        if !Limited::Notifications.take(&self.context.redis, run.automation_id, now).await? {
            let message = format!("At most {MAX_NOTIFICATIONS_PER_HOUR} notifications in an hour");
            return Err(Failure::new(message));
        }
        let notice = Notice::AutomationMessage {
            account_id: run.account_id,
            automation_id: run.automation_id,
            title: &title,
            message: &message,
        };
        let mut connection = self.context.databases.postgres.get().await?;
        let notified = connection
            .transaction(async |connection| {
                let people = members(connection, run).await?;
                notify::notify(connection, &people, &notice, now).await?;
                Ok::<_, shared::Error>(people.len())
            })
            .await?;
        Ok(json!({ "members": notified }))
    }
}

async fn members(connection: &mut AsyncPgConnection, run: &RunIdentity) -> Result<Vec<UserId>> {
    Ok(dsl::memberships
        .filter(dsl::account_id.eq(run.account_id))
        .order(dsl::user_id)
        .limit(MAX_NOTIFIED_MEMBERS)
        .select(dsl::user_id)
        .load(connection)
        .await?)
}

fn text(field: &str, given: &str, max: usize) -> std::result::Result<String, Failure> {
    let text: String = given.trim().replace('\0', "").chars().take(max).collect();
    if text.is_empty() {
        return Err(Failure::new(format!("{field} must not be empty")));
    }
    Ok(text)
}
