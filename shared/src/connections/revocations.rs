//! Telling a platform that tokens are no longer wanted (C §10): best effort, after the commit, by a job.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{
    AppKind, CredentialSource,
    applications::{self, Directory, Pin, Pinned},
};
use crate::{
    Error, Result,
    crypto::{Keyring, Place, row},
    db::schema::token_revocations,
    id,
    jobs::RevokeTokens,
    outbox,
    platforms::{OAuthApp, PlatformError, Platforms},
    secret::Secret,
};

const TABLE: &str = "token_revocations";

/// How long a platform that does not answer is tried.
const PATIENCE: TimeDelta = TimeDelta::days(1);

/// Tokens of a connection that ends, and the application that they were issued to.
#[derive(Debug, Clone)]
pub struct Ended {
    pub pin: Pin,
    pub access_token: Secret,
    pub refresh_token: Option<Secret>,
}

/// What is to be done about tokens that were written down.
#[derive(Debug, Clone)]
pub enum Waiting {
    /// The platform is to be told.
    Ready { application: OAuthApp, ended: Ended, since: DateTime<Utc> },
    /// It cannot be told.
    Hopeless(&'static str),
}

/// What became of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The platform no longer takes the tokens.
    Revoked,
    /// It cannot be told, and trying again does not help.
    GivenUp(&'static str),
    /// It may be told later.
    Postponed(PlatformError),
}

/// Writes tokens down to be revoked, and the job that does it, in the transaction that ends their connection.
///
/// # Errors
/// When the database fails or the cipher refuses.
pub async fn enqueue(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    ended: &Ended,
    now: DateTime<Utc>,
) -> Result<()> {
    let revocation_id = id::new();
    let text = row(revocation_id);
    let refresh_token = ended.refresh_token.as_ref();
    let refresh_token =
        refresh_token.map(|token| keyring.seal(place("refresh_token", &text), token)).transpose()?;
    insert_into(token_revocations::table)
        .values((
            token_revocations::id.eq(revocation_id),
            token_revocations::account_id.eq(ended.pin.account),
            token_revocations::platform.eq(ended.pin.platform.slug()),
            token_revocations::credential_source.eq(ended.pin.source.as_str()),
            token_revocations::credential_app.eq(ended.pin.app.as_str()),
            token_revocations::client_id.eq(&ended.pin.client_id),
            token_revocations::access_token
                .eq(keyring.seal(place("access_token", &text), &ended.access_token)?),
            token_revocations::refresh_token.eq(refresh_token),
            token_revocations::created_at.eq(now),
        ))
        .execute(connection)
        .await?;
    outbox::add(connection, &RevokeTokens { revocation_id }, &revocation_id.to_string()).await
}

/// Reads what was written down, with the application that the tokens were issued to; `None` when it is done with.
///
/// # Errors
/// When the database fails.
pub async fn load(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    revocation_id: Uuid,
) -> Result<Option<Waiting>> {
    let stored = token_revocations::table.find(revocation_id).select(Stored::as_select());
    let Some(stored) = stored.first(connection).await.optional()? else { return Ok(None) };
    let since = stored.created_at;
    let Some(ended) = open(stored, directory.keyring)? else {
        return Ok(Some(Waiting::Hopeless("the tokens cannot be decrypted")));
    };
    Ok(Some(match applications::pinned(connection, directory, &ended.pin).await? {
        Pinned::Application(application) => Waiting::Ready { application, ended, since },
        Pinned::Gone => Waiting::Hopeless("the application is gone"),
        Pinned::Undecryptable => Waiting::Hopeless("the application's secret cannot be decrypted"),
    }))
}

/// Tells the platform.
pub async fn carry_out(platforms: &Platforms, waiting: &Waiting, now: DateTime<Utc>) -> Outcome {
    let (application, ended, since) = match waiting {
        Waiting::Ready { application, ended, since } => (application, ended, *since),
        Waiting::Hopeless(reason) => return Outcome::GivenUp(reason),
    };
    let client = platforms.client(ended.pin.platform);
    match client.revoke(application, &ended.access_token, ended.refresh_token.as_ref()).await {
        Ok(()) => Outcome::Revoked,
        Err(error) if error.is_transient() && now - since <= PATIENCE => Outcome::Postponed(error),
        Err(error) if error.is_transient() => Outcome::GivenUp("the platform was away for a day"),
        Err(PlatformError::Unsupported { .. }) => Outcome::GivenUp("the platform revokes no tokens"),
        Err(error) => {
            tracing::info!(platform = %ended.pin.platform, %error, "a platform did not revoke tokens");
            Outcome::GivenUp("the platform refused")
        }
    }
}

/// Forgets tokens that were revoked or given up.
///
/// # Errors
/// When the database fails.
pub async fn forget(connection: &mut AsyncPgConnection, revocation_id: Uuid) -> Result<()> {
    diesel::delete(token_revocations::table.find(revocation_id)).execute(connection).await?;
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = token_revocations)]
struct Stored {
    id: Uuid,
    account_id: Option<Uuid>,
    platform: String,
    credential_source: String,
    credential_app: String,
    client_id: Option<String>,
    access_token: Option<Vec<u8>>,
    refresh_token: Option<Vec<u8>>,
    created_at: DateTime<Utc>,
}

/// `None` when the tokens cannot be decrypted.
fn open(stored: Stored, keyring: &Keyring) -> Result<Option<Ended>> {
    let id = stored.id;
    let unreadable = || Error::Internal(format!("token revocation {id} is not readable"));
    let pin = Pin {
        platform: stored.platform.parse().map_err(|_unknown| unreadable())?,
        account: stored.account_id,
        source: CredentialSource::parse(&stored.credential_source).ok_or_else(unreadable)?,
        app: AppKind::parse(&stored.credential_app).ok_or_else(unreadable)?,
        client_id: stored.client_id,
    };
    let text = row(id);
    let open = |column, sealed: Option<Vec<u8>>| {
        sealed.map(|sealed| keyring.open(place(column, &text), &sealed)).transpose()
    };
    match (open("access_token", stored.access_token), open("refresh_token", stored.refresh_token)) {
        (Ok(Some(access_token)), Ok(refresh_token)) => Ok(Some(Ended { pin, access_token, refresh_token })),
        (Ok(None), _) | (Err(Error::Decryption(_)), _) | (_, Err(Error::Decryption(_))) => Ok(None),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

const fn place<'a>(column: &'a str, row: &'a str) -> Place<'a> {
    Place { table: TABLE, column, row }
}
