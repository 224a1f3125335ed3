//! Versions of the installs of a feed.

use std::{collections::HashMap, sync::Arc};

use diesel::prelude::*;
use extension_model::Manifest;
use serde_json::Value;
use shared::schema::extension_versions;
use uuid::Uuid;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = extension_versions)]
pub(super) struct VersionRow {
    pub id: Uuid,
    pub version: String,
    pub status: String,
    pub manifest: Value,
    pub handler_code: Option<String>,
}

/// Versions by id.
pub(super) type Versions = HashMap<Uuid, Version>;

/// A version with its parsed manifest.
pub(super) struct Version {
    pub version: String,
    /// `None` when it cannot be read. That version does not run; other versions do.
    pub manifest: Option<Manifest>,
    /// `None` when it may not run. The installs of a feed share it.
    pub handler_code: Option<Arc<str>>,
    pub runs: bool,
}

impl Version {
    /// Parses a stored version.
    pub(super) fn read(row: VersionRow) -> (Uuid, Self) {
        let manifest = Manifest::stored(row.manifest).inspect_err(|error| {
            tracing::error!(version_id = %row.id, %error, "the manifest of a version cannot be read; it does not run");
        });
        let manifest = manifest.ok();
        let runs = manifest.is_some() && !matches!(row.status.as_str(), "rejected" | "revoked" | "draft");
        let handler_code = row.handler_code.filter(|_| runs).map(Arc::from);
        (row.id, Self { version: row.version, manifest, handler_code, runs })
    }
}
