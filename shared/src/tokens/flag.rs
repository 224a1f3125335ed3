//! Flagging a connection whose tokens nothing can renew: the flag, its audit entry, the notification with its mail and
//! the live event are one transaction (specification A §3).

use chrono::{DateTime, Utc};
use diesel::{dsl::exists, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use uuid::Uuid;

use super::holder::{self, Holder, Row};
use crate::{
    Result,
    audit::{self, Actor, Entry, Scope},
    connections::{self, ConnectionKind, Update},
    db::schema::{accounts, memberships},
    id::UserId,
    notify::{self, Notice},
};

/// Why nothing can renew the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The platform says that the refresh token is dead.
    GrantDead,
    /// The configured keys do not open what is stored.
    Undecryptable,
    /// The application that issued the tokens was deleted or replaced.
    ApplicationGone,
    /// The platform refuses the access token, and there is no refresh token.
    TokenRefused,
    /// The platform tells that the authorisation was taken away.
    Revoked,
}

impl Reason {
    /// For the audit trail.
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

/// Whether this call flagged the connection: not when it was flagged already, or holds other tokens by now.
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

/// The account's owner, and who connected it while they belong to the account; without an account whoever it is.
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
