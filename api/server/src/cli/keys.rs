//! System keys and sessions.

use std::{io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use anyhow::{Context, ensure};
use api_core::token::{self, NewToken, TokenKind};
use api_core::{
    State,
    access::{Claims, TokenType},
    validate,
};
use chrono::TimeDelta;
use diesel::{insert_into, prelude::*};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::{audit, db::Databases};
use shared::{
    id,
    schema::{memberships, sessions, system_keys, users},
    secret::Secret,
};
use uuid::Uuid;

use super::people::entry;

/// Creates a system key (reference/credentials.md#system-keys).
pub async fn create_system_key(state: &State, databases: &Databases, label: &str) -> anyhow::Result<Secret> {
    let label = validate::text("label", label, 1, 100)?;
    let (key_id, token) = (id::new(), NewToken::generate(TokenKind::System));
    databases
        .postgres
        .get()
        .await?
        .transaction(async |connection| {
            insert_into(system_keys::table)
                .values((
                    system_keys::id.eq(key_id),
                    system_keys::label.eq(&label),
                    system_keys::key_hash.eq(&token.hash),
                    system_keys::key_prefix.eq(&token.prefix),
                    system_keys::created_at.eq(state.clock.now()),
                ))
                .execute(connection)
                .await?;
            audit::record(connection, entry("system_key:created", "system_key", key_id)).await
        })
        .await?;
    Ok(token.text)
}

/// Creates a system key in a file that only its owner may read, unless the file holds one that is accepted.
/// Returns a text that says which of the two it was. Copies that start at once agree: the file is replaced as
/// a whole.
pub async fn write_system_key(
    state: &State,
    databases: &Databases,
    label: &str,
    file: &Path,
) -> anyhow::Result<String> {
    let shown = file.display();
    if is_accepted(databases, file).await.with_context(|| format!("{shown}"))? {
        return Ok(format!("{shown} holds a key that is accepted"));
    }
    let draft = file.with_extension(format!("{}.new", id::new().simple()));
    let mut options = std::fs::OpenOptions::new();
    // Opened before the key is made, so that no key is lost when the file cannot be written.
    let mut written = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .with_context(|| format!("{shown} cannot be written"))?;
    let made = async {
        let key = create_system_key(state, databases, label).await?;
        writeln!(written, "{}", key.expose())?;
        written.sync_all()?;
        std::fs::rename(&draft, file)?;
        anyhow::Ok(())
    };
    if let Err(error) = made.await {
        std::fs::remove_file(&draft).with_context(|| format!("{error:#}; {} is left", draft.display()))?;
        return Err(error.context(format!("{shown} cannot be written")));
    }
    Ok(format!("{shown} holds a new key"))
}

async fn is_accepted(databases: &Databases, file: &Path) -> anyhow::Result<bool> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let hash = token::hash(text.trim());
    let known: Option<Uuid> = system_keys::table
        .filter(system_keys::key_hash.eq(hash))
        .select(system_keys::id)
        .first(&mut *databases.postgres.get().await?)
        .await
        .optional()?;
    Ok(known.is_some())
}

/// Signs a person in without a provider. The session cannot be refreshed: it ends with its token.
pub async fn issue_session(
    state: &State,
    databases: &Databases,
    user: Uuid,
    account: Option<Uuid>,
    lifetime_seconds: Option<i64>,
) -> anyhow::Result<Secret> {
    let lifetime = lifetime_seconds.unwrap_or(state.config.secrets.session_lifetime_seconds);
    let (session_id, now) = (id::new(), state.clock.now());
    let mut connection = databases.postgres.get().await?;
    let account = account_to_act_in(&mut connection, user, account).await?;
    // Hash of no refresh token.
    let refresh_hash = rand::random::<[u8; 32]>().to_vec();
    connection
        .transaction(async |connection| {
            insert_into(sessions::table)
                .values((
                    sessions::id.eq(session_id),
                    sessions::user_id.eq(user),
                    sessions::refresh_hash.eq(&refresh_hash),
                    sessions::active_account_id.eq(account),
                    sessions::user_agent.eq("lumio-api admin"),
                    sessions::created_at.eq(now),
                    sessions::last_seen_at.eq(now),
                    sessions::expires_at.eq(now + TimeDelta::seconds(lifetime)),
                ))
                .execute(connection)
                .await?;
            audit::record(connection, entry("session:issued", "user", user)).await
        })
        .await?;
    let claims = Claims::new(TokenType::Session, user, session_id, account, now, lifetime);
    Ok(Secret::new(state.jwt.sign(&claims)?))
}

async fn account_to_act_in(
    connection: &mut AsyncPgConnection,
    user: Uuid,
    wanted: Option<Uuid>,
) -> anyhow::Result<Option<Uuid>> {
    let active: Option<Option<Uuid>> =
        users::table.find(user).select(users::active_account_id).first(connection).await.optional()?;
    let active = active.with_context(|| format!("there is no person {user}"))?;
    let accounts: Vec<Uuid> = memberships::table
        .filter(memberships::user_id.eq(user))
        .order(memberships::joined_at.asc())
        .limit(1000)
        .select(memberships::account_id)
        .load(connection)
        .await?;
    if let Some(wanted) = wanted {
        ensure!(accounts.contains(&wanted), "the person does not belong to the account {wanted}");
        return Ok(Some(wanted));
    }
    Ok(active.filter(|active| accounts.contains(active)).or_else(|| accounts.into_iter().next()))
}
