//! Flags on connections whose tokens cannot be renewed. The flag, its audit entry, the notification with its
//! mail and the live event are one transaction (reference/connections.md#flagging).

use chrono::{DateTime, Utc};
use diesel::{dsl::exists, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use super::holder::{self, Holder, Row};
use connection_model::{self as connections, Update};
use foundation::audit::{self, Actor, Entry, Scope};
use notices::notify::{self, Notice};
use shared::{
    Result,
    connection::ConnectionKind,
    id::UserId,
    schema::{accounts, memberships},
};

/// Reason why the tokens cannot be renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The platform reports that the refresh token is dead.
    GrantDead,
    /// The configured keys do not decrypt the stored token.
    Undecryptable,
    /// The application that issued the tokens was deleted or replaced.
    ApplicationGone,
    /// The platform refuses the access token, and there is no refresh token.
    TokenRefused,
    /// The platform reports that the authorization was withdrawn.
    Revoked,
}

impl Reason {
    /// Text in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GrantDead => "grant_dead",
            Self::Undecryptable => "undecryptable",
            Self::ApplicationGone => "application_gone",
            Self::TokenRefused => "token_refused",
            Self::Revoked => "revoked",
        }
    }
}

/// Flags a connection. Returns false when it was flagged already, or holds other tokens by now.
pub async fn flag(
    connection: &mut AsyncPgConnection,
    holder: Holder,
    row: &Row,
    reason: Reason,
    now: DateTime<Utc>,
) -> Result<bool> {
    if !holder::set_flag(connection, holder, row.token_version, now).await? {
        return Ok(false);
    }
    audit::record(connection, entry(holder, row, reason)).await?;
    let notice = Notice::ReconnectRequired {
        kind: kind(holder, row),
        connection_id: holder.id(),
        account_id: row.account_id,
        platform: row.platform()?,
        name: &row.name,
    };
    let people = concerned(connection, row).await?;
    notify::notify(connection, &people, &notice, now).await?;
    if let (Some(account), Some(kind)) = (row.account_id, connection_kind(holder)) {
        connections::announce(connection, account, kind, &row.platform, Update::Flagged, now).await?;
    }
    Ok(true)
}

fn entry(holder: Holder, row: &Row, reason: Reason) -> Entry<'static> {
    let scope = match (row.account_id, holder) {
        (Some(account), _) => Scope::Account(account),
        (None, Holder::Login(_)) => Scope::User,
        (None, _) => Scope::System,
    };
    Entry {
        scope,
        actor: Actor::System,
        action: "connection:flagged",
        resource_type: match holder {
            Holder::Channel(_) => "channel_connection",
            Holder::Bot(_) => "bot_connection",
            Holder::Login(_) => "login_connection",
        },
        resource_id: Some(holder.id().to_string()),
        metadata: json!({ "platform": row.platform, "reason": reason.as_str() }),
        ip: None,
    }
}

const fn kind(holder: Holder, row: &Row) -> &'static str {
    match holder {
        Holder::Channel(_) => "channel",
        Holder::Bot(_) if row.account_id.is_none() => "global_bot",
        Holder::Bot(_) => "bot",
        Holder::Login(_) => "login",
    }
}

const fn connection_kind(holder: Holder) -> Option<ConnectionKind> {
    match holder {
        Holder::Channel(_) => Some(ConnectionKind::Channel),
        Holder::Bot(_) => Some(ConnectionKind::Bot),
        Holder::Login(_) => None,
    }
}

/// People to notify: the account's owner, and the person who connected it while they are a member; without an
/// account that person only.
async fn concerned(connection: &mut AsyncPgConnection, row: &Row) -> Result<Vec<UserId>> {
    let person = row.person.map(UserId);
    let Some(account) = row.account_id else { return Ok(person.into_iter().collect()) };
    let owner: UserId = accounts::table.find(account).select(accounts::owner_id).first(connection).await?;
    let mut people = vec![owner];
    if let Some(person) = person.filter(|person| *person != owner)
        && is_member(connection, account, person).await?
    {
        people.push(person);
    }
    Ok(people)
}

async fn is_member(connection: &mut AsyncPgConnection, account: Uuid, user: UserId) -> Result<bool> {
    let own =
        memberships::table.filter(memberships::account_id.eq(account).and(memberships::user_id.eq(user)));
    Ok(diesel::select(exists(own)).get_result(connection).await?)
}
