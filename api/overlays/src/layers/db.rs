//! Queries over `overlay_layers`. Each carries the account.

use std::collections::{HashMap, HashSet};

use api_core::{ApiError, Result, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{
    delete,
    dsl::sql,
    expression::SqlLiteral,
    insert_into,
    prelude::*,
    sql_types::{Bool, Nullable, Timestamptz},
    update,
    upsert::excluded,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::{
    id::AccountId,
    schema::{
        extension_installs, extension_versions,
        overlay_layers::{self, dsl},
    },
};
use uuid::Uuid;

use super::{OverlayLayer, OverlayLayerType};
use crate::overlays::MAX_LAYERS;

#[derive(Queryable, Selectable)]
#[diesel(table_name = overlay_layers)]
struct Row {
    id: Uuid,
    overlay_id: Uuid,
    layer_type: String,
    name: String,
    config: Value,
    visible: bool,
    sort_order: i32,
    install_id: Option<Uuid>,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    rotation: f64,
    opacity: f64,
    locked: bool,
}

#[derive(Insertable)]
#[diesel(table_name = overlay_layers)]
pub(super) struct NewRow<'a> {
    pub id: Uuid,
    pub account_id: AccountId,
    pub overlay_id: Uuid,
    pub layer_type: &'static str,
    pub name: &'a str,
    pub config: &'a Value,
    pub visible: bool,
    pub sort_order: i32,
    pub install_id: Option<Uuid>,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub rotation: f64,
    pub opacity: f64,
    pub locked: bool,
}

/// New values of columns. Absent fields stay.
#[derive(Debug, AsChangeset)]
#[diesel(table_name = overlay_layers)]
pub(super) struct Changes {
    pub name: Option<String>,
    pub config: Option<Value>,
    pub visible: Option<bool>,
    pub locked: Option<bool>,
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub rotation: Option<f64>,
    pub opacity: Option<f64>,
}

/// Lists the layers of an overlay, from back to front.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
) -> Result<Vec<OverlayLayer>> {
    let rows: Vec<Row> = dsl::overlay_layers
        .filter(dsl::account_id.eq(account).and(dsl::overlay_id.eq(overlay)))
        .order((dsl::sort_order.asc(), dsl::id.asc()))
        .limit(limit())
        .select(Row::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(Row::into_layer).collect()
}

pub(super) async fn find(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    id: Uuid,
) -> Result<Option<OverlayLayer>> {
    let row: Option<Row> = dsl::overlay_layers
        .filter(dsl::account_id.eq(account).and(dsl::overlay_id.eq(overlay)).and(dsl::id.eq(id)))
        .select(Row::as_select())
        .first(connection)
        .await
        .optional()?;
    row.map(Row::into_layer).transpose()
}

/// Ids of the layers of an overlay.
pub(super) async fn ids(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
) -> Result<HashSet<Uuid>> {
    let ids: Vec<Uuid> = dsl::overlay_layers
        .filter(dsl::account_id.eq(account).and(dsl::overlay_id.eq(overlay)))
        .limit(limit())
        .select(dsl::id)
        .load(connection)
        .await?;
    Ok(ids.into_iter().collect())
}

/// Installs of the account among `ids`: true where the version has a layer.
pub(super) async fn installs(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, bool>> {
    let has_layer = sql::<Bool>("coalesce(extension_versions.manifest -> 'targets' @> '[\"layer\"]', false)");
    let found: Vec<(Uuid, bool)> = extension_installs::table
        .inner_join(extension_versions::table.on(extension_versions::id.eq(extension_installs::version_id)))
        .filter(extension_installs::account_id.eq(account).and(extension_installs::id.eq_any(ids.to_vec())))
        .select((extension_installs::id, has_layer))
        .load(connection)
        .await?;
    Ok(found.into_iter().collect())
}

/// Replaces the layers of an overlay; rows with a known id are kept and changed. Returns them from back to
/// front.
pub(super) async fn replace(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    rows: Vec<NewRow<'_>>,
) -> Result<Vec<OverlayLayer>> {
    let kept: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let own = dsl::overlay_layers.filter(dsl::account_id.eq(account).and(dsl::overlay_id.eq(overlay)));
    delete(own.filter(dsl::id.ne_all(kept))).execute(connection).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut stored: Vec<Row> = insert_into(dsl::overlay_layers)
        .values(&rows)
        .on_conflict(dsl::id)
        .do_update()
        .set((
            dsl::layer_type.eq(excluded(dsl::layer_type)),
            dsl::name.eq(excluded(dsl::name)),
            dsl::config.eq(excluded(dsl::config)),
            dsl::visible.eq(excluded(dsl::visible)),
            dsl::sort_order.eq(excluded(dsl::sort_order)),
            dsl::install_id.eq(excluded(dsl::install_id)),
            dsl::x.eq(excluded(dsl::x)),
            dsl::y.eq(excluded(dsl::y)),
            dsl::width.eq(excluded(dsl::width)),
            dsl::height.eq(excluded(dsl::height)),
            dsl::rotation.eq(excluded(dsl::rotation)),
            dsl::opacity.eq(excluded(dsl::opacity)),
            dsl::locked.eq(excluded(dsl::locked)),
            dsl::shown_until.eq(kept_while_as_visible("shown_until")),
            dsl::hidden_until.eq(kept_while_as_visible("hidden_until")),
        ))
        .returning(Row::as_returning())
        .get_results(connection)
        .await?;
    stored.sort_by_key(|row| row.sort_order);
    stored.into_iter().map(Row::into_layer).collect()
}

/// Time until which redemptions show or hide a layer that is replaced: it ends where the layer is shown or hidden for
/// good.
fn kept_while_as_visible(until: &str) -> SqlLiteral<Nullable<Timestamptz>> {
    sql(&format!("CASE WHEN overlay_layers.visible = excluded.visible THEN overlay_layers.{until} END"))
}

/// Changes a layer. `visible` is for good: it ends the times until which redemptions show or hide the layer. `None`
/// when the overlay has no such layer.
pub(super) async fn change(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
    id: Uuid,
    changes: &Changes,
) -> Result<Option<OverlayLayer>> {
    let own = dsl::account_id.eq(account).and(dsl::overlay_id.eq(overlay)).and(dsl::id.eq(id));
    let end = None::<DateTime<Utc>>;
    let ends = changes.visible.map(|_visible| (dsl::shown_until.eq(end), dsl::hidden_until.eq(end)));
    let row: Option<Row> = update(dsl::overlay_layers.filter(own))
        .set((changes, ends))
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    row.map(Row::into_layer).transpose()
}

fn limit() -> i64 {
    i64::try_from(MAX_LAYERS).unwrap_or(i64::MAX)
}

impl Row {
    fn into_layer(self) -> Result<OverlayLayer> {
        let layer_type = OverlayLayerType::parse(&self.layer_type)
            .ok_or_else(|| ApiError::internal("a layer is of a type that is not known"))?;
        Ok(OverlayLayer {
            id: self.id,
            overlay_id: self.overlay_id,
            layer_type,
            name: self.name,
            config: Json(self.config),
            visible: self.visible,
            sort_order: self.sort_order,
            install_id: self.install_id,
            x: self.x,
            y: self.y,
            width: self.width,
            height: self.height,
            rotation: self.rotation,
            opacity: self.opacity,
            locked: self.locked,
        })
    }
}
