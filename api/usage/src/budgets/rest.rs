//! REST routes of `budgets`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, put};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, listed, path_uuid, single},
};

use super::{SetUsageBudgetInput, UsageBudget};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(usage_budgets);
    config.service(set_usage_budget);
    config.service(delete_usage_budget);
}

#[utoipa::path(tag = "usage", operation_id = "usageBudgets",
    responses((status = 200, body = Listed<UsageBudget>)))]
#[get("/v1/usage/budgets")]
async fn usage_budgets(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::usage_budgets(&cx).await?))
}

#[utoipa::path(tag = "usage", operation_id = "setUsageBudget", request_body = SetUsageBudgetInput,
    responses((status = 200, body = Enveloped<UsageBudget>), (status = 404)))]
#[put("/v1/usage/budgets")]
async fn set_usage_budget(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<SetUsageBudgetInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::set_usage_budget(&cx, input.0).await?))
}

#[utoipa::path(tag = "usage", operation_id = "deleteUsageBudget", params(("budget_id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/usage/budgets/{budget_id}")]
async fn delete_usage_budget(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_usage_budget(&cx, path_uuid(&request, "budget_id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
