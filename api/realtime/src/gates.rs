//! Who may listen to which channel (specification A §6, C §2.3, §11.5). The permission is looked at before the
//! feature.

use api_core::{
    ApiError, Code, Cx,
    access::{Principal, account_features, member_access},
    extension_data::Installed,
};
use shared::{
    catalogue::{AccountPermission, Feature},
    events::Channel,
    id::AccountId,
    token::TokenKind,
};
use uuid::Uuid;

use crate::{
    hub::Hub,
    protocol::{ErrorCode, UnsubscribeReason},
};

/// What a gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    Open,
    Unauthorized,
    FeatureDisabled,
    /// What the channel is of is no more.
    Deleted,
}

impl Gate {
    /// How a refused subscription is answered.
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

    /// Why a subscription that stood is ended.
    pub const fn reason(self) -> Option<UnsubscribeReason> {
        match self {
            Self::Open => None,
            Self::Unauthorized => Some(UnsubscribeReason::PermissionRevoked),
            Self::FeatureDisabled => Some(UnsubscribeReason::FeatureDisabled),
            Self::Deleted => Some(UnsubscribeReason::ResourceDeleted),
        }
    }
}

/// Asks the gate of a channel.
///
/// # Errors
/// When rights cannot be looked up.
pub async fn check(hub: &Hub, cx: &Cx, channel: Channel) -> Result<Gate, ApiError> {
    // The installs of an account that ended went with it.
    let is_of_ended_account = matches!(channel, Channel::ExtStorage(_))
        && cx.principal().account().is_some_and(|account| hub.has_ended(Channel::Account(account.0)));
    if is_of_ended_account || hub.has_ended(channel) {
        return Ok(Gate::Deleted);
    }
    // None of these channels is an overlay's, which system keys may not listen to.
    if matches!(cx.principal(), Principal::SystemKey { .. }) {
        return Ok(Gate::Open);
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
        Channel::Account(account) => belongs(cx, AccountId(account)).await,
        Channel::User(user) => Ok(is_session_of(cx, user)),
    }
}

async fn permitted(
    cx: &Cx,
    account: Uuid,
    permission: AccountPermission,
    feature: Feature,
) -> Result<Gate, ApiError> {
    let is_own = cx.principal().account() == Some(AccountId(account));
    if !is_own || !cx.account_permissions().await?.contains(permission) {
        return Ok(Gate::Unauthorized);
    }
    match cx.check_feature(feature).await {
        Ok(()) => Ok(Gate::Open),
        Err(error) if error.code == Code::FeatureDisabled => Ok(Gate::FeatureDisabled),
        Err(error) => Err(error),
    }
}

/// The token of the install's pages, or whoever may read its data (C §11.5).
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
    match Installed::find(cx.state(), account, install).await {
        Ok(_) => {}
        // Of one that the caller could listen to: it has been uninstalled. Others are refused in the same words.
        Err(error) if error.code == Code::NotFound => return Ok(Gate::Deleted),
        Err(error) => return Err(error),
    }
    let has_feature = account_features(cx.state(), account).await?.has(Feature::Extensions);
    Ok(if has_feature { Gate::Open } else { Gate::FeatureDisabled })
}

/// Any session or key of a member, or a key of the account.
async fn belongs(cx: &Cx, account: AccountId) -> Result<Gate, ApiError> {
    let is_member = match cx.principal() {
        Principal::ServiceKey { account: own, .. } => *own == account,
        Principal::Session { user, account: Some(active), .. } if *active == account => {
            member_access(cx.state(), account, *user).await?.is_some()
        }
        Principal::PersonalKey { user, account: own, .. } if *own == account => {
            member_access(cx.state(), account, *user).await?.is_some()
        }
        _ => false,
    };
    Ok(if is_member { Gate::Open } else { Gate::Unauthorized })
}

fn is_session_of(cx: &Cx, person: Uuid) -> Gate {
    match cx.principal() {
        Principal::Session { user, .. } if user.0 == person => Gate::Open,
        _ => Gate::Unauthorized,
    }
}
