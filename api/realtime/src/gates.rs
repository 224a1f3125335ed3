//! Gates of the channels (reference/realtime.md#gates). The permission is checked before the feature.

mod of_surfaces;

use api_core::token::TokenKind;
use api_core::{
    ApiError, Code, Cx,
    access::{Principal, SystemReason, account_features, member_access},
};
use extension_calls::Installed;
use foundation::events::Channel;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use uuid::Uuid;

pub use of_surfaces::{check_publish, place};

use crate::{
    hub::Hub,
    protocol::{ErrorCode, UnsubscribeReason},
};

/// Decision of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// The caller may listen.
    Open,
    /// The caller has no permission, or the channel is not of its account.
    Unauthorized,
    /// The feature of the channel is off for the account.
    FeatureDisabled,
    /// The account or install of the channel no longer exists.
    Deleted,
}

impl Gate {
    /// Error of a refused subscription; `None` when the gate is open.
    pub const fn refusal(self) -> Option<(ErrorCode, &'static str)> {
        match self {
            Self::Open => None,
            Self::Unauthorized | Self::Deleted => {
                Some((ErrorCode::Unauthorized, "Not allowed to listen to this channel"))
            }
            Self::FeatureDisabled => {
                Some((ErrorCode::FeatureDisabled, "The feature of this channel is disabled"))
            }
        }
    }

    /// Reason why an existing subscription ends; `None` when the gate is open.
    pub const fn reason(self) -> Option<UnsubscribeReason> {
        match self {
            Self::Open => None,
            Self::Unauthorized => Some(UnsubscribeReason::PermissionRevoked),
            Self::FeatureDisabled => Some(UnsubscribeReason::FeatureDisabled),
            Self::Deleted => Some(UnsubscribeReason::ResourceDeleted),
        }
    }
}

/// Checks the gate of a channel.
///
/// # Errors
/// An error when rights cannot be read.
pub async fn check(hub: &Hub, cx: &Cx, channel: Channel) -> Result<Gate, ApiError> {
    // The installs of an account end with it.
    let is_of_ended_account = matches!(channel, Channel::ExtStorage(_))
        && cx.principal().account().is_some_and(|account| hub.has_ended(Channel::Account(account.uuid())));
    if is_of_ended_account || hub.has_ended(channel) {
        return Ok(Gate::Deleted);
    }
    let is_of_surface =
        matches!(channel, Channel::Overlay(_) | Channel::OverlayEditor(_) | Channel::Widget(_));
    if matches!(cx.principal(), Principal::SystemKey { .. }) {
        return Ok(if is_of_surface { Gate::Unauthorized } else { Gate::Open });
    }
    match channel {
        Channel::Events(account) => {
            permitted(cx, account, AccountPermission::EventsRead, Feature::Events).await
        }
        Channel::Chat(account) => {
            permitted(cx, account, AccountPermission::ChatRead, Feature::Multichat).await
        }
        Channel::ExtStorage(install) => of_install(cx, install).await,
        Channel::Extensions(account) => {
            permitted(cx, account, AccountPermission::ExtensionStoreRead, Feature::Extensions).await
        }
        Channel::Account(account) => belongs(cx, account).await,
        Channel::User(user) => Ok(is_session_of(cx, user)),
        Channel::Sounds(account) => sounds(cx, account).await,
        Channel::Spotify(account) => {
            permitted(cx, account, AccountPermission::SpotifyRead, Feature::Music).await
        }
        Channel::Obs(account) => permitted(cx, account, AccountPermission::ObsRead, Feature::ObsRemote).await,
        Channel::Automations(account) => {
            permitted(cx, account, AccountPermission::AutomationsRead, Feature::Automations).await
        }
        Channel::Overlay(_) | Channel::OverlayEditor(_) | Channel::Widget(_) => {
            of_surfaces::check(cx, channel).await
        }
    }
}

async fn permitted(
    cx: &Cx,
    account: Uuid,
    permission: AccountPermission,
    feature: Feature,
) -> Result<Gate, ApiError> {
    let is_own = cx.principal().account().map(AccountId::uuid) == Some(account);
    if !is_own || !cx.account_permissions().await?.contains(permission) {
        return Ok(Gate::Unauthorized);
    }
    has_feature(cx, feature).await
}

/// Gate of a feature alone.
async fn has_feature(cx: &Cx, feature: Feature) -> Result<Gate, ApiError> {
    match cx.check_feature(feature).await {
        Ok(()) => Ok(Gate::Open),
        Err(error) if error.code == Code::FeatureDisabled => Ok(Gate::FeatureDisabled),
        Err(error) => Err(error),
    }
}

/// Gate of an install: its extension token, or a caller with permission to read its data.
async fn of_install(cx: &Cx, install: Uuid) -> Result<Gate, ApiError> {
    let Some(account) = cx.principal().account() else { return Ok(Gate::Unauthorized) };
    let is_open = match cx.principal() {
        Principal::Surface { kind: TokenKind::Extension, subject, .. } => *subject == install.to_string(),
        Principal::Surface { .. } => false,
        _ => cx.account_permissions().await?.contains(AccountPermission::ExtensionDataRead),
    };
    if !is_open {
        return Ok(Gate::Unauthorized);
    }
    match Installed::find(&cx.state().system(SystemReason::Socket), account, install).await {
        Ok(_) => {}
        // The caller could listen to the install before: it has been uninstalled. Others get the same words.
        Err(error) if error.code == Code::NotFound => return Ok(Gate::Deleted),
        Err(error) => return Err(error),
    }
    let has_feature = account_features(cx.state(), account).await?.has(Feature::Extensions);
    Ok(if has_feature { Gate::Open } else { Gate::FeatureDisabled })
}

/// Gate of an account: any session or key of a member, or a key of the account.
async fn belongs(cx: &Cx, account: Uuid) -> Result<Gate, ApiError> {
    let is_member = match cx.principal() {
        Principal::ServiceKey { account: own, .. } => own.uuid() == account,
        Principal::Session { user, account: Some(active), .. } if active.uuid() == account => {
            member_access(cx.state(), *active, *user).await?.is_some()
        }
        Principal::PersonalKey { user, account: own, .. } if own.uuid() == account => {
            member_access(cx.state(), *own, *user).await?.is_some()
        }
        _ => false,
    };
    Ok(if is_member { Gate::Open } else { Gate::Unauthorized })
}

/// Gate of the sounds of an account: as [`belongs`], and popouts of its members.
async fn sounds(cx: &Cx, account: Uuid) -> Result<Gate, ApiError> {
    let is_popout = matches!(cx.principal(), Principal::Popout { account: own, .. } if own.uuid() == account);
    if !is_popout && belongs(cx, account).await? != Gate::Open {
        return Ok(Gate::Unauthorized);
    }
    has_feature(cx, Feature::Sounds).await
}

fn is_session_of(cx: &Cx, person: Uuid) -> Gate {
    match cx.principal() {
        Principal::Session { user, .. } if user.0 == person => Gate::Open,
        _ => Gate::Unauthorized,
    }
}
