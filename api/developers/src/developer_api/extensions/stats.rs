//! How many accounts use an extension (specification B §2.1): totals only, nothing about any account.

use std::collections::BTreeMap;

use api_core::{
    Cx, Input, Operation,
    access::{Developer, Grants},
};
use serde::Serialize;
use shared::catalogue::AccountPermission;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Rate, db};
use crate::{envelope::Result, profile};

/// Installs of an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallStats {
    pub total: i64,
    /// Of `total`, those that are switched on.
    pub active: i64,
    /// Installs by version id.
    pub by_version: BTreeMap<Uuid, i64>,
}

/// The installs of an extension.
pub static DEVELOPER_API_INSTALL_STATS: Operation<Developer> =
    Operation::developer("developerApiInstallStats", AccountPermission::ExtensionDevRead, Grants::Nothing);

/// Counts the installs of an extension.
///
/// # Errors
/// As the rule; 404 when the developer has no such extension.
pub async fn developer_api_install_stats(cx: &Cx, id: Input<Uuid>) -> Result<InstallStats> {
    let developer = cx.authorize(&DEVELOPER_API_INSTALL_STATS).await?;
    Rate::Get.count(cx, &developer).await?;
    let mut connection = developer.db().await?;
    let profile = profile::required(&mut connection, developer.user).await?;
    let extension = db::find(&mut connection, profile.id, id?).await?;
    let mut stats = InstallStats::default();
    for (version, total, active) in db::installs_by_version(&mut connection, extension.id).await? {
        stats.total += total;
        stats.active += active;
        stats.by_version.insert(version, total);
    }
    Ok(stats)
}
