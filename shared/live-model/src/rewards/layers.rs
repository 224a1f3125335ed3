//! Layers that are shown or hidden by redemptions, for a time or for good (reference/rewards.md#layers).

use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Bool, Integer, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::jobs::RestoreLayer;
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

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    answer: bool,
}

/// Shows or hides a layer of an account. A change adds one to the version of its overlay. Returns false when
/// the account has no such layer. Must be called in a transaction.
///
/// # Errors
/// A failure of the database.
pub async fn set_visible(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    layer_id: Uuid,
    visible: bool,
    now: DateTime<Utc>,
) -> Result<bool> {
    // The overlay is locked before its layers, as by every change of an overlay.
    let lock =
        "SELECT overlays.id FROM overlays JOIN overlay_layers AS layer ON layer.overlay_id = overlays.id
        WHERE layer.account_id = $1 AND layer.id = $2 FOR NO KEY UPDATE OF overlays";
    let overlay: Option<Overlay> = sql_query(lock)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .get_result(connection)
        .await
        .optional()?;
    let Some(overlay) = overlay else { return Ok(false) };
    let change = "WITH layer AS (
            UPDATE overlay_layers SET visible = $4 WHERE account_id = $1 AND id = $2 AND visible <> $4 RETURNING id)
        UPDATE overlays SET version = version + 1, updated_at = $5 FROM layer
        WHERE overlays.account_id = $1 AND overlays.id = $3 RETURNING overlays.version";
    let changed: Option<Version> = sql_query(change)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(layer_id)
        .bind::<SqlUuid, _>(overlay.id)
        .bind::<Bool, _>(visible)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await
        .optional()?;
    if let Some(changed) = changed {
        let change = OverlayChange::Layer(layer_id);
        publish_overlay_change(connection, overlay.id, changed.version, change, None, now).await?;
    }
    Ok(true)
}

/// True when a later redemption keeps the layer as it is beyond this time: its own job changes it back, if
/// any.
///
/// # Errors
/// A failure of the database.
pub async fn is_extended(
    connection: &mut AsyncPgConnection,
    job: &RestoreLayer,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = "SELECT EXISTS (
        SELECT FROM reward_redemptions AS redemption JOIN rewards ON rewards.id = redemption.reward_id
        WHERE redemption.account_id = $1 AND redemption.created_at > $3
            AND coalesce(redemption.outcome, 'fulfilled') = 'fulfilled'
            AND rewards.action @> jsonb_build_object('type', 'layer', 'layer_id', $2::text, 'visible', NOT $4)
            AND coalesce(redemption.created_at
                + make_interval(secs => (rewards.action ->> 'duration_secs')::float8) > $5, true)
    ) AS answer";
    let found: Answer = sql_query(sql)
        .bind::<SqlUuid, _>(job.account_id)
        .bind::<SqlUuid, _>(job.layer_id)
        .bind::<Timestamptz, _>(job.since)
        .bind::<Bool, _>(job.visible)
        .bind::<Timestamptz, _>(now)
        .get_result(connection)
        .await?;
    Ok(found.answer)
}
