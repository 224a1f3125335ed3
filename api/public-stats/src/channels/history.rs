//! Changes of a channel's profile, and its panels (reference/public-stats.md#profile-and-panels).

use std::sync::Arc;

use api_core::{
    Cx, Input, Operation, Result,
    access::{Grants, Visitor},
    page::{checked_limit, checked_offset},
};
use foundation::db::ReadPools;
use serde::Deserialize;
use shared::{catalogue::Feature, platform::Platform};
use utoipa::IntoParams;

use super::{
    ChannelPath, db,
    objects::{PublicPanel, PublicProfileChange},
};
use crate::{names, responses::answer};

/// Changes of a profile in a response without a limit.
pub(super) const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 200;

/// Part of the changes of a profile.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProfileHistoryQuery {
    /// 1 to 200; 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<i64>,
    /// 0 or more; 0 when absent.
    #[param(minimum = 0, maximum = 2_147_483_647)]
    pub offset: Option<i64>,
}

pub static PUBLIC_CHANNEL_PROFILE_HISTORY: Operation<Visitor> =
    Operation::public("publicChannelProfileHistory", Grants::Nothing).feature(Feature::PublicStats);

/// Lists the changes of a channel's profile, newest first.
///
/// `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for a platform without them, and for a limit or
/// offset out of bounds; 404 for a channel that is not known or has opted out.
#[api_core::operation]
pub async fn public_channel_profile_history(
    cx: &Cx,
    path: ChannelPath<'_>,
    query: Input<ProfileHistoryQuery>,
) -> Result<Arc<Vec<PublicProfileChange>>> {
    let visitor = cx.authorize(&PUBLIC_CHANNEL_PROFILE_HISTORY).await?;
    let query = query?;
    let limit = checked_limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let part = (limit, checked_offset(query.offset)?);
    let (platform, name) = path.checked()?;
    let query = format!("profile {platform} {name:?} {part:?}");
    let name = name.to_owned();
    answer(cx, &visitor, query, move |pools| profile_changes(pools, platform, name.clone(), part)).await
}

async fn profile_changes(
    pools: ReadPools<'_>,
    platform: Platform,
    name: String,
    part: (i64, i64),
) -> Result<Vec<PublicProfileChange>> {
    let mut connection = pools.postgres().await?;
    let reader = &mut connection.reader();
    let channel = names::channel(reader, platform, &name).await?;
    db::profile_changes(reader, platform, &channel.platform_channel_id, part).await
}

pub static PUBLIC_CHANNEL_PANEL_HISTORY: Operation<Visitor> =
    Operation::public("publicChannelPanelHistory", Grants::Nothing).feature(Feature::PublicStats);

/// Lists the panels of a channel: the active ones, then the removed ones.
///
/// At most 500 panels are returned. `If-None-Match` gets 304.
///
/// # Errors
/// 403 `FEATURE_DISABLED` when public statistics are off; 400 for a platform without them; 404 for a channel
/// that is not known or has opted out.
#[api_core::operation]
pub async fn public_channel_panel_history(cx: &Cx, path: ChannelPath<'_>) -> Result<Arc<Vec<PublicPanel>>> {
    let visitor = cx.authorize(&PUBLIC_CHANNEL_PANEL_HISTORY).await?;
    let (platform, name) = path.checked()?;
    let query = format!("panels {platform} {name:?}");
    let name = name.to_owned();
    answer(cx, &visitor, query, move |pools| panels(pools, platform, name.clone())).await
}

async fn panels(pools: ReadPools<'_>, platform: Platform, name: String) -> Result<Vec<PublicPanel>> {
    let mut connection = pools.postgres().await?;
    let reader = &mut connection.reader();
    let channel = names::channel(reader, platform, &name).await?;
    db::panels(reader, platform, &channel.platform_channel_id).await
}
