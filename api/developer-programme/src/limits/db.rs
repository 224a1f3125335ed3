//! Queries of developers and their extensions for the limits.

use api_core::{Result, graphql::Int64};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use extension_model::limits::{LimitKey, ResolvedLimits};
use shared::schema::{developer_profiles, developer_teams, extension_limits, extensions};
use uuid::Uuid;

use super::{DeveloperLimitSource, ExtensionLimits, LimitedExtension};

/// Bound of the list; a developer has fewer extensions.
const MAX_ROWS: i64 = 500;

/// An extension with its own override of the number of sounds.
pub(super) struct ExtensionRow {
    id: Uuid,
    name: String,
    max_sounds: Option<i64>,
}

impl ExtensionRow {
    /// Adds the limits of its developer.
    pub fn with(self, developer: &ResolvedLimits) -> LimitedExtension {
        let key = LimitKey::MaxSoundsPerExtension;
        let limits = match self.max_sounds {
            Some(own) => ExtensionLimits {
                max_sounds: Int64(own),
                max_sounds_source: DeveloperLimitSource::ExtensionOverride,
            },
            None => ExtensionLimits {
                max_sounds: Int64(developer.value(key)),
                max_sounds_source: developer.source(key).into(),
            },
        };
        LimitedExtension { extension_id: self.id, extension_name: self.name, limits }
    }
}

/// Extensions of a developer and of the teams that the developer owns, newest first.
pub(super) async fn extensions(
    connection: &mut AsyncPgConnection,
    developer: Uuid,
) -> Result<Vec<ExtensionRow>> {
    let key = LimitKey::MaxSoundsPerExtension.as_str();
    let own = extension_limits::extension_id.eq(extensions::id).and(extension_limits::limit_key.eq(key));
    let teams = developer_teams::table
        .inner_join(developer_profiles::table.on(developer_profiles::user_id.eq(developer_teams::owner_id)))
        .filter(developer_profiles::id.eq(developer))
        .select(developer_teams::id.nullable());
    let rows: Vec<(Uuid, String, Option<i64>)> = extensions::table
        .left_join(extension_limits::table.on(own))
        .filter(extensions::owner_developer_id.eq(developer).or(extensions::owner_team_id.eq_any(teams)))
        .order(extensions::id.desc())
        .limit(MAX_ROWS)
        .select((extensions::id, extensions::name, extension_limits::value.nullable()))
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(|(id, name, max_sounds)| ExtensionRow { id, name, max_sounds }).collect())
}

/// Locks an extension until the transaction ends; `None` when there is no such extension.
pub(super) async fn lock_extension(
    connection: &mut AsyncPgConnection,
    extension: Uuid,
) -> Result<Option<Uuid>> {
    Ok(extensions::table
        .find(extension)
        .select(extensions::id)
        .for_update()
        .first(connection)
        .await
        .optional()?)
}
