//! Claims: the oldest run of an account that may be executed, with what it needs.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Bool, Int2, Int4, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use serde_json::Value;
use shared::Result;
use uuid::Uuid;

use super::held::LEASE_TTL;

/// Maximum number of runs of an account that are executed at the same time; delayed ones do not count
/// (reference/automations.md#execution).
pub const MAX_CONCURRENT_RUNS: i64 = 10;
/// Maximum time from the end of a step to its publication, as far as steps of a killed copy are published again.
const MAX_PUBLISH_DURATION: TimeDelta = TimeDelta::seconds(15);

/// Run that this copy executes.
#[derive(Debug, QueryableByName)]
pub(super) struct Claimed {
    /// Id.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Automation.
    #[diesel(sql_type = SqlUuid)]
    pub automation_id: Uuid,
    /// Trigger as `{ node_id, type, payload }`.
    #[diesel(sql_type = Jsonb)]
    pub trigger: Value,
    /// Graph that the run executes.
    #[diesel(sql_type = Jsonb)]
    pub graph: Value,
    /// Values for templates.
    #[diesel(sql_type = Jsonb)]
    pub context: Value,
    /// Number of runs that led to this one.
    #[diesel(sql_type = Int2)]
    pub depth: i16,
    /// True for the start by a test event.
    #[diesel(sql_type = Bool)]
    pub is_test: bool,
    /// True for a run that begins now; false for one that is resumed.
    #[diesel(sql_type = Bool)]
    pub is_new: bool,
    /// Milliseconds that the run has taken until now.
    #[diesel(sql_type = BigInt)]
    pub busy_ms: i64,
    /// Time of the start.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// Time at which the run began.
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
    /// True when the run was cancelled.
    #[diesel(sql_type = Bool)]
    pub is_cancelled: bool,
    /// End of the lease of the copy that was interrupted; `None` for a new run and one that was delayed.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub lease_ended_at: Option<DateTime<Utc>>,
}

impl Claimed {
    /// True when the copy that was interrupted may have died before it published what happened at this time: it was
    /// alive at the last renewal of its lease.
    pub fn may_be_unpublished(&self, at: DateTime<Utc>) -> bool {
        self.lease_ended_at.is_some_and(|ended| at >= ended - LEASE_TTL - MAX_PUBLISH_DURATION)
    }
}

/// Copy that claims, and its view of the time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claimant<'a> {
    /// The copy.
    pub owner: Uuid,
    /// Runs of the account that this copy executes already, however late their leases are renewed.
    pub held: &'a [Uuid],
    /// Present time.
    pub now: DateTime<Utc>,
    /// End of the lease.
    pub until: DateTime<Utc>,
}

/// Two copies must not count the same free place. The commit need not reach the disk: without it the run is
/// claimed again, and the first effect's commit waits for both.
const LOCK: &str = "
    SELECT pg_advisory_xact_lock(hashtextextended('automation_runs:' || $1::text, 0)),
        set_config('synchronous_commit', 'off', true)";

/// Interrupted runs first, which have their place already, then ended delays, then new runs. A new run gets
/// its graph and what templates read, so that it can be resumed from the row alone.
const CLAIM: &str = "
    WITH picked AS (
        SELECT id, is_new, CASE rank WHEN 0 THEN since END AS lease_ended_at FROM (
            (SELECT id, false AS is_new, 0 AS rank, lease_until AS since FROM automation_runs
                WHERE account_id = $1 AND status = 'running' AND lease_until <= $2 AND NOT id = ANY($5)
                ORDER BY lease_until LIMIT 1)
            UNION ALL
            (SELECT id, false, 1, wake_at FROM automation_runs
                WHERE account_id = $1 AND status = 'running' AND wake_at <= $2 ORDER BY wake_at LIMIT 1)
            UNION ALL
            (SELECT id, true, 2, created_at FROM automation_runs
                WHERE account_id = $1 AND status = 'queued' ORDER BY created_at, id LIMIT 1)
        ) AS candidates
        WHERE rank = 0 OR (
            SELECT count(*) FROM automation_runs
            WHERE account_id = $1 AND status = 'running' AND lease_until IS NOT NULL) < $6
        ORDER BY rank, since LIMIT 1
    )
    UPDATE automation_runs AS run SET
        status = 'running', started_at = coalesce(run.started_at, $2), wake_at = NULL,
        lease_until = $3, lease_owner = $4,
        graph = coalesce(run.graph, jsonb_build_object(
            'nodes', coalesce((
                SELECT jsonb_agg(jsonb_build_object(
                    'id', node.id, 'type', node.node_type, 'label', node.label, 'config', node.config,
                    'position', jsonb_build_object('x', node.x, 'y', node.y), 'install_id', node.install_id
                ) ORDER BY node.position)
                FROM automation_nodes AS node
                WHERE node.account_id = run.account_id AND node.automation_id = run.automation_id), '[]'),
            'edges', coalesce((
                SELECT jsonb_agg(jsonb_build_object(
                    'id', edge.id, 'source_node_id', edge.source_node_id,
                    'source_handle', edge.source_handle, 'target_node_id', edge.target_node_id
                ) ORDER BY edge.position)
                FROM automation_edges AS edge
                WHERE edge.account_id = run.account_id AND edge.automation_id = run.automation_id), '[]'))),
        context = CASE WHEN NOT picked.is_new THEN run.context ELSE run.context || jsonb_build_object(
            'account', (
                SELECT jsonb_build_object('id', account.id, 'name', account.name, 'slug', account.slug,
                    'locale', settings.locale, 'timezone', settings.timezone, 'currency', settings.currency)
                FROM accounts AS account
                LEFT JOIN account_settings AS settings ON settings.account_id = account.id
                WHERE account.id = run.account_id),
            'stream', coalesce((
                SELECT jsonb_build_object('live', channel.is_online, 'platform', channel.platform,
                    'title', channel.stream_title, 'category', channel.category,
                    'viewer_count', channel.viewer_count, 'started_at', channel.started_at)
                FROM channel_statuses AS channel WHERE channel.account_id = run.account_id
                ORDER BY channel.is_online DESC, channel.viewer_count DESC NULLS LAST, channel.platform
                LIMIT 1), '{\"live\": false}')) END
    FROM picked WHERE run.account_id = $1 AND run.id = picked.id
        -- The row may have changed since it was picked: ended, cancelled, or its lease renewed.
        AND run.status = CASE WHEN picked.is_new THEN 'queued' ELSE 'running' END
        AND (run.lease_until IS NULL OR run.lease_until <= $2)
    RETURNING run.id, run.account_id, run.automation_id, run.trigger, run.graph, run.context, run.depth,
        run.is_test, picked.is_new, run.busy_ms, run.created_at, run.started_at,
        run.cancel_requested_at IS NOT NULL AS is_cancelled, picked.lease_ended_at";

/// Claims a run of the account; `None` when none waits or [`MAX_CONCURRENT_RUNS`] are executed.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    account: Uuid,
    claimant: Claimant<'_>,
) -> Result<Option<Claimed>> {
    connection
        .transaction(async |connection| {
            sql_query(LOCK).bind::<SqlUuid, _>(account).prepared().execute(connection).await?;
            let claimed: Vec<Claimed> = sql_query(CLAIM)
                .bind::<SqlUuid, _>(account)
                .bind::<Timestamptz, _>(claimant.now)
                .bind::<Timestamptz, _>(claimant.until)
                .bind::<SqlUuid, _>(claimant.owner)
                .bind::<Array<SqlUuid>, _>(claimant.held)
                .bind::<BigInt, _>(MAX_CONCURRENT_RUNS)
                .prepared()
                .load(connection)
                .await?;
            Ok(claimed.into_iter().next())
        })
        .await
}

/// Step that an earlier execution of the run has stored.
#[derive(Debug, QueryableByName)]
pub(super) struct StoredStep {
    /// Number of the step.
    #[diesel(sql_type = Int4)]
    pub position: i32,
    /// Node.
    #[diesel(sql_type = SqlUuid)]
    pub node_id: Uuid,
    /// Status.
    #[diesel(sql_type = Text)]
    pub status: String,
    /// Whole output.
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub result: Option<Value>,
    /// Handle whose edges follow.
    #[diesel(sql_type = Nullable<Text>)]
    pub branch: Option<String>,
    /// Reason of a failure.
    #[diesel(sql_type = Nullable<Text>)]
    pub error: Option<String>,
    /// Time at which the step began.
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
    /// Length in milliseconds; `None` while it runs.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub duration_ms: Option<i64>,
}

/// Steps of a run in their order; a run has a bounded number.
pub(super) async fn stored_steps(
    connection: &mut AsyncPgConnection,
    run: &Claimed,
) -> Result<Vec<StoredStep>> {
    const STEPS: &str = "
        SELECT position, node_id, status, result, branch, error, started_at, duration_ms FROM automation_steps
        WHERE account_id = $1 AND run_id = $2 ORDER BY position LIMIT $3";
    Ok(sql_query(STEPS)
        .bind::<SqlUuid, _>(run.account_id)
        .bind::<SqlUuid, _>(run.id)
        .bind::<BigInt, _>(i64::from(automation_model::machine::MAX_STEPS) + 1)
        .prepared()
        .load(connection)
        .await?)
}
