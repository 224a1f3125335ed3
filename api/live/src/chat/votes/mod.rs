//! What polls and predictions have in common: viewers vote, the platform counts, and its word is kept and told.

mod db;

use api_core::{ApiError, Cx, Page, Result, access::AccountCaller, page::Window};
use chrono::{DateTime, Utc};
use diesel::{QueryableByName, pg::Pg};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use shared::{audit, events::Event, jobs::PublishEvent, outbox, platforms::Platform};
use uuid::Uuid;

/// A stored vote of a kind.
pub(super) trait Vote: QueryableByName<Pg> + Send + Sync + 'static {
    /// As the platform states it.
    type Stated: Sync;

    /// What one is called.
    const NAME: &'static str;
    const TABLE: &'static str;
    /// The column of the platform's id.
    const PLATFORM_ID: &'static str;

    /// The platform's id.
    fn id_of(stated: &Self::Stated) -> &str;

    /// Stores what the platform states; none when something newer is stored.
    fn keep(
        connection: &mut AsyncPgConnection,
        account: Uuid,
        platform: Platform,
        stated: &Self::Stated,
        now: DateTime<Utc>,
    ) -> impl Future<Output = shared::Result<Option<Self>>> + Send;

    /// The event that tells of it.
    fn announcement(&self, source: &str, at: DateTime<Utc>) -> Event;
}

/// One page of the account's votes of a kind, newest first.
pub(super) async fn page<V: Vote, T: TryFrom<V, Error = ApiError>>(
    caller: &AccountCaller,
    window: Window,
) -> Result<Page<T>> {
    let account = caller.account.0;
    let (votes, total) = db::page::<V>(&mut *caller.db().await?, account, window).await?;
    let items = votes.into_iter().map(T::try_from).collect::<Result<_>>()?;
    Ok(Page { items, total, window })
}

/// One of the account's votes; 404 when there is none.
pub(super) async fn find<V: Vote, T: TryFrom<V, Error = ApiError>>(
    caller: &AccountCaller,
    id: Uuid,
) -> Result<T> {
    let found = db::find::<V>(&mut *caller.db().await?, caller.account.0, id).await?;
    found.ok_or_else(|| ApiError::not_found(format!("{} not found", V::NAME)))?.try_into()
}

/// Stores what the platform states, and tells whoever shows the chat.
pub(super) async fn record<V: Vote, T: TryFrom<V, Error = ApiError>>(
    cx: &Cx,
    account: Uuid,
    platform: Platform,
    stated: &V::Stated,
    entry: audit::Entry<'_>,
) -> Result<T> {
    let now = cx.state().clock.now();
    let stored = cx
        .state()
        .databases
        .postgres
        .get()
        .await?
        .transaction(async |connection| {
            let vote = match V::keep(connection, account, platform, stated, now).await? {
                Some(vote) => {
                    let event = vote.announcement(&shared::id::new().to_string(), now);
                    let key = format!("{}:{}", V::TABLE, event.id);
                    outbox::add(connection, &PublishEvent { event }, &key).await?;
                    Some(vote)
                }
                // The platform's delivery was faster and told more.
                None => db::find_stated::<V>(connection, account, platform, V::id_of(stated)).await?,
            };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(vote)
        })
        .await?;
    stored.ok_or_else(|| ApiError::internal(format_args!("a stored row of {} is gone", V::TABLE)))?.try_into()
}
