//! Common parts of polls and predictions: viewers vote, the platform counts, and its reports are stored and
//! published.

mod db;

use api_core::{ApiError, CursorPage, Cx, Position, Result, access::AccountCaller, cursor::Part};
use chrono::{DateTime, Utc};
use diesel::{QueryableByName, pg::Pg};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::{audit, events::Event, jobs::PublishEvent, outbox};
use shared::platform::Platform;
use uuid::Uuid;

/// Stored vote of a kind.
pub(super) trait Vote: QueryableByName<Pg> + Send + Sync + 'static {
    /// Vote as the platform reports it.
    type Stated: Sync;

    /// Name of the kind.
    const NAME: &'static str;
    const TABLE: &'static str;
    /// Column of the platform's id.
    const PLATFORM_ID: &'static str;

    /// The platform's id.
    fn id_of(stated: &Self::Stated) -> &str;

    /// Stores a report of the platform; `None` when a newer one is stored.
    fn upsert(
        connection: &mut AsyncPgConnection,
        account: Uuid,
        platform: Platform,
        stated: &Self::Stated,
        now: DateTime<Utc>,
    ) -> impl Future<Output = shared::Result<Option<Self>>> + Send;

    /// Event that publishes the vote.
    fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event;

    /// Start and id, by which votes are listed.
    fn position(&self) -> Position;
}

/// One part of the account's votes of a kind, newest first.
pub(super) async fn page<V: Vote, T: TryFrom<V, Error = ApiError>>(
    caller: &AccountCaller,
    part: Part,
) -> Result<CursorPage<T>> {
    let account = caller.account.uuid();
    db::page::<V>(&mut *caller.db().await?, account, part).await?.try_map(T::try_from)
}

/// One of the account's votes; 404 when there is none.
pub(super) async fn find<V: Vote, T: TryFrom<V, Error = ApiError>>(
    caller: &AccountCaller,
    id: Uuid,
) -> Result<T> {
    let found = db::find::<V>(&mut *caller.db().await?, caller.account.uuid(), id).await?;
    found.ok_or_else(|| ApiError::not_found(format!("{} not found", V::NAME)))?.try_into()
}

/// Stores a report of the platform and publishes it.
pub(super) async fn record<V: Vote, T: TryFrom<V, Error = ApiError>>(
    cx: &Cx,
    caller: &AccountCaller,
    platform: Platform,
    stated: &V::Stated,
    entry: audit::Entry<'_>,
) -> Result<T> {
    let (account, now) = (caller.account.uuid(), cx.state().clock.now());
    let stored = caller
        .db()
        .await?
        .transaction(async |connection| {
            let vote = match V::upsert(connection, account, platform, stated, now).await? {
                Some(vote) => {
                    let event = vote.announcement(&shared::id::new().to_string(), now);
                    let key = format!("{}:{}", V::TABLE, event.id);
                    outbox::add(connection, &PublishEvent { event }, &key).await?;
                    Some(vote)
                }
                // The delivery of the platform came first and holds more.
                None => db::find_stated::<V>(connection, account, platform, V::id_of(stated)).await?,
            };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(vote)
        })
        .await?;
    stored.ok_or_else(|| ApiError::internal(format_args!("a stored row of {} is gone", V::TABLE)))?.try_into()
}
