//! Layers and installs as they are stored.

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Bool, Jsonb, Nullable, Text, Uuid as SqlUuid},
};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Layer as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub id: Uuid,
    pub layer_type: String,
    pub name: String,
    pub config: Value,
    pub sort_order: i32,
    pub install_id: Option<Uuid>,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub rotation: f64,
    pub opacity: f64,
    /// Built-in widget whose flag must be on; `None` for layers of overlays, which need none.
    pub flag: Option<&'static str>,
}

/// Install that runs and has a layer.
#[derive(QueryableByName)]
pub(super) struct Install {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub extension_id: Uuid,
    #[diesel(sql_type = Text)]
    pub slug: String,
    #[diesel(sql_type = Text)]
    pub version: String,
    /// True when everybody may read the files of the version.
    #[diesel(sql_type = Bool)]
    pub is_public: bool,
    #[diesel(sql_type = Jsonb)]
    pub config: Value,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub config_schema: Option<Value>,
    #[diesel(sql_type = Array<Text>)]
    pub granted_permissions: Vec<String>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    pub storage: Option<Value>,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub storage_version: Option<i64>,
}

impl Source {
    /// Its settings.
    pub fn config_map(&self) -> Map<String, Value> {
        self.config.as_object().cloned().unwrap_or_default()
    }
}
