//! Explanation of a decision (reference/permissions.md#explanations): the checks of [`Cx::authorize`], run for a
//! credential, with the sources of the rights that they read. The checks decide; the sources are described.

mod account;
mod features;
mod outside;
mod subject;

use juniper::GraphQLEnum;
use serde::Serialize;
use shared::catalogue::Feature;
use utoipa::ToSchema;

use self::AccessStepEffect::{Denies, Grants, Neutral};
use super::{
    Cx,
    databases::DatabaseAccess,
    principal::Principal,
    rule::{Needs, Rule, Who},
};
use crate::{ApiError, Code, Result};

pub use subject::{Subject, key_subject, member_subject};

/// Decision about an operation for one credential.
#[derive(Debug)]
pub struct Explanation {
    /// Refusal that a call gets; `None` when the rule admits it.
    pub refusal: Option<ApiError>,
    /// Steps in the order of the checks. The last check that was reached decides.
    pub steps: Vec<Step>,
}

/// One step on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Subject of the step.
    pub kind: AccessStepKind,
    /// Name of the kind of credential, role, permission, plan or flag.
    pub name: String,
    /// Effect on the decision.
    pub effect: AccessStepEffect,
    /// Explanation for people.
    pub detail: String,
}

/// Subject of a step. Checks are `credential`, `permission` and `feature`; the others are sources of what the next
/// check reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessStepKind {
    /// Check of the kind of credential.
    Credential,
    /// Membership of the person in the account.
    Membership,
    /// Role of the member.
    Role,
    /// Permission override of the account.
    Override,
    /// Scopes of a key or popout.
    Scopes,
    /// Rights of the member who made a popout.
    Maker,
    /// Role of operator staff.
    AdminRole,
    /// Platform-wide role of the person.
    UserRole,
    /// Permission override of the person.
    UserOverride,
    /// Check of the permission.
    Permission,
    /// Global switch of a feature flag.
    Switch,
    /// Plan of the account.
    Plan,
    /// Override of a feature flag for the account.
    FeatureOverride,
    /// Check of the feature flag.
    Feature,
    /// Part that the operation decides by its input.
    Input,
}

/// Effect of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AccessStepEffect {
    /// It admits the call, as far as it goes.
    Grants,
    /// It refuses the call, unless a later source of the same check grants.
    Denies,
    /// It decides nothing by itself.
    Neutral,
}

impl Step {
    fn new(
        kind: AccessStepKind,
        name: impl Into<String>,
        effect: AccessStepEffect,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, name: name.into(), effect, detail: detail.into() }
    }

    /// Step of a source that holds something or does not.
    fn held(kind: AccessStepKind, name: impl Into<String>, is_held: bool, detail: impl Into<String>) -> Self {
        Self::new(kind, name, if is_held { Grants } else { Denies }, detail)
    }
}

impl Cx {
    /// Explains the decision about a rule for the caller of this context: runs the checks in their order, up to the first
    /// refusal. `databases` opens the sources, which are read past the caches.
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn explain(&self, rule: &Rule, databases: &impl DatabaseAccess) -> Result<Explanation> {
        let refusal = refusal_of(self.check_credential(rule))?;
        let mut steps = vec![credential(self.principal(), rule, refusal.as_ref())];
        if refusal.is_some() {
            return Ok(Explanation { refusal, steps });
        }
        let refusal = refusal_of(self.check_permission(rule).await)?;
        self.explain_rights(rule, databases, &mut steps).await?;
        steps.push(permission(rule, refusal.as_ref()));
        if refusal.is_some() {
            return Ok(Explanation { refusal, steps });
        }
        let mut refusal = None;
        if let Some(feature) = rule.feature {
            refusal = refusal_of(self.check_feature(feature).await)?;
            steps.extend(features::layers(self, feature, databases).await?);
            let detail = refusal.as_ref().map_or_else(
                || format!("The operation needs {}, which is on.", feature.key()),
                |refusal| refusal.message.clone(),
            );
            steps.push(Step::held(AccessStepKind::Feature, feature.key(), refusal.is_none(), detail));
        }
        if refusal.is_none() {
            steps.extend(input(rule));
        }
        Ok(Explanation { refusal, steps })
    }

    async fn explain_rights(
        &self,
        rule: &Rule,
        databases: &impl DatabaseAccess,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        match rule.needs {
            Needs::Nothing | Needs::Team(_) | Needs::TeamOwnership => {}
            Needs::Account(_) | Needs::AnyAccount(_) => {
                steps.extend(account::sources(self.principal(), rule.needs.of_account(), databases).await?);
            }
            Needs::Admin(permission) => {
                steps.extend(outside::staff(self.principal(), &[permission], databases).await?);
            }
            Needs::AnyAdmin(any) => {
                steps.extend(outside::staff(self.principal(), any, databases).await?);
            }
            Needs::User(permission) => {
                steps.extend(outside::platform_wide(self.principal(), &[permission], databases).await?);
            }
            Needs::UserOrAdmin(any) => {
                steps.extend(outside::platform_wide(self.principal(), any, databases).await?);
                steps.extend(outside::staff(self.principal(), &outside::same(any), databases).await?);
            }
        }
        Ok(())
    }
}

impl Rule {
    /// True when the decision for a credential depends on rights that its person has outside of the account.
    #[must_use]
    pub fn reads_person(&self, principal: &Principal) -> bool {
        let is_session = matches!(principal, Principal::Session { .. });
        let is_first_party = is_session || matches!(principal, Principal::PersonalKey { .. });
        let of_needs = match self.needs {
            Needs::Admin(_) | Needs::AnyAdmin(_) => is_session,
            Needs::User(_) | Needs::UserOrAdmin(_) => is_first_party,
            Needs::Nothing
            | Needs::Account(_)
            | Needs::AnyAccount(_)
            | Needs::Team(_)
            | Needs::TeamOwnership => false,
        };
        of_needs || (self.feature == Some(Feature::AccountCreation) && principal.user().is_some())
    }
}

/// Refusal of a check; an error that is none, such as a failure of the database, stays an error.
fn refusal_of<T>(checked: Result<T>) -> Result<Option<ApiError>> {
    match checked {
        Ok(_) => Ok(None),
        Err(refusal)
            if matches!(
                refusal.code,
                Code::Unauthorized | Code::Forbidden | Code::FeatureDisabled | Code::AccountCreationDisabled
            ) =>
        {
            Ok(Some(refusal))
        }
        Err(error) => Err(error),
    }
}

fn credential(principal: &Principal, rule: &Rule, refusal: Option<&ApiError>) -> Step {
    let admitted = match rule.who {
        Who::Everybody => "The operation is open to callers with and without a credential.",
        Who::AnyCredential => "The operation takes any credential.",
        Who::Anyone => "The operation admits sessions, personal keys, service keys and popouts.",
        Who::FirstParty => "The operation admits sessions and personal keys.",
        Who::Session => "The operation admits sessions.",
        Who::PersonalKey => "The operation admits personal keys.",
        Who::PopoutSession => "The operation admits the sessions of popouts.",
        Who::ExtensionToken => "The operation admits extension tokens.",
        Who::SystemKey => "The operation admits system keys.",
    };
    let detail = match refusal {
        Some(refusal) => format!("{}. {admitted}", refusal.message),
        None => admitted.to_owned(),
    };
    Step::held(AccessStepKind::Credential, principal.kind(), refusal.is_none(), detail)
}

fn permission(rule: &Rule, refusal: Option<&ApiError>) -> Step {
    let kind = AccessStepKind::Permission;
    if let Some(refusal) = refusal {
        return Step::new(kind, rule.needs.text().unwrap_or_default(), Denies, refusal.message.clone());
    }
    match rule.needs.text().filter(|_| !rule.needs.is_in_team()) {
        None => Step::new(kind, "none", Neutral, "The operation needs no permission in an account."),
        Some(needed) if rule.or_own => {
            let detail = "Members may do this with what is their own; with what is another member's they need \
                          the permission.";
            Step::new(kind, needed, Grants, detail)
        }
        Some(needed) => Step::new(kind, needed, Grants, "The credential has what the operation needs."),
    }
}

/// Parts of the decision that the operation makes by its input.
fn input(rule: &Rule) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut note =
        |name: String, detail: &str| steps.push(Step::new(AccessStepKind::Input, name, Neutral, detail));
    match rule.needs {
        Needs::Team(permission) => {
            note(permission.text().to_owned(), "Membership and role in the team that the call names decide.");
        }
        Needs::TeamOwnership => {
            note("owner".to_owned(), "Ownership of the team that the call names decides.")
        }
        Needs::AnyAccount(_) | Needs::AnyAdmin(_) | Needs::UserOrAdmin(_) => {
            let any = rule.needs.text().unwrap_or_default();
            note(any, "The input decides which of the permissions the call needs.");
        }
        _ => {}
    }
    if let Some(any) = rule.in_team_text() {
        note(
            any,
            "Where the object belongs to a team, its members need one of these permissions in the team.",
        );
    }
    steps
}
