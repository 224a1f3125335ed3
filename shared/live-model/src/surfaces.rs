//! Changes of overlays and widgets, published to editors and pages (reference/realtime.md#surfaces). The pages
//! read the new state; these events say that there is one.

use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Integer, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::{
    events::{Channel, Event},
    jobs::PublishEvent,
    outbox,
};
use serde_json::json;
use shared::Result;
use uuid::Uuid;

/// Part of an overlay that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayChange {
    /// Its own fields.
    Overlay,
    /// All layers.
    Layers,
    /// One layer.
    Layer(Uuid),
    /// The overlay is gone.
    Deleted,
}

impl OverlayChange {
    const fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Layers => "layers",
            Self::Layer(_) => "layer",
            Self::Deleted => "deleted",
        }
    }

    const fn layer(self) -> Option<Uuid> {
        match self {
            Self::Layer(id) => Some(id),
            Self::Overlay | Self::Layers | Self::Deleted => None,
        }
    }
}

/// Publishes `overlay:updated` to the editors of an overlay once the transaction commits. `user_id` is the
/// person who changed it.
///
/// # Errors
/// A failure of the database.
pub async fn publish_overlay_change(
    connection: &mut AsyncPgConnection,
    overlay_id: Uuid,
    version: i32,
    change: OverlayChange,
    user_id: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<()> {
    let data = json!({
        "overlay_id": overlay_id,
        "version": version,
        "change": change.name(),
        "layer_id": change.layer(),
        "user_id": user_id,
        "overlay": null,
    });
    publish(connection, Event::new(Channel::OverlayEditor(overlay_id), "overlay:updated", data, now)).await
}

#[derive(QueryableByName)]
struct Changed {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Integer)]
    version: i32,
}

/// Removes the layers that an install draws, and adds one to the version of each overlay that had one. Call it
/// before the install is deleted, in the same transaction.
///
/// # Errors
/// A failure of the database.
pub async fn remove_layers_of_install(
    connection: &mut AsyncPgConnection,
    account_id: Uuid,
    install_id: Uuid,
    user_id: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<()> {
    // The overlays are locked before their layers, as by every change of an overlay.
    let lock = "SELECT id, version FROM overlays WHERE account_id = $1 AND id IN (
            SELECT overlay_id FROM overlay_layers WHERE account_id = $1 AND install_id = $2)
        ORDER BY id FOR NO KEY UPDATE";
    let locked: Vec<Changed> = sql_query(lock)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(install_id)
        .load(connection)
        .await?;
    if locked.is_empty() {
        return Ok(());
    }
    let change = "WITH removed AS (
            DELETE FROM overlay_layers WHERE account_id = $1 AND install_id = $2 RETURNING overlay_id)
        UPDATE overlays SET version = version + 1, updated_at = $3
        WHERE account_id = $1 AND id IN (SELECT overlay_id FROM removed) RETURNING id, version";
    let changed: Vec<Changed> = sql_query(change)
        .bind::<SqlUuid, _>(account_id)
        .bind::<SqlUuid, _>(install_id)
        .bind::<Timestamptz, _>(now)
        .load(connection)
        .await?;
    for Changed { id, version } in changed {
        publish_overlay_change(connection, id, version, OverlayChange::Layers, user_id, now).await?;
    }
    Ok(())
}

/// Publishes to the pages of a widget that it changed, once the transaction commits.
///
/// # Errors
/// A failure of the database.
pub async fn publish_widget_change(
    connection: &mut AsyncPgConnection,
    widget_id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let event = Event::new(Channel::Widget(widget_id), "widget:updated", json!({}), now);
    publish(connection, event).await
}

async fn publish(connection: &mut AsyncPgConnection, event: Event) -> Result<()> {
    let key = format!("{}:{}", event.event_type, event.id);
    outbox::add(connection, &PublishEvent { event }, &key).await
}
