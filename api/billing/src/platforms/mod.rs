//! Switches of platforms, as staff sets them (reference/features.md#platform-switches).

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

/// A platform and its switches. A use is on only while the platform is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AdminPlatform {
    /// Slug of the platform.
    pub platform: String,
    /// Switch of the platform.
    pub enabled: bool,
    /// Switch of sign-in; null when the platform has none.
    pub login: Option<bool>,
    /// Switch of channel connections; null when the platform has none.
    pub channel: Option<bool>,
    /// Switch of bots; null when the platform has none.
    pub bot: Option<bool>,
}

/// Switches to set. Absent ones stay as they are.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct PlatformSwitchesInput {
    /// Switch of the platform.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
    /// Switch of sign-in.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub login: Patch<bool>,
    /// Switch of channel connections.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub channel: Patch<bool>,
    /// Switch of bots.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub bot: Patch<bool>,
}

pub static ADMIN_PLATFORMS: Operation<Admin> =
    Operation::admin("adminPlatforms", AdminPermission::PlatformsRead, Grants::Nothing);

/// Lists the platforms with their switches.
///
/// The list is in the order of the catalogue.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn admin_platforms(cx: &Cx) -> Result<Vec<AdminPlatform>> {
    let admin = cx.authorize(&ADMIN_PLATFORMS).await?;
    switches::all(&mut *admin.db().await?).await
}

pub static ADMIN_UPDATE_PLATFORM: Operation<Admin> =
    Operation::admin("adminUpdatePlatform", AdminPermission::PlatformsEdit, Grants::SignIn);

/// Sets switches of a platform.
///
/// Absent switches stay as they are. A use that is off takes no new sign-ins or connections; existing
/// connections keep working. The change takes effect in every process at once.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the platform is unknown, or does not have a switch that is set.
#[api_core::operation]
pub async fn admin_update_platform(
    cx: &Cx,
    platform: Input<String>,
    input: Input<PlatformSwitchesInput>,
) -> Result<AdminPlatform> {
    let admin = cx.authorize(&ADMIN_UPDATE_PLATFORM).await?;
    let change = switches::SwitchChange::checked(&platform?, input?)?;
    switches::set(cx, &mut *admin.db().await?, &change).await
}
