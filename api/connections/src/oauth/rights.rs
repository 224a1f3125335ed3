//! Rights at the exchange (reference/connections.md#rights-at-the-exchange). Within ten minutes a right, a
//! key, an account or a platform may have been lost.

use account_model::limits::effective_limits;
use api_core::{
    ApiError, Code, Cx, Result,
    access::{Visitor, account_features, global_features, member_access, service_key_rights, user_access},
};
use diesel_async::AsyncPgConnection;
use shared::{
    catalogue::{AccountPermission, AdminPermission, Feature},
    connection::ConnectionKind,
    id::{AccountId, UserId},
};

use super::{OauthKind, pending::Pending};

/// Repeats the checks of the beginning.
pub(super) async fn check(cx: &Cx, visitor: &Visitor, pending: &Pending) -> Result<()> {
    check_features(cx, pending).await?;
    check_permission(cx, visitor, pending).await?;
    match (pending.kind, pending.account()) {
        (OauthKind::AccountBot, Some(account)) => check_own_bot(&mut *visitor.db().await?, account).await,
        _ => Ok(()),
    }
}

/// Refuses an account that may have no bot of its own.
pub(crate) async fn check_own_bot(connection: &mut AsyncPgConnection, account: AccountId) -> Result<()> {
    let limits = effective_limits(connection, account).await?;
    if limits.is_some_and(|limits| limits.custom_bot_allowed) {
        return Ok(());
    }
    Err(ApiError::new(Code::PlanLimitReached, "Custom bot is not allowed for this account"))
}

async fn check_features(cx: &Cx, pending: &Pending) -> Result<()> {
    let purpose = purpose(pending);
    let features = match pending.account() {
        Some(account) => account_features(cx.state(), account).await?,
        None => global_features(cx.state()).await?,
    };
    let slug = pending.platform.slug();
    if !features.platform_allows(slug, purpose.as_str()) {
        return Err(disabled(&format!("platform:{slug}:{purpose}")));
    }
    if pending.account_id.is_some() && purpose == ConnectionKind::Bot && !features.has(Feature::Bots) {
        return Err(disabled(Feature::Bots.key()));
    }
    Ok(())
}

/// Checks the present permissions of the person or key that began: a person by the role, a service key, which
/// may be revoked, by its scopes.
async fn check_permission(cx: &Cx, visitor: &Visitor, pending: &Pending) -> Result<()> {
    let state = cx.state();
    let needed = match purpose(pending) {
        ConnectionKind::Channel => AccountPermission::ConnectionsCreate,
        ConnectionKind::Bot => AccountPermission::BotConnectionsCreate,
    };
    let began = (pending.account(), pending.user_id.map(UserId), pending.service_key_id);
    let (holds, needed) = match began {
        (None, Some(user), _) => {
            let held = user_access(state, user).await?.admin;
            let needed = AdminPermission::BotConnectionsCreate;
            (held.contains(needed), needed.text())
        }
        (Some(account), Some(user), _) => {
            let member = member_access(state, account, user).await?;
            (member.is_some_and(|member| member.permissions.contains(needed)), needed.text())
        }
        (Some(account), None, Some(key)) => {
            let now = state.clock.now();
            let rights = service_key_rights(&mut *visitor.db().await?, account, key, now).await?;
            (rights.is_some_and(|rights| rights.permissions.contains(needed)), needed.text())
        }
        (_, None, _) => return Err(ApiError::internal("an authorization without a caller")),
    };
    if holds { Ok(()) } else { Err(ApiError::forbidden(format!("Missing permission: {needed}"))) }
}

const fn purpose(pending: &Pending) -> ConnectionKind {
    match pending.kind {
        OauthKind::Channel => ConnectionKind::Channel,
        OauthKind::AccountBot | OauthKind::GlobalBot | OauthKind::DiscordGuild => ConnectionKind::Bot,
    }
}

fn disabled(key: &str) -> ApiError {
    ApiError::new(Code::FeatureDisabled, format!("Feature is disabled: {key}"))
}
