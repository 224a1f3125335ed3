//! Queries of snapshots. Each carries the account.

use api_core::Result;
use diesel::{
    QueryableByName,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Float8, Integer, Jsonb, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::INSTALL_RUNS;
use foundation::media_links::Media;
use live_model::{music, sounds::sounds_of_account};
use serde_json::{Value, json};
use shared::{
    id::AccountId,
    schema::{account_settings, overlays, widgets},
    uploads::DEVELOPER_DOCUMENT,
};
use uuid::Uuid;

use super::{
    built_in::{type_of_widget, widget_of_widget_type},
    stored::{Install, Source},
};

/// Largest number of layers of an overlay.
const MAX_LAYERS: i64 = 100;

#[derive(Queryable, Selectable)]
#[diesel(table_name = overlays)]
pub(super) struct Overlay {
    id: Uuid,
    name: String,
    key: String,
    width: i32,
    height: i32,
    background: String,
    pub version: i32,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = widgets)]
pub(super) struct Widget {
    id: Uuid,
    name: String,
    widget_type: String,
    install_id: Option<Uuid>,
    config: Value,
    width: i32,
    height: i32,
    enabled: bool,
}

/// Settings of the account that concern its pages.
#[derive(Queryable, Selectable)]
#[diesel(table_name = account_settings)]
pub(super) struct Settings {
    alerts_muted: bool,
    /// Percent.
    alerts_volume: i32,
    default_overlay_id: Option<Uuid>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alerts_muted: false, alerts_volume: 100, default_overlay_id: None }
    }
}

#[derive(QueryableByName)]
struct LayerRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    layer_type: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Jsonb)]
    config: Value,
    #[diesel(sql_type = Integer)]
    sort_order: i32,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    install_id: Option<Uuid>,
    #[diesel(sql_type = Float8)]
    x: f64,
    #[diesel(sql_type = Float8)]
    y: f64,
    #[diesel(sql_type = Float8)]
    width: f64,
    #[diesel(sql_type = Float8)]
    height: f64,
    #[diesel(sql_type = Float8)]
    rotation: f64,
    #[diesel(sql_type = Float8)]
    opacity: f64,
}

#[derive(QueryableByName)]
struct MediaRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bool)]
    is_sound: bool,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    install_id: Option<Uuid>,
}

#[derive(QueryableByName)]
struct Document {
    #[diesel(sql_type = Jsonb)]
    document: Value,
}

pub(super) async fn overlay_with_key(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    key: &str,
) -> Result<Option<Uuid>> {
    Ok(overlays::table
        .filter(overlays::account_id.eq(account).and(overlays::key.eq(key)))
        .select(overlays::id)
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn overlay(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Overlay>> {
    Ok(overlays::table
        .filter(overlays::account_id.eq(account).and(overlays::id.eq(id)))
        .select(Overlay::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn widget(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<Option<Widget>> {
    Ok(widgets::table
        .filter(widgets::account_id.eq(account).and(widgets::id.eq(id)))
        .select(Widget::as_select())
        .first(connection)
        .await
        .optional()?)
}

pub(super) async fn settings(connection: &mut AsyncPgConnection, account: AccountId) -> Result<Settings> {
    let stored: Option<Settings> = account_settings::table
        .filter(account_settings::account_id.eq(account))
        .select(Settings::as_select())
        .first(connection)
        .await
        .optional()?;
    Ok(stored.unwrap_or_default())
}

/// Lists the visible layers of an overlay, from back to front.
pub(super) async fn layers(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    overlay: Uuid,
) -> Result<Vec<Source>> {
    let rows: Vec<LayerRow> = sql_query(
        "SELECT id, layer_type, name, config, sort_order, install_id, x, y, width, height, rotation, opacity
        FROM overlay_layers WHERE account_id = $1 AND overlay_id = $2 AND visible
        ORDER BY sort_order, id LIMIT $3",
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<SqlUuid, _>(overlay)
    .bind::<BigInt, _>(MAX_LAYERS)
    .load(connection)
    .await?;
    Ok(rows.into_iter().map(LayerRow::into_source).collect())
}

/// Installs that run and have a layer.
pub(super) async fn installs(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    ids: Vec<Uuid>,
) -> Result<Vec<Install>> {
    let sql = format!(
        "SELECT extension_installs.id, extension_installs.extension_id, extension.slug, version.version,
            version.status IN ('approved', 'archived') AS is_public, extension_installs.config, version.manifest -> 'config_schema' AS config_schema,
            extension_installs.granted_permissions, stored.value AS storage, stored.version AS storage_version
        FROM extension_installs
        JOIN extensions AS extension ON extension.id = extension_installs.extension_id
        JOIN extension_versions AS version ON version.id = extension_installs.version_id
        LEFT JOIN extension_storage AS stored
            ON stored.install_id = extension_installs.id AND stored.account_id = $1
        WHERE extension_installs.account_id = $1 AND extension_installs.id = ANY($2)
            AND version.manifest -> 'targets' ? 'layer' AND {INSTALL_RUNS}"
    );
    Ok(sql_query(sql)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Array<SqlUuid>, _>(ids)
        .load(connection)
        .await?)
}

/// Uploads and sounds of the account among some ids. Documents of developers are no media.
pub(super) async fn media(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    ids: Vec<Uuid>,
) -> Result<Vec<Media>> {
    let sql = format!(
        "SELECT id, true AS is_sound, install_id FROM ({}) AS all_sounds WHERE id = ANY($2)
        UNION ALL
        SELECT id, false, NULL FROM uploads
        WHERE account_id = $1 AND id = ANY($2) AND purpose <> '{DEVELOPER_DOCUMENT}'",
        sounds_of_account()
    );
    let rows: Vec<MediaRow> = sql_query(sql)
        .bind::<SqlUuid, _>(account.uuid())
        .bind::<Array<SqlUuid>, _>(ids)
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(MediaRow::into_media).collect())
}

/// Latest events of an account, newest first.
pub(super) async fn recent_events(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<Value>> {
    let rows: Vec<Document> = sql_query(
        r#"SELECT jsonb_build_object('id', id, 'account_id', account_id, 'event_type', event_type,
            'platform', platform, 'platform_user_id', platform_user_id, 'username', username,
            'display_name', display_name, 'avatar_url', avatar_url, 'amount', amount, 'currency', currency,
            'message', message, 'data', data, 'is_test', is_test,
            'occurred_at', to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) AS document
        FROM events WHERE account_id = $1 AND NOT is_test AND event_type <> $3 ORDER BY occurred_at DESC, id DESC LIMIT $2"#,
    )
    .bind::<SqlUuid, _>(account.uuid())
    .bind::<BigInt, _>(limit)
    .bind::<Text, _>(music::TRACK)
    .load(connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.document).collect())
}

impl Overlay {
    /// Fields for pages.
    pub fn into_json(self, is_default: bool) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "key": self.key,
            "width": self.width,
            "height": self.height,
            "background": self.background,
            "version": self.version,
            "is_default": is_default,
        })
    }
}

impl Widget {
    /// Fields for pages.
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "type": self.widget_type,
            "width": self.width,
            "height": self.height,
            "enabled": self.enabled,
        })
    }

    /// The one layer of the widget; `None` when it is switched off.
    pub fn into_source(self) -> Option<Source> {
        if !self.enabled {
            return None;
        }
        let built_in = widget_of_widget_type(&self.widget_type);
        let layer_type = built_in.map_or("extension", type_of_widget);
        Some(Source {
            id: self.id,
            layer_type: layer_type.to_owned(),
            name: self.name,
            config: self.config,
            sort_order: 0,
            install_id: self.install_id,
            x: 0.0,
            y: 0.0,
            width: self.width.into(),
            height: self.height.into(),
            rotation: 0.0,
            opacity: 1.0,
            flag: built_in.map(|widget| widget.flag),
        })
    }
}

impl Settings {
    /// Those of alerts, for pages.
    pub fn alerts(&self) -> Value {
        json!({ "muted": self.alerts_muted, "volume": f64::from(self.alerts_volume) / 100.0 })
    }

    /// True for the default overlay of the account.
    pub fn is_default(&self, overlay: Uuid) -> bool {
        self.default_overlay_id == Some(overlay)
    }
}

impl LayerRow {
    fn into_source(self) -> Source {
        Source {
            id: self.id,
            layer_type: self.layer_type,
            name: self.name,
            config: self.config,
            sort_order: self.sort_order,
            install_id: self.install_id,
            x: self.x,
            y: self.y,
            width: self.width,
            height: self.height,
            rotation: self.rotation,
            opacity: self.opacity,
            flag: None,
        }
    }
}

impl MediaRow {
    const fn into_media(self) -> Media {
        match (self.is_sound, self.install_id) {
            (true, Some(install)) => Media::BundledSound { id: self.id, install },
            (true, None) => Media::Sound(self.id),
            (false, _) => Media::Upload(self.id),
        }
    }
}
