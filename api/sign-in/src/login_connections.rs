//! Login connections: announcements of their changes, and their end by their person or by operator staff
//! (reference/users.md#login-connections).

use connection_model::{
    Update,
    revocations::{self, Grant},
};
use diesel::{dsl::exists, prelude::*, select, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use serde_json::json;
use shared::{
    id::UserId,
    platform::Platform,
    schema::{accounts, login_assignments, login_connections, users},
};
use uuid::Uuid;

use crate::sessions;
use api_core::{ApiError, Cx, Result};

/// Highest number of accounts that one login connection notifies. People send with one login in far fewer;
/// the bound is a safeguard.
const MAX_ACCOUNTS: i64 = 500;

/// A login connection that was removed.
#[must_use = "its sessions continue until their end is announced"]
pub struct RemovedLogin {
    /// Slug of its platform.
    pub provider: String,
    sessions: Vec<Uuid>,
}

impl RemovedLogin {
    /// Announces the end of the sessions that were opened through it, in every process. Call it after the
    /// commit.
    pub async fn announce(self, cx: &Cx) {
        for session in self.sessions {
            sessions::announce_end(cx, session).await;
        }
    }
}

/// Locks an identity until the transaction ends: other sign-ins, links and confirmations of it wait.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn lock_identity(
    connection: &mut AsyncPgConnection,
    platform: &Platform,
    provider_user_id: &str,
) -> Result<()> {
    sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(format!("login_connections:{platform}:{provider_user_id}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends a person's login connection, in the caller's transaction. The row is deleted, a job revokes its
/// tokens after the commit (best effort), sessions that were opened through it end, and the accounts in which
/// it sends are notified (reference/users.md#removing-a-login). The caller writes the audit row.
///
/// # Errors
/// 404 for a connection that the person does not have. 409 for the person's last one, and for the primary
/// connection of an account.
pub async fn disconnect_login(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    id: Uuid,
) -> Result<RemovedLogin> {
    // Locks the login before its person, as signing in does. A sign-in through it is over by then, or finds
    // it deleted.
    let grant = Grant::of_logins(connection, user.0, Some(id)).await?.pop();
    let grant = grant.ok_or_else(|| ApiError::not_found("Login connection not found"))?;
    // Locks the person: two concurrent removals must leave one login.
    users::table.find(user).for_update().select(users::id).first::<UserId>(connection).await.optional()?;
    let own = login_connections::table.filter(login_connections::user_id.eq(user));
    if own.count().get_result::<i64>(connection).await? <= 1 {
        return Err(ApiError::conflict("Cannot remove the last login connection"));
    }
    let of_account = accounts::table.filter(accounts::primary_login_connection_id.eq(id));
    if select(exists(of_account)).get_result(connection).await? {
        return Err(ApiError::conflict("Login connection is the primary connection of an account"));
    }
    end(cx, connection, &grant).await?;
    let sessions = sessions::end_of_login(cx, connection, user, id).await?;
    Ok(RemovedLogin { provider: grant.platform()?.slug().to_owned(), sessions })
}

/// Ends every login connection of a person who is about to be deleted.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn disconnect_every_login(cx: &Cx, connection: &mut AsyncPgConnection, user: UserId) -> Result<()> {
    for grant in Grant::of_logins(connection, user.0, None).await? {
        end(cx, connection, &grant).await?;
    }
    Ok(())
}

async fn end(cx: &Cx, connection: &mut AsyncPgConnection, grant: &Grant) -> Result<()> {
    let state = cx.state();
    announce(cx, connection, grant.id, grant.platform()?.slug(), Update::Disconnected).await?;
    revocations::end(connection, &state.keyring, grant, state.clock.now()).await?;
    diesel::delete(login_connections::table.find(grant.id)).execute(connection).await?;
    Ok(())
}

/// Adds `connections:updated` for the accounts in which the person sends with a login connection, published
/// after the commit (reference/connections.md#events-of-connections).
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn announce(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    id: Uuid,
    platform: &str,
    update: Update,
) -> Result<()> {
    let accounts: Vec<Uuid> = login_assignments::table
        .filter(login_assignments::login_connection_id.eq(id))
        .select(login_assignments::account_id)
        .distinct()
        .order(login_assignments::account_id)
        .limit(MAX_ACCOUNTS)
        .load(connection)
        .await?;
    let data = json!({ "kind": "login", "platform": platform, "action": update });
    let now = cx.state().clock.now();
    let jobs: Vec<(PublishEvent, String)> = accounts
        .into_iter()
        .map(|account| {
            let event = Event::new(Channel::Account(account), "connections:updated", data.clone(), now);
            let key = format!("{}:{}", event.event_type, event.id);
            (PublishEvent { event }, key)
        })
        .collect();
    if jobs.is_empty() {
        return Ok(());
    }
    Ok(outbox::add_each(connection, &jobs).await?)
}
