//! Queries over `se_tokens`.

use api_core::{Result, Timestamp, page::Window};
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, upsert::excluded};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::crypto::Keyring;
use live_model::se_tokens::open;
use shared::{
    Error,
    id::{self, AccountId},
    schema::se_tokens::{self, dsl},
};
use uuid::Uuid;

use super::{AdminSeToken, Draft, HIDDEN, PLATFORMS, SeToken, Stored, hint};

#[derive(Queryable, Selectable)]
#[diesel(table_name = se_tokens)]
struct Row {
    id: Uuid,
    account_id: Uuid,
    platform: String,
    token: Vec<u8>,
    label: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    refused_at: Option<Timestamp>,
}

impl Row {
    /// Hint of the token. One that no key opens is hidden.
    fn hint(&self, keyring: &Keyring) -> Result<String> {
        match open(keyring, self.account_id, &self.platform, &self.token) {
            Ok(token) => Ok(hint(token.expose())),
            Err(Error::Decryption(_)) => Ok(HIDDEN.to_owned()),
            Err(error) => Err(error.into()),
        }
    }

    fn token(self, keyring: &Keyring) -> Result<SeToken> {
        let hint = self.hint(keyring)?;
        let Self { id, platform, label, created_at, updated_at, refused_at, .. } = self;
        Ok(SeToken { id, platform, hint, label, created_at, updated_at, refused_at })
    }

    fn admin_token(self, keyring: &Keyring) -> Result<AdminSeToken> {
        let hint = self.hint(keyring)?;
        let Self { id, account_id, platform, label, created_at, updated_at, refused_at, .. } = self;
        Ok(AdminSeToken { id, account_id, platform, hint, label, created_at, updated_at, refused_at })
    }
}

/// Returns the tokens of an account by platform.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: AccountId,
) -> Result<Vec<SeToken>> {
    let rows: Vec<Row> = dsl::se_tokens
        .filter(dsl::account_id.eq(account.uuid()))
        .order(dsl::platform)
        .limit(i64::try_from(PLATFORMS.len()).unwrap_or(i64::MAX))
        .select(Row::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(|row| row.token(keyring)).collect()
}

/// Stores a token in place of an earlier one of the platform.
pub(super) async fn put(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    draft: &Draft,
    sealed: &[u8],
    now: DateTime<Utc>,
) -> Result<Stored> {
    let new = id::new();
    let row: Row = insert_into(dsl::se_tokens)
        .values((
            dsl::id.eq(new),
            dsl::account_id.eq(account.uuid()),
            dsl::platform.eq(&draft.platform),
            dsl::token.eq(sealed),
            dsl::label.eq(&draft.label),
            dsl::created_at.eq(now),
            dsl::updated_at.eq(now),
        ))
        .on_conflict((dsl::account_id, dsl::platform))
        .do_update()
        .set((
            dsl::token.eq(excluded(dsl::token)),
            dsl::label.eq(excluded(dsl::label)),
            dsl::updated_at.eq(excluded(dsl::updated_at)),
            dsl::refused_at.eq(None::<DateTime<Utc>>),
        ))
        .returning(Row::as_returning())
        .get_result(connection)
        .await?;
    let Row { id, platform, label, created_at, updated_at, refused_at, .. } = row;
    let hint = hint(draft.token.expose());
    Ok(Stored {
        is_new: id == new,
        token: SeToken { id, platform, hint, label, created_at, updated_at, refused_at },
    })
}

/// Locks the tokens of an account until the transaction ends.
pub(super) async fn lock(connection: &mut AsyncPgConnection, account: Uuid) -> Result<()> {
    diesel::sql_query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
        .bind::<diesel::sql_types::Text, _>(format!("se_tokens:{account}"))
        .execute(connection)
        .await?;
    Ok(())
}

/// Number of tokens of an account.
pub(super) async fn count(connection: &mut AsyncPgConnection, account: Uuid) -> Result<i64> {
    let own = dsl::se_tokens.filter(dsl::account_id.eq(account));
    Ok(own.count().get_result(connection).await?)
}

/// Account of a token; `None` when there is no such token.
pub(super) async fn account_of(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<AccountId>> {
    Ok(dsl::se_tokens.find(id).select(dsl::account_id).first(connection).await.optional()?)
}

/// Deletes a token of an account; returns its platform. `None` when the account has no such token.
pub(super) async fn delete(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<String>> {
    let own = dsl::se_tokens.filter(dsl::account_id.eq(account.uuid()).and(dsl::id.eq(id)));
    Ok(diesel::delete(own).returning(dsl::platform).get_result(connection).await.optional()?)
}

/// Returns one page of the tokens of all accounts, newest first, and the total number.
pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    window: Window,
) -> Result<(Vec<AdminSeToken>, i64)> {
    let rows: Vec<Row> = dsl::se_tokens
        .order((dsl::created_at.desc(), dsl::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(Row::as_select())
        .load(connection)
        .await?;
    let items = rows.into_iter().map(|row| row.admin_token(keyring)).collect::<Result<_>>()?;
    Ok((items, dsl::se_tokens.count().get_result(connection).await?))
}
