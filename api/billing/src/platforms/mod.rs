//! The switches of platforms as operators turn them (specification C §7.1, §7.3).

pub mod graphql;
pub mod rest;
pub(crate) mod switches;

use api_core::{
    Cx, Input, Operation, Patch, Result,
    access::{Admin, AnyOperation, Grants},
};
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::catalogue::AdminPermission;
use utoipa::ToSchema;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_PLATFORMS, &ADMIN_UPDATE_PLATFORM];

/// A platform and its switches. A use counts only while the platform itself is enabled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AdminPlatform {
    pub platform: String,
    pub enabled: bool,
    /// Signing in with it; null where nobody can.
    pub login: Option<bool>,
    /// Connecting a channel; null where there are none.
    pub channel: Option<bool>,
    /// Running a bot; null where there are none.
    pub bot: Option<bool>,
}

/// Switches to turn; those that are absent stay.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct PlatformSwitchesInput {
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub login: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub channel: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub bot: Patch<bool>,
}

/// Every platform.
pub static ADMIN_PLATFORMS: Operation<Admin> =
    Operation::admin("adminPlatforms", AdminPermission::PlatformsRead, Grants::Nothing);

/// Lists every platform with its switches.
///
/// # Errors
/// As the rule.
pub async fn admin_platforms(cx: &Cx) -> Result<Vec<AdminPlatform>> {
    let admin = cx.authorize(&ADMIN_PLATFORMS).await?;
    switches::all(&mut *admin.db().await?).await
}

/// Turns switches of a platform.
pub static ADMIN_UPDATE_PLATFORM: Operation<Admin> =
    Operation::admin("adminUpdatePlatform", AdminPermission::PlatformsEdit, Grants::SignIn);

/// Turns switches of a platform. A platform that is off takes no new sign-in and no new connection; what is connected
/// keeps working.
///
/// # Errors
/// As the rule; 400 for an unknown platform, or a switch that the platform does not have.
pub async fn admin_update_platform(
    cx: &Cx,
    platform: Input<String>,
    input: Input<PlatformSwitchesInput>,
) -> Result<AdminPlatform> {
    let admin = cx.authorize(&ADMIN_UPDATE_PLATFORM).await?;
    let turn = switches::Turn::checked(&platform?, input?)?;
    switches::turn(cx, &mut *admin.db().await?, &turn).await
}
