//! Credentials that an explanation can be about, found within one account.

use shared::id::{AccountId, UserId};
use uuid::Uuid;

use super::{AccessStepEffect, AccessStepKind, Explanation, Step};
use crate::{
    Result, State,
    access::{
        Cx, RequestInfo,
        databases::DatabaseAccess,
        permissions::member_access,
        principal::Principal,
        resolve::principal,
        rule::Rule,
        stored_credentials::{load_by_id, load_service_key},
    },
    token::TokenKind,
};

/// Credential of an account as a call would present it.
pub struct Subject {
    cx: Cx,
    /// Kind of a key that has expired: its calls count as calls without a credential.
    expired: Option<&'static str>,
}

impl Subject {
    /// The caller of a request.
    #[must_use]
    pub fn caller(cx: &Cx) -> Self {
        Self { cx: cx.clone(), expired: None }
    }

    fn of(state: &State, principal: Principal, expired: Option<&'static str>) -> Self {
        Self { cx: Cx::new(state.clone(), principal, RequestInfo::default()), expired }
    }

    /// Credential that calls are made with.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        self.cx.principal()
    }

    /// Explains the decision about a rule (see [`Cx::explain`]).
    ///
    /// # Errors
    /// `DATABASE_ERROR` when the database fails.
    pub async fn explain(&self, rule: &Rule, databases: &impl DatabaseAccess) -> Result<Explanation> {
        let mut explanation = self.cx.explain(rule, databases).await?;
        if let Some(kind) = self.expired {
            let detail = "The key has expired: its calls count as calls without a credential.";
            let step = Step::new(AccessStepKind::Credential, kind, AccessStepEffect::Denies, detail);
            explanation.steps.insert(0, step);
        }
        Ok(explanation)
    }
}

/// A member of the account, by session; `None` for a person who is none.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn member_subject(state: &State, account: AccountId, user: Uuid) -> Result<Option<Subject>> {
    let user = UserId(user);
    let member = member_access(state, account, user).await?;
    // No session of the person is used: the rules distinguish kinds of credentials only.
    let principal = Principal::Session { user, session: Uuid::nil(), account: Some(account) };
    Ok(member.map(|_| Subject::of(state, principal, None)))
}

/// A service or personal key of the account; `None` for one that does not exist or belongs to another account.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn key_subject(state: &State, account: AccountId, key: Uuid) -> Result<Option<Subject>> {
    let found = match load_by_id(state, TokenKind::User, key).await? {
        Some(personal) => Some(personal),
        None => load_service_key(state, key).await?,
    };
    let Some(credential) = found.filter(|credential| credential.account == Some(account)) else {
        return Ok(None);
    };
    let valid = principal(&credential, false);
    if credential.is_expired(state.clock.now()) {
        return Ok(Some(Subject::of(state, Principal::Anonymous { refused: false }, Some(valid.kind()))));
    }
    Ok(Some(Subject::of(state, valid, None)))
}
