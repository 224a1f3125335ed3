//! Layers that are shown or hidden by redemptions, for a time or for good (reference/rewards.md#layers).
//!
//! A redemption that changes a layer for a time states in `restore_at` when that ends, until its job has run. A later
//! one that finds the layer as wanted extends that time. Where none waits, the layer is so by itself and stays so.

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{jobs::RestoreLayer, outbox};
use shared::Result;
use uuid::Uuid;

use crate::surfaces::{OverlayChange, publish_overlay_change};

#[derive(QueryableByName)]
struct Overlay {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Integer)]
    version: i32,
}

/// Redemption that shows or hides a layer for a time.
#[derive(Debug, Clone, Copy)]
pub struct TemporaryChange<'a> {
    /// Reward of the redemption.
    pub reward_id: Uuid,
    /// Id of the redemption on the platform.
    pub redemption_id: &'a str,
    /// Change back of the layer.
    pub restore: RestoreLayer,
}

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    answer: bool,
}

/// Redemptions (`redemption`) of rewards that show (`$3`) or hide a layer (`$2`) of an account (`$1`).
const OF_LAYER: &str = "
    FROM reward_redemptions AS redemption JOIN rewards ON rewards.id = redemption.reward_id
    WHERE redemption.account_id = $1 AND rewards.action @> jsonb_build_object(
        'type', 'layer', 'layer_id', $2::text, 'visible', $3::boolean)";

/// Shows or hides a layer of an account. A change adds one to the version of its overlay. Returns whether there was
/// one; `None` when the account has no such layer. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn set_visible(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    layer_id: Uuid,
    visible: bool,
    now: DateTime<Utc>,
) -> Result<Option<bool>> {
    let Some(overlay) = lock(connection, account_id, layer_id).await? else { return Ok(None) };
    let change = "WITH layer AS (
            UPDATE overlay_layers SET visible = $4 WHERE account_id = $1 AND id = $2 AND visible <> $4 RETURNING id)
        UPDATE overlays SET version = version + 1, updated_at = $5 FROM layer
        WHERE overlays.account_id = $1 AND overlays.id = $3 RETURNING overlays.version";
    let changed: Option<Version> = sql_query(change)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .bind::<SqlUuid, _>(overlay)
        .bind::<Bool, _>(visible)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await
        .optional()?;
    let Some(changed) = changed else { return Ok(Some(false)) };
    let change = OverlayChange::Layer(layer_id);
    publish_overlay_change(connection, overlay, changed.version, change, None, now).await?;
    Ok(Some(true))
}

/// Locks the overlay of a layer until the transaction ends, before its layers as by every change of an overlay.
async fn lock(connection: &mut AsyncPgConnection, account_id: Uuid, layer_id: Uuid) -> Result<Option<Uuid>> {
    let sql =
        "SELECT overlays.id FROM overlays JOIN overlay_layers AS layer ON layer.overlay_id = overlays.id
        WHERE layer.account_id = $1 AND layer.id = $2 FOR NO KEY UPDATE OF overlays";
    let overlay: Option<Overlay> = sql_query(sql)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .get_result(connection)
        .await
        .optional()?;
    Ok(overlay.map(|overlay| overlay.id))
}

/// Shows or hides a layer for a time, after which a job changes it back. A layer that is as wanted already stays so,
/// unless an earlier redemption has made it so for a time: then it stays for the longer of both. Returns false when
/// the account has no such layer. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn change_for_a_time(
    connection: &mut AsyncPgConnection,
    change: &TemporaryChange<'_>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let TemporaryChange { reward_id, redemption_id, restore } = *change;
    let RestoreLayer { account_id, layer_id, visible, due_at, .. } = restore;
    let Some(has_changed) = set_visible(connection, account_id, layer_id, !visible, now).await? else {
        return Ok(false);
    };
    if has_changed || is_temporary(connection, &restore).await? {
        sql_query(
            "UPDATE reward_redemptions SET restore_at = $4
            WHERE account_id = $1 AND reward_id = $2 AND redemption_id = $3",
        )
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(reward_id)
        .bind::<Text, _>(redemption_id)
        .bind::<Timestamptz, _>(due_at)
        .execute(connection)
        .await?;
        outbox::add(connection, &restore, &format!("{reward_id}:{redemption_id}")).await?;
    }
    Ok(true)
}

/// True when the layer waits to be changed back.
async fn is_temporary(connection: &mut AsyncPgConnection, job: &RestoreLayer) -> Result<bool> {
    let sql = format!("SELECT EXISTS (SELECT {OF_LAYER} AND redemption.restore_at IS NOT NULL) AS answer");
    let found: Answer = sql_query(sql)
        .bind::<SqlUuid, _>(job.account_id)
        .bind::<SqlUuid, _>(job.layer_id)
        .bind::<Bool, _>(!job.visible)
        .get_result(connection)
        .await?;
    Ok(found.answer)
}

/// Shows or hides a layer for good, also one that waits to be changed back. Returns false when the account has no
/// such layer. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn change_for_good(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    layer_id: Uuid,
    visible: bool,
    now: DateTime<Utc>,
) -> Result<bool> {
    if set_visible(connection, account_id, layer_id, visible, now).await?.is_none() {
        return Ok(false);
    }
    end(connection, account_id, layer_id, visible, None).await?;
    Ok(true)
}

/// Changes a layer back, unless another redemption keeps it. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn restore(
    connection: &mut AsyncPgConnection,
    job: &RestoreLayer,
    now: DateTime<Utc>,
) -> Result<()> {
    let RestoreLayer { account_id, layer_id, visible, .. } = *job;
    // A redemption that has the lock extends the time. One that waits for it finds the layer changed back.
    if lock(connection, account_id, layer_id).await?.is_none() {
        return Ok(());
    }
    if !is_extended(connection, job, now).await? {
        set_visible(connection, account_id, layer_id, visible, now).await?;
    }
    end(connection, account_id, layer_id, !visible, Some(now)).await
}

/// True when another redemption keeps the layer as it is beyond this time: its own job changes it back, if any.
async fn is_extended(
    connection: &mut AsyncPgConnection,
    job: &RestoreLayer,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = format!(
        "SELECT EXISTS (SELECT {OF_LAYER} AND (redemption.restore_at > $4
            OR redemption.created_at > $5 AND rewards.action ->> 'duration_secs' IS NULL
                AND coalesce(redemption.outcome, 'fulfilled') = 'fulfilled')) AS answer"
    );
    let found: Answer = sql_query(sql)
        .bind::<SqlUuid, _>(job.account_id)
        .bind::<SqlUuid, _>(job.layer_id)
        .bind::<Bool, _>(!job.visible)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(job.since)
        .get_result(connection)
        .await?;
    Ok(found.answer)
}

/// Records that nothing waits any more to be changed back: what was due by this time, or all.
async fn end(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    layer_id: Uuid,
    visible: bool,
    due: Option<DateTime<Utc>>,
) -> Result<()> {
    let sql = format!(
        "UPDATE reward_redemptions AS ended SET restore_at = NULL FROM (
            SELECT redemption.reward_id, redemption.redemption_id {OF_LAYER}
                AND coalesce(redemption.restore_at <= $4, redemption.restore_at IS NOT NULL)
        ) AS due WHERE ended.reward_id = due.reward_id AND ended.redemption_id = due.redemption_id"
    );
    sql_query(sql)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .bind::<Bool, _>(visible)
        .bind::<Nullable<Timestamptz>, _>(due)
        .execute(connection)
        .await?;
    Ok(())
}
