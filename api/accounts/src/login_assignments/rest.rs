//! Login assignments over REST, with fewer fields than over GraphQL
//! (reference/accounts.md#login-assignments).

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, post};
use api_core::{
    Cx, Result, Timestamp,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, created, listed},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AssignLoginConnectionInput, GqlLoginAssignment, LoginAssignmentsQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(account_login_assignments);
    config.service(assign_login_connection);
    config.service(remove_login_assignment);
}

/// Login connection through which a member writes in the account.
#[derive(Serialize, ToSchema)]
struct LoginAssignment {
    /// Slug of the platform.
    provider: String,
    login_connection_id: Uuid,
    user_id: Uuid,
    assigned_at: Timestamp,
}

impl From<GqlLoginAssignment> for LoginAssignment {
    fn from(assignment: GqlLoginAssignment) -> Self {
        Self {
            provider: assignment.provider,
            login_connection_id: assignment.login_connection_id,
            user_id: assignment.user_id,
            assigned_at: assignment.created_at,
        }
    }
}

#[utoipa::path(tag = "login_assignments", operation_id = "accountLoginAssignments", params(LoginAssignmentsQuery),
    responses((status = 200, body = Listed<LoginAssignment>)))]
#[get("/v1/accounts/login-assignments")]
async fn account_login_assignments(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<LoginAssignmentsQuery>,
) -> Result<impl Responder> {
    let assignments = super::account_login_assignments(&cx, query.0).await?;
    Ok(listed(&request, assignments.into_iter().map(LoginAssignment::from).collect()))
}

#[utoipa::path(tag = "login_assignments", operation_id = "assignLoginConnection",
    request_body = AssignLoginConnectionInput, responses((status = 201, body = Enveloped<LoginAssignment>), (status = 404)))]
#[post("/v1/accounts/login-assignments")]
async fn assign_login_connection(
    cx: Cx,
    input: JsonBody<AssignLoginConnectionInput>,
) -> Result<HttpResponse> {
    let assigned = super::assign_login_connection(&cx, input.0).await?;
    let address =
        format!("/v1/accounts/login-assignments/{}?user_id={}", assigned.provider, assigned.user_id);
    Ok(created(address, LoginAssignment::from(assigned)))
}

#[utoipa::path(tag = "login_assignments", operation_id = "removeLoginAssignment",
    params(("provider" = String, Path), LoginAssignmentsQuery), responses((status = 204)))]
#[delete("/v1/accounts/login-assignments/{provider}")]
async fn remove_login_assignment(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<LoginAssignmentsQuery>,
) -> Result<HttpResponse> {
    let provider = request.match_info().get("provider").unwrap_or_default();
    super::remove_login_assignment(&cx, provider, query.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
