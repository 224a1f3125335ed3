//! Install statistics of an extension: totals only, no data of any account
//! (reference/developers.md#developer-rest-api).

use std::collections::BTreeMap;

use api_core::{
    Cx, Input, Operation,
    access::{Developer, Grants},
};
use serde::Serialize;
use shared::catalogue::{AccountPermission, TeamPermission};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Rate, db};
use crate::{envelope::Result, owners};

/// Number of installs of an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallStats {
    /// All installs.
    pub total: i64,
    /// Installs that are switched on, included in `total`.
    pub active: i64,
    /// Installs by version id.
    pub by_version: BTreeMap<Uuid, i64>,
}

pub static DEVELOPER_API_INSTALL_STATS: Operation<Developer> =
    Operation::developer("developerApiInstallStats", AccountPermission::ExtensionDevRead, Grants::Nothing)
        .in_team(&[TeamPermission::TeamExtensionsAnalytics]);

/// Counts the installs of an extension.
///
/// The counts are totals by state and by version. Nothing about single accounts is returned.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 403 when the person has no developer profile and no team, and for a member of the extension's team
///   without the permission.
/// - 404 when the developer has no such extension.
/// - 429 above 120 GET requests of the person in a minute.
#[api_core::operation]
pub async fn developer_api_install_stats(cx: &Cx, id: Input<Uuid>) -> Result<InstallStats> {
    let developer = cx.authorize(&DEVELOPER_API_INSTALL_STATS).await?;
    Rate::Get.count(cx, &developer).await?;
    let mut connection = developer.db().await?;
    let id = id?;
    let owner = owners::required(&mut connection, &DEVELOPER_API_INSTALL_STATS, developer.user, id).await?;
    let extension = db::find(&mut connection, &owner, id).await?;
    let mut stats = InstallStats::default();
    for (version, total, active) in db::installs_by_version(&mut connection, extension.id).await? {
        stats.total += total;
        stats.active += active;
        stats.by_version.insert(version, total);
    }
    Ok(stats)
}
