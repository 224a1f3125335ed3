//! Sources of account permissions (reference/permissions.md#account-permissions).

use diesel_async::AsyncPgConnection;
use shared::{
    catalogue::AccountPermission,
    id::{AccountId, UserId},
};

use super::{
    AccessStepEffect::{Denies, Neutral},
    AccessStepKind, Step,
};
use crate::{
    Result,
    access::{
        databases::DatabaseAccess,
        permissions::{MemberSources, load_denials, member_sources},
        principal::Principal,
        rights::AccountScopes,
    },
};

/// Steps of the sources that give a credential each of the permissions, or withhold it.
pub(super) async fn sources(
    principal: &Principal,
    permissions: &[AccountPermission],
    databases: &impl DatabaseAccess,
) -> Result<Vec<Step>> {
    let Some(account) = principal.account() else {
        let detail = "The credential acts in no account.";
        return Ok(vec![Step::new(AccessStepKind::Membership, principal.kind(), Denies, detail)]);
    };
    let connection = &mut *databases.db().await?;
    if let Principal::ServiceKey { scopes, .. } = principal {
        let denied = load_denials(connection, account).await?;
        return Ok(permissions.iter().flat_map(|one| of_service_key(*one, scopes, &denied)).collect());
    }
    of_person(connection, principal, account, permissions).await
}

fn of_service_key(
    permission: AccountPermission,
    scopes: &AccountScopes,
    denied: &AccountScopes,
) -> Vec<Step> {
    let is_carried = scopes.contains(permission);
    let carries = if is_carried { "carries" } else { "does not carry" };
    let detail = format!("The service key {carries} {permission}.");
    let mut steps = vec![Step::held(AccessStepKind::Scopes, permission.text(), is_carried, detail)];
    if denied.contains(permission) {
        steps.push(Step::new(AccessStepKind::Override, permission.text(), Denies, denial(permission)));
    }
    steps
}

async fn of_person(
    connection: &mut AsyncPgConnection,
    principal: &Principal,
    account: AccountId,
    permissions: &[AccountPermission],
) -> Result<Vec<Step>> {
    let member = match principal.user() {
        Some(user) => member_sources(connection, account, user).await?,
        None => None,
    };
    let Some(member) = member else {
        let detail = "The person does not belong to the account that the credential names.";
        return Ok(vec![Step::new(AccessStepKind::Membership, principal.kind(), Denies, detail)]);
    };
    let maker = match other_maker(principal) {
        Some(maker) => Some(member_sources(connection, account, maker).await?),
        None => None,
    };
    let belongs = if member.is_owner { "The owner of the account" } else { "A member of the account" };
    let detail = format!("{belongs}, with the role {}.", member.role_slug);
    let mut steps = vec![Step::new(AccessStepKind::Membership, member.role_slug.as_str(), Neutral, detail)];
    for permission in permissions {
        steps.extend(of_member(*permission, &member));
        steps.extend(of_scopes(*permission, principal));
        steps.extend(maker.as_ref().map(|maker| of_maker(*permission, maker.as_ref())));
    }
    Ok(steps)
}

/// Maker of a popout that another member made.
fn other_maker(principal: &Principal) -> Option<UserId> {
    match principal {
        Principal::Popout { user, maker, .. } if maker != user => Some(*maker),
        _ => None,
    }
}

fn of_member(permission: AccountPermission, member: &MemberSources) -> Vec<Step> {
    let is_held = member.role.contains(permission);
    let holds = if is_held { "holds" } else { "does not hold" };
    let detail = format!("The role {} {holds} {permission}.", member.role_slug);
    let mut steps = vec![Step::held(AccessStepKind::Role, member.role_slug.as_str(), is_held, detail)];
    if let Some(is_granted) = member.override_of(permission) {
        let detail = if is_granted { grant(permission) } else { denial(permission) };
        steps.push(Step::held(AccessStepKind::Override, permission.text(), is_granted, detail));
    }
    steps
}

fn of_scopes(permission: AccountPermission, principal: &Principal) -> Option<Step> {
    let is_carried = principal.scopes()?.contains(permission);
    let (effect, carries) = if is_carried { (Neutral, "carries") } else { (Denies, "does not carry") };
    let detail = format!("The credential {carries} {permission}.");
    Some(Step::new(AccessStepKind::Scopes, permission.text(), effect, detail))
}

fn of_maker(permission: AccountPermission, maker: Option<&MemberSources>) -> Step {
    let is_held = maker.is_some_and(|maker| {
        maker.override_of(permission).unwrap_or_else(|| maker.role.contains(permission))
    });
    let (effect, holds) = if is_held { (Neutral, "holds") } else { (Denies, "does not hold") };
    let detail = format!("The member who made the popout {holds} {permission}.");
    Step::new(AccessStepKind::Maker, permission.text(), effect, detail)
}

fn grant(permission: AccountPermission) -> String {
    format!("An override grants {permission} to every member of the account.")
}

fn denial(permission: AccountPermission) -> String {
    format!("An override denies {permission} to everybody in the account.")
}
