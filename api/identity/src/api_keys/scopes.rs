//! Scopes that a key may carry (reference/credentials.md#key-scopes).

use api_core::{
    ApiError, Cx, Result,
    access::{AccountScopes, UserScopes},
};
use shared::catalogue::{
    AccountPermission, Permission, PermissionSet, UserPermission, key_denied, key_user_permissions,
};

use super::{ApiKeyKind, ApiKeyPermission};

/// Scopes of a key, as they were requested.
#[derive(Debug, Clone)]
pub struct Scopes {
    texts: Vec<String>,
    account: AccountScopes,
    user: UserScopes,
    /// True when `*` or `*:*` was requested. No caller holds it.
    bare_wildcard: bool,
}

impl Scopes {
    /// Parses the scopes of a key to create. Repeated ones count once.
    ///
    /// # Errors
    /// 400 `Invalid permission: {perm}` for a scope that is unknown or denied to keys; 400 for more scopes
    /// than the kind has.
    pub fn parse(kind: ApiKeyKind, asked: &[String]) -> Result<Self> {
        let max = AccountPermission::ALL.len() + user_permissions(kind).len();
        if asked.len() > max {
            return Err(ApiError::invalid(format!("permissions must hold at most {max} scopes")));
        }
        let mut scopes = Self {
            texts: Vec::new(),
            account: PermissionSet::empty(),
            user: PermissionSet::empty(),
            bare_wildcard: false,
        };
        for text in asked {
            scopes.add(kind, text).ok_or_else(|| ApiError::invalid(format!("Invalid permission: {text}")))?;
        }
        scopes.texts.sort_unstable();
        scopes.texts.dedup();
        Ok(scopes)
    }

    /// Length of the longest text that [`Scopes::parse`] accepts.
    #[must_use]
    pub fn max_length() -> usize {
        AccountPermission::max_length().max(UserPermission::max_length())
    }

    fn add(&mut self, kind: ApiKeyKind, text: &str) -> Option<()> {
        self.texts.push(text.to_owned());
        if matches!(text, "*" | "*:*") {
            self.bare_wildcard = true;
            return Some(());
        }
        if let Some(resource) = text.strip_suffix(":*") {
            return self.add_resource(kind, resource);
        }
        if let Some(permission) = AccountPermission::parse(text).filter(|permission| !key_denied(*permission))
        {
            self.account.insert(permission);
            return Some(());
        }
        let permission = UserPermission::parse(text).filter(|p| user_permissions(kind).contains(*p))?;
        self.user.insert(permission);
        Some(())
    }

    /// Adds every permission of the resource of `resource:*`. `None` when one of them is denied to keys or
    /// there is none.
    fn add_resource(&mut self, kind: ApiKeyKind, resource: &str) -> Option<()> {
        let account = of_resource::<AccountPermission>(resource);
        let user = of_resource::<UserPermission>(resource).intersection(&user_permissions(kind));
        if account.iter().any(key_denied) || (account.is_empty() && user.is_empty()) {
            return None;
        }
        account.iter().for_each(|permission| self.account.insert(permission));
        user.iter().for_each(|permission| self.user.insert(permission));
        Some(())
    }

    /// Checks that the caller holds every scope: a key cannot exceed its creator's present permissions.
    ///
    /// # Errors
    /// 403 that names the permission that the caller lacks.
    pub async fn within_callers(&self, cx: &Cx) -> Result<()> {
        let account = cx.account_permissions().await?;
        let user = if self.user.is_empty() { UserScopes::empty() } else { cx.user_permissions().await? };
        self.lacking(&account, &user)
            .map_or(Ok(()), |lacking| Err(ApiError::forbidden(format!("Missing permission: {lacking}"))))
    }

    /// Refuses the wildcard for everything, which no caller holds.
    ///
    /// # Errors
    /// 403 that names the wildcard.
    pub fn refuse_bare_wildcard(&self) -> Result<()> {
        if self.bare_wildcard { Err(ApiError::forbidden("Missing permission: *")) } else { Ok(()) }
    }

    /// First scope that a holder of these permissions lacks.
    fn lacking(&self, account: &AccountScopes, user: &UserScopes) -> Option<&'static str> {
        let of_account = self.account.iter().find(|permission| !account.contains(*permission));
        let of_user = self.user.iter().find(|permission| !user.contains(*permission));
        of_account
            .map(Permission::as_str)
            .or(self.bare_wildcard.then_some("*"))
            .or(of_user.map(Permission::as_str))
    }

    /// Account permissions among the scopes.
    #[must_use]
    pub const fn account(&self) -> &AccountScopes {
        &self.account
    }

    /// Scopes as they are stored.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

/// Scopes that a kind of key may carry, in the order of the catalogue.
pub(super) fn assignable(kind: ApiKeyKind) -> Vec<ApiKeyPermission> {
    let account = AccountPermission::ALL.iter().copied().filter(|p| !key_denied(*p)).map(entry);
    account.chain(user_permissions(kind).iter().map(entry)).collect()
}

/// User-scope permissions that a kind of key may carry. Service keys have no person and carry none.
fn user_permissions(kind: ApiKeyKind) -> UserScopes {
    match kind {
        ApiKeyKind::Personal => key_user_permissions(),
        ApiKeyKind::Service => UserScopes::empty(),
    }
}

fn of_resource<P: Permission>(resource: &str) -> PermissionSet<P> {
    P::ALL.iter().copied().filter(|permission| permission.resource() == resource).collect()
}

fn entry<P: Permission>(permission: P) -> ApiKeyPermission {
    let (resource, action) = permission.as_str().split_once(':').unwrap_or((permission.as_str(), ""));
    ApiKeyPermission {
        key: permission.as_str().to_owned(),
        label: format!("{}: {}", words(resource), words(action).to_lowercase()),
        category: resource.to_owned(),
    }
}

fn words(text: &str) -> String {
    let spaced = text.replace(['-', '_'], " ");
    let mut characters = spaced.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: ApiKeyKind, scope: &str) -> Result<Scopes> {
        Scopes::parse(kind, &[scope.to_owned()])
    }

    #[test]
    fn scopes_are_the_catalogue_without_the_deny_list() {
        assert_eq!(assignable(ApiKeyKind::Service).len(), 123 - 4);
        assert_eq!(assignable(ApiKeyKind::Personal).len(), 123 - 4 + 10);
    }

    #[test]
    fn scopes_that_are_unknown_or_denied_are_refused() {
        for scope in [
            "",
            "chat",
            "chat:none",
            "apikeys:create",
            "apikeys:edit",
            "tokens:create",
            "account:delete",
            "apikeys:*",
            "nothing:*",
            "admin:access",
            "ideas:moderate_edit",
        ] {
            let error = parse(ApiKeyKind::Personal, scope).unwrap_err();
            assert_eq!(error, ApiError::invalid(format!("Invalid permission: {scope}")));
        }
        assert!(parse(ApiKeyKind::Service, "ideas:read").is_err());
        assert!(parse(ApiKeyKind::Personal, "ideas:read").is_ok());
        assert!(parse(ApiKeyKind::Service, "chat:*").is_ok());
    }
}
