//! Accounts to poll: those with a connection to Spotify that works and the feature `feature:music`, while one
//! of their channels is live or they are connected manually.

use std::collections::HashSet;

use account_model::features;
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use live_model::music::{self, Target, manual};
use shared::{Result, catalogue::Feature, id::AccountId};
use uuid::Uuid;

use super::Poller;

/// Number of accounts of one page.
const PAGE_SIZE: i64 = 1000;
/// Maximum number of pages of one comparison.
const MAX_PAGES: usize = 100;

/// Account that may be polled.
#[derive(QueryableByName)]
struct Candidate {
    #[diesel(sql_type = SqlUuid)]
    account_id: AccountId,
    #[diesel(sql_type = SqlUuid)]
    connection_id: Uuid,
    #[diesel(sql_type = Text)]
    app: String,
    /// Begin of the stream; `None` when no channel is live.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    live_since: Option<DateTime<Utc>>,
}

/// Connections whose accounts are live, or among $2. Tokens that were set by hand have no application: each is
/// limited by itself.
const CANDIDATES: &str = "
    SELECT c.account_id, c.id AS connection_id, coalesce(c.client_id, c.id::text) AS app, live.live_since
    FROM channel_connections c
    LEFT JOIN LATERAL (
        SELECT min(coalesce(s.started_at, s.updated_at)) AS live_since FROM channel_statuses s
        WHERE s.account_id = c.account_id AND s.is_online
    ) live ON true
    WHERE c.platform = 'spotify' AND NOT c.reconnect_required AND c.access_token IS NOT NULL
        AND c.account_id > $1 AND (live.live_since IS NOT NULL OR c.account_id = ANY($2))
    ORDER BY c.account_id LIMIT $3";

/// Makes the schedule equal to the accounts to poll, if it is time and no other copy does so.
pub(super) async fn plan(poller: &Poller) -> Result<()> {
    if !poller.schedule.is_time_to_plan().await? {
        return Ok(());
    }
    let (context, now) = (&poller.context, poller.context.clock.now());
    let manual: Vec<Uuid> =
        manual::accounts(&context.redis, now).await?.into_iter().map(AccountId::uuid).collect();
    let (mut after, mut wanted) = (Uuid::nil(), HashSet::new());
    for _ in 0..MAX_PAGES {
        let (targets, last) = {
            let mut connection = context.databases.postgres.get().await?;
            let page = candidates(&mut connection, after, &manual).await?;
            let last = page.last().map(|candidate| candidate.account_id.uuid());
            (targets(poller, &mut connection, page).await?, last)
        };
        poller.schedule.add(&targets, now).await?;
        wanted.extend(targets.iter().map(|(account, _)| *account));
        let Some(last) = last else { return remove_others(poller, &wanted).await };
        after = last;
    }
    tracing::warn!(pages = MAX_PAGES, "there are more players than can be polled");
    Ok(())
}

async fn candidates(
    connection: &mut AsyncPgConnection,
    after: Uuid,
    manual: &[Uuid],
) -> Result<Vec<Candidate>> {
    Ok(sql_query(CANDIDATES)
        .bind::<SqlUuid, _>(after)
        .bind::<Array<SqlUuid>, _>(manual)
        .bind::<BigInt, _>(PAGE_SIZE)
        .load(connection)
        .await?)
}

/// Returns the ways in which the accounts of a page are polled, without those that have no music.
async fn targets(
    poller: &Poller,
    connection: &mut AsyncPgConnection,
    page: Vec<Candidate>,
) -> Result<Vec<(AccountId, Target)>> {
    let accounts: Vec<Uuid> = page.iter().map(|candidate| candidate.account_id.uuid()).collect();
    let (music, copyright) = (Feature::Music.key(), Feature::CopyrightDetection.key());
    let off = features::switched_off(connection, &accounts, &[music, copyright]).await?;
    let is_off = |account: AccountId, key: &str| off.contains(&(account.uuid(), key.to_owned()));
    let page: Vec<Candidate> =
        page.into_iter().filter(|candidate| !is_off(candidate.account_id, music)).collect();
    let live: Vec<(AccountId, Option<i64>)> = page
        .iter()
        .map(|candidate| (candidate.account_id, candidate.live_since.map(|at| at.timestamp_millis())))
        .collect();
    let streams = poller.schedule.streams(&live).await?;
    let targets = page.into_iter().zip(streams).map(|(candidate, stream)| {
        let Candidate { account_id, connection_id, app, .. } = candidate;
        let checks_copyright = !is_off(account_id, copyright);
        (account_id, Target { connection_id, app, stream, checks_copyright })
    });
    Ok(targets.collect())
}

/// Ends the polls of accounts that are no longer wanted. Nothing is known to play there from now on.
async fn remove_others(poller: &Poller, wanted: &HashSet<AccountId>) -> Result<()> {
    let (context, now) = (&poller.context, poller.context.clock.now());
    let scheduled = poller.schedule.accounts(now).await?;
    let others: Vec<AccountId> = scheduled.into_iter().filter(|account| !wanted.contains(account)).collect();
    for account in poller.schedule.remove(&others, now).await? {
        music::forget(&context.redis, &context.events, account, now).await?;
    }
    Ok(())
}
