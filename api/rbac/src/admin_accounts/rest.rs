//! REST routes of `admin_accounts`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, put};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, paged, path_uuid, single},
};

use super::{
    AccountLimits, AdminAccount, AdminAccountSummary,
    changes::{self, AdminUpdateAccountInput},
    connections,
    limits::{self, AdminUpsertAccountLimitsInput},
    plan::{self, AdminUpdateAccountPlanInput},
};
use crate::search::SearchQuery;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(admin_accounts);
    config.service(admin_account);
    config.service(admin_update_account);
    config.service(admin_delete_account);
    config.service(admin_disconnect_account_channel);
    config.service(admin_disconnect_account_bot);
    config.service(admin_update_account_plan);
    config.service(admin_account_limits);
    config.service(admin_upsert_account_limits);
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminAccounts", params(SearchQuery),
    responses((status = 200, body = Collection<AdminAccountSummary>)))]
#[get("/v1/admin/accounts")]
async fn admin_accounts(cx: Cx, request: HttpRequest, query: QueryOf<SearchQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_accounts(&cx, query.0).await?))
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminAccount", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AdminAccount>)))]
#[get("/v1/admin/accounts/{id}")]
async fn admin_account(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::admin_account(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminUpdateAccount", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdateAccountInput, responses((status = 200, body = Enveloped<AdminAccount>)))]
#[patch("/v1/admin/accounts/{id}")]
async fn admin_update_account(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateAccountInput>,
) -> Result<impl Responder> {
    Ok(single(&request, changes::admin_update_account(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminDeleteAccount", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/admin/accounts/{id}")]
async fn admin_delete_account(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    changes::admin_delete_account(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminDisconnectAccountChannel",
    params(("id" = uuid::Uuid, Path), ("platform" = String, Path)), responses((status = 204)))]
#[delete("/v1/admin/accounts/{id}/channel-connections/{platform}")]
async fn admin_disconnect_account_channel(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let platform = request.match_info().get("platform").unwrap_or_default();
    connections::admin_disconnect_account_channel(&cx, path_uuid(&request, "id"), platform).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminDisconnectAccountBot",
    params(("id" = uuid::Uuid, Path), ("platform" = String, Path)), responses((status = 204)))]
#[delete("/v1/admin/accounts/{id}/bot-connections/{platform}")]
async fn admin_disconnect_account_bot(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let platform = request.match_info().get("platform").unwrap_or_default();
    connections::admin_disconnect_account_bot(&cx, path_uuid(&request, "id"), platform).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminUpdateAccountPlan", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpdateAccountPlanInput, responses((status = 200, body = Enveloped<AdminAccount>)))]
#[put("/v1/admin/accounts/{id}/plan")]
async fn admin_update_account_plan(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpdateAccountPlanInput>,
) -> Result<impl Responder> {
    Ok(single(&request, plan::admin_update_account_plan(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminAccountLimits", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AccountLimits>)))]
#[get("/v1/admin/accounts/{id}/limits")]
async fn admin_account_limits(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, limits::admin_account_limits(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "admin_accounts", operation_id = "adminUpsertAccountLimits", params(("id" = uuid::Uuid, Path)),
    request_body = AdminUpsertAccountLimitsInput, responses((status = 200, body = Enveloped<AccountLimits>)))]
#[put("/v1/admin/accounts/{id}/limits")]
async fn admin_upsert_account_limits(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<AdminUpsertAccountLimitsInput>,
) -> Result<impl Responder> {
    let account = path_uuid(&request, "id");
    Ok(single(&request, limits::admin_upsert_account_limits(&cx, account, input.0).await?))
}
