//! Check at the beginning of every operation (reference/permissions.md#check-order).

use shared::{
    catalogue::Feature,
    id::{AccountId, UserId},
};

use super::{
    Cx,
    account_creation::account_creation,
    callers::{Caller, Checked},
    features::{account_features, global_features},
    operation::Operation,
    principal::Principal,
    rights::{AccountScopes, missing},
    rule::{Needs, Rule, Who},
};
use crate::{ApiError, Code, Result};

impl Cx {
    /// Checks an operation's rule in a fixed order: credential, kind of credential, permission, feature
    /// (reference/permissions.md#check-order). It begins the protocol of an `Idempotency-Key` after them
    /// (reference/conventions.md#idempotency).
    ///
    /// # Errors
    /// 401 without a valid credential. 403 for the wrong kind, a missing permission, or a feature that is
    /// off. With an `Idempotency-Key` 400, 409 or 429.
    pub async fn authorize<C: Caller>(&self, operation: &'static Operation<C>) -> Result<C> {
        let rule = operation.declared();
        self.check_credential(rule)?;
        let held = self.check_permission(rule).await?;
        match rule.feature {
            // Only a member of the account and a key of it hold permissions there.
            Some(feature) if held.is_some() && feature != Feature::AccountCreation => {
                self.require_feature(self.principal().account(), feature).await?;
            }
            Some(feature) => self.check_feature(feature).await?,
            None => {}
        }
        let caller = C::of(self, Checked::rule(rule, held)).await?;
        // The input names the team: `TeamCaller::member_of` checks the membership before the key.
        if !rule.needs.is_in_team() {
            self.begin_idempotent(rule).await?;
        }
        Ok(caller)
    }

    /// Checks the kind of credential.
    pub(super) fn check_credential(&self, rule: &Rule) -> Result<()> {
        match (self.principal(), rule.who) {
            // If a permission is needed, an invalid credential differs from a missing one.
            (Principal::Anonymous { refused: true }, _) if !matches!(rule.needs, Needs::Nothing) => {
                Err(self.unauthorized())
            }
            (principal, who) if principal.is_admitted(who) => Ok(()),
            (Principal::Anonymous { .. }, _) => Err(self.unauthorized()),
            (_, Who::FirstParty | Who::Session) => Err(ApiError::forbidden("First-party session required")),
            (_, Who::PersonalKey) => Err(ApiError::forbidden("Personal API key required")),
            (_, Who::PopoutSession) => Err(ApiError::forbidden("Popout session required")),
            (_, Who::ExtensionToken) => Err(ApiError::forbidden("Extension token required")),
            (_, Who::SystemKey) => Err(ApiError::forbidden("System key required")),
            (_, Who::Anyone | Who::Everybody | Who::AnyCredential) => {
                Err(ApiError::forbidden("This token cannot call the API"))
            }
        }
    }

    /// Checks the permission. Returns what the caller holds in the account, where the rule needs a permission there.
    pub(super) async fn check_permission(&self, rule: &Rule) -> Result<Option<AccountScopes>> {
        if rule.or_own && !rule.needs.is_in_team() && self.active_account().await?.is_some() {
            return Ok(None);
        }
        let held = match rule.needs {
            // The input names the team: `TeamCaller::member_of` checks the membership.
            Needs::Nothing | Needs::Team(_) | Needs::TeamOwnership => true,
            Needs::Account(_) | Needs::AnyAccount(_) => {
                let held = self.account_permissions().await?;
                if rule.needs.of_account().iter().any(|permission| held.contains(*permission)) {
                    return Ok(Some(held));
                }
                false
            }
            Needs::Admin(permission) => self.admin_permissions().await?.contains(permission),
            Needs::AnyAdmin(any) => {
                let held = self.admin_permissions().await?;
                any.iter().any(|permission| held.contains(*permission))
            }
            Needs::User(permission) => self.user_permissions().await?.contains(permission),
            Needs::UserOrAdmin(any) => self.holds_as_user_or_admin(any).await?,
        };
        if held { Ok(None) } else { Err(missing(&rule.needs.text().unwrap_or_default())) }
    }

    /// Checks that a feature is on: for the caller's account, and account creation for the person.
    ///
    /// # Errors
    /// 403 `FEATURE_DISABLED`, and for account creation its own error (reference/errors.md#account-creation).
    pub async fn check_feature(&self, feature: Feature) -> Result<()> {
        if let (Feature::AccountCreation, Some(user)) = (feature, self.principal().user()) {
            return self.check_account_creation(user).await;
        }
        self.require_feature(self.active_account().await?, feature).await
    }

    async fn require_feature(&self, account: Option<AccountId>, feature: Feature) -> Result<()> {
        let features = match account {
            Some(account) => account_features(self.state(), account).await?,
            None => global_features(self.state()).await?,
        };
        features.require(feature.key())
    }

    async fn check_account_creation(&self, user: UserId) -> Result<()> {
        if account_creation(self.state(), user).await?.enabled {
            return Ok(());
        }
        Err(ApiError::new(Code::AccountCreationDisabled, "Account creation is currently disabled"))
    }
}
