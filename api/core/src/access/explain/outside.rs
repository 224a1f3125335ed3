//! Sources of permissions outside of accounts (reference/permissions.md#platform-wide-permissions).

use shared::{
    catalogue::{AdminPermission, Permission, PermissionSet, UserPermission},
    id::UserId,
};

use super::{
    AccessStepEffect::{Denies, Neutral},
    AccessStepKind, Step,
};
use crate::{
    Result,
    access::{
        databases::DatabaseAccess,
        permissions::{admin_sources, user_sources},
        principal::Principal,
        rights::{AdminScopes, UserScopes},
    },
};

/// Admin permissions of the same texts.
pub(super) fn same(any: &[UserPermission]) -> Vec<AdminPermission> {
    any.iter().filter_map(|permission| AdminPermission::parse(permission.as_str())).collect()
}

/// Steps of the staff roles of a session's person.
pub(super) async fn staff(
    principal: &Principal,
    permissions: &[AdminPermission],
    databases: &impl DatabaseAccess,
) -> Result<Vec<Step>> {
    let Principal::Session { user, .. } = principal else {
        let detail = "Only sessions act as operator staff.";
        return Ok(vec![Step::new(AccessStepKind::AdminRole, principal.kind(), Denies, detail)]);
    };
    let roles = admin_sources(&mut *databases.db().await?, *user).await?;
    if roles.is_empty() {
        let detail = "The person has no role of operator staff.";
        return Ok(vec![Step::new(AccessStepKind::AdminRole, "none", Denies, detail)]);
    }
    let mut steps = Vec::new();
    for (name, texts) in &roles {
        let held: AdminScopes = PermissionSet::from_strings(texts);
        steps.extend(
            permissions.iter().map(|permission| of_role(AccessStepKind::AdminRole, name, &held, *permission)),
        );
    }
    Ok(steps)
}

/// Steps of the platform-wide roles and overrides of a person, and of the scopes of the key.
pub(super) async fn platform_wide(
    principal: &Principal,
    permissions: &[UserPermission],
    databases: &impl DatabaseAccess,
) -> Result<Vec<Step>> {
    match principal {
        Principal::Session { user, .. } => of_person(*user, None, permissions, databases).await,
        Principal::PersonalKey { user, user_scopes, .. } => {
            of_person(*user, Some(user_scopes), permissions, databases).await
        }
        other => {
            let detail = "Only sessions and personal keys have platform-wide permissions.";
            Ok(vec![Step::new(AccessStepKind::UserRole, other.kind(), Denies, detail)])
        }
    }
}

async fn of_person(
    user: UserId,
    scopes: Option<&UserScopes>,
    permissions: &[UserPermission],
    databases: &impl DatabaseAccess,
) -> Result<Vec<Step>> {
    let sources = user_sources(&mut *databases.db().await?, user).await?;
    let mut steps = Vec::new();
    for permission in permissions {
        for (slug, texts) in &sources.roles {
            let held: UserScopes = PermissionSet::from_strings(texts);
            steps.push(of_role(AccessStepKind::UserRole, slug, &held, *permission));
        }
        if let Some(is_granted) = sources.override_of(*permission) {
            let does = if is_granted { "grants" } else { "denies" };
            let detail = format!("An override {does} {permission} to the person.");
            steps.push(Step::held(AccessStepKind::UserOverride, permission.text(), is_granted, detail));
        }
        if let Some(scopes) = scopes {
            let is_carried = scopes.contains(*permission);
            let (effect, carries) =
                if is_carried { (Neutral, "carries") } else { (Denies, "does not carry") };
            let detail = format!("The credential {carries} {permission}.");
            steps.push(Step::new(AccessStepKind::Scopes, permission.text(), effect, detail));
        }
    }
    Ok(steps)
}

fn of_role<P: Permission + std::fmt::Display>(
    kind: AccessStepKind,
    role: &str,
    held: &PermissionSet<P>,
    permission: P,
) -> Step {
    let is_held = held.contains(permission);
    let holds = if is_held { "holds" } else { "does not hold" };
    Step::held(kind, role, is_held, format!("The role {role} {holds} {permission}."))
}
