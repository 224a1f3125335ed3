//! Tokens of the pages of overlays and widgets (reference/overlays.md#tokens), and the addresses that carry
//! them.

use api_core::{Result, State, token::NewToken};
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    crypto::{SecretLocation, row},
    invalidation::Invalidation,
};
use shared::{
    id::{self, AccountId},
    schema::surface_tokens::{self, dsl},
    secret::Secret,
};
use uuid::Uuid;

/// Stored kind of the token of an overlay.
pub(crate) const OVERLAY: &str = "overlay";
/// Stored kind of the token of a share.
pub(crate) const SHARE: &str = "share";
/// Stored kind of the token of a widget.
pub(crate) const WIDGET: &str = "widget";

#[derive(Insertable)]
#[diesel(table_name = surface_tokens)]
struct Row<'a> {
    id: Uuid,
    kind: &'static str,
    account_id: AccountId,
    subject: &'a str,
    token_hash: &'a [u8],
    token_prefix: &'a str,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
}

/// Object that a token opens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// Account of the object.
    pub account: AccountId,
    /// Stored kind of the token.
    pub kind: &'static str,
    /// Key of an overlay, or id of a widget as a text.
    pub name: &'a str,
}

/// Stores a token and returns its id.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    subject: Subject<'_>,
    token: &NewToken,
    now: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<Uuid> {
    let row = Row {
        id: id::new(),
        kind: subject.kind,
        account_id: subject.account,
        subject: subject.name,
        token_hash: &token.hash,
        token_prefix: &token.prefix,
        created_at: now,
        expires_at,
    };
    insert_into(dsl::surface_tokens).values(&row).execute(connection).await?;
    Ok(row.id)
}

/// Replaces the token of a subject. Announce the result after the commit. Rows of earlier rotations go.
pub(crate) async fn rotate(
    connection: &mut AsyncPgConnection,
    subject: Subject<'_>,
    token: &NewToken,
    now: DateTime<Utc>,
) -> Result<Vec<Invalidation>> {
    let own = || {
        dsl::surface_tokens
            .filter(dsl::account_id.eq(subject.account))
            .filter(dsl::kind.eq(subject.kind).and(dsl::subject.eq(subject.name.to_owned())))
    };
    delete(own().filter(dsl::revoked_at.is_not_null())).execute(connection).await?;
    let revoked: Vec<Uuid> =
        update(own()).set(dsl::revoked_at.eq(now)).returning(dsl::id).get_results(connection).await?;
    insert(connection, subject, token, now, None).await?;
    Ok(invalidations(revoked))
}

/// Deletes the tokens of some kinds of a subject, with the shares that they belong to. Announce the result
/// after the commit.
pub(crate) async fn delete_all(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    kinds: &[&'static str],
    name: &str,
) -> Result<Vec<Invalidation>> {
    let own = dsl::surface_tokens
        .filter(dsl::account_id.eq(account))
        .filter(dsl::kind.eq_any(kinds.to_vec()).and(dsl::subject.eq(name)));
    let deleted: Vec<Uuid> = delete(own).returning(dsl::id).get_results(connection).await?;
    Ok(invalidations(deleted))
}

fn invalidations(ids: Vec<Uuid>) -> Vec<Invalidation> {
    ids.into_iter().map(|id| Invalidation::Credential { id }).collect()
}

/// Encrypts the token of an overlay for its row.
pub(crate) fn seal(state: &State, overlay: Uuid, token: &Secret) -> Result<Vec<u8>> {
    let row = row(overlay);
    Ok(state.keyring.seal(place(&row), token)?)
}

/// Decrypts the token of an overlay.
pub(crate) fn open(state: &State, overlay: Uuid, sealed: &[u8]) -> Result<Secret> {
    let row = row(overlay);
    Ok(state.keyring.open(place(&row), sealed)?)
}

const fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "overlays", column: "token", row }
}

/// Address of the page of an overlay. The fragment, which no server receives, carries the token.
pub(crate) fn overlay_url(state: &State, key: &str, token: &Secret) -> String {
    format!("{}/v1/overlays/{key}/page#token={}", public_url(state), token.expose())
}

/// Address of the page of a widget, with the token in the fragment where it is shown.
pub(crate) fn widget_url(state: &State, widget: Uuid, token: Option<&Secret>) -> String {
    let token = token.map(|token| format!("#token={}", token.expose())).unwrap_or_default();
    format!("{}/v1/widgets/{widget}/page{token}", public_url(state))
}

fn public_url(state: &State) -> &str {
    state.config.http.public_url.as_str().trim_end_matches('/')
}
