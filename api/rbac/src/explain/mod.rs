//! Explanations of decisions about access (reference/permissions.md#explanations).

pub mod graphql;
mod names;
pub mod rest;
mod subject;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{
        AccessStepEffect, AccessStepKind, AccountCaller, AnyOperation, Explanation, Grants, KnownOperations,
        Rule, Step,
    },
};
use juniper::GraphQLObject;
use serde::{Deserialize, Serialize};
use shared::catalogue::AccountPermission;
use utoipa::{IntoParams, ToSchema};

use subject::NamedSubject;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&EXPLAIN_ACCESS];

/// Operation and subject of an explanation.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExplainAccessQuery {
    /// Name of an operation, as OpenAPI (`operationId`) and the GraphQL schema have it.
    pub operation: String,
    /// Id of a member, who calls by session, or `key:` and the id of a service or personal key of the account.
    /// Absent: the caller.
    pub subject: Option<String>,
}

/// Decision about an operation for a subject, with the steps that lead to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AccessExplanation {
    /// Name of the operation.
    pub operation: String,
    /// Subject: id of a person, or kind and id of a credential (`key:…`, `popout:…`).
    pub subject: String,
    /// True when the rule of the operation admits the subject.
    pub allowed: bool,
    /// Message of the refusal that a call gets. Null when it is allowed.
    pub reason: Option<String>,
    /// Steps in the order of the checks, up to the first refusal.
    pub steps: Vec<AccessStep>,
}

/// One step on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AccessStep {
    /// Number of the step, from 1.
    pub order: i32,
    /// Subject of the step. `credential`, `permission` and `feature` are the checks; the steps before a check are
    /// the sources of what it reads.
    pub kind: AccessStepKind,
    /// Name of the kind of credential, role, permission, plan or flag.
    pub name: String,
    /// Effect on the decision. A later source of the same check may lift `denies`.
    pub effect: AccessStepEffect,
    /// Explanation for people.
    pub detail: String,
}

pub static EXPLAIN_ACCESS: Operation<AccountCaller> =
    Operation::account("explainAccess", AccountPermission::RolesRead, Grants::Nothing);

/// Explains whether the rule of an operation admits a member or key of the account, and why.
///
/// The decision is that of the check that a call meets: kind of credential, permission, feature. What a call is
/// refused for afterwards (its input, a foreign object, a state, a limit) is not part of it. Rights of another person
/// outside of the account are not shown.
///
/// (reference/permissions.md#explanations)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: the operation is unknown, or the subject is malformed.
/// - 403: the decision depends on rights that another person has outside of the account.
/// - 404: the account has no such member or key.
#[api_core::operation]
pub async fn explain_access(cx: &Cx, query: Input<ExplainAccessQuery>) -> Result<AccessExplanation> {
    let caller = cx.authorize(&EXPLAIN_ACCESS).await?;
    let query = query?;
    let rule = find(cx, &query.operation)?;
    let NamedSubject { subject, text, is_caller } =
        NamedSubject::parse(query.subject.as_deref())?.find(cx, caller.account).await?;
    if !is_caller && rule.reads_person(subject.principal()) {
        return Err(ApiError::forbidden("Rights of another person outside of the account are not shown"));
    }
    Ok(explanation(rule, text, subject.explain(rule, &caller).await?))
}

fn find(cx: &Cx, name: &str) -> Result<&'static Rule> {
    let known = cx.state().component(|_| KnownOperations::default());
    known.find(name).ok_or_else(|| {
        let suggestion = names::suggestion(name, known.names());
        ApiError::invalid(format!("operation must be the name of an operation{suggestion}"))
    })
}

fn explanation(rule: &Rule, subject: String, explanation: Explanation) -> AccessExplanation {
    let Explanation { refusal, steps } = explanation;
    let step = |(order, step): (i32, Step)| AccessStep {
        order,
        kind: step.kind,
        name: step.name,
        effect: step.effect,
        detail: step.detail,
    };
    AccessExplanation {
        operation: rule.name.to_owned(),
        subject,
        allowed: refusal.is_none(),
        reason: refusal.map(|refusal| refusal.message),
        steps: (1..).zip(steps).map(step).collect(),
    }
}
