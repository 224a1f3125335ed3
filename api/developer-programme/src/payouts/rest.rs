//! REST routes of `payouts`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged, single},
};

use super::{
    DeveloperPayeeQuery, DeveloperPayout, DeveloperPayoutQuery, DeveloperPayoutSettings, DeveloperRevenue,
    DeveloperRevenueQuery, RequestDeveloperPayoutInput, UpdateDeveloperPayoutSettingsInput,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(developer_payout_settings);
    config.service(update_developer_payout_settings);
    config.service(request_developer_payout);
    config.service(developer_payouts);
    config.service(developer_revenue);
}

#[utoipa::path(tag = "developer", operation_id = "developerPayoutSettings", params(DeveloperPayeeQuery),
    responses((status = 200, body = Enveloped<DeveloperPayoutSettings>), (status = 404)))]
#[get("/v1/developer/payout-settings")]
async fn developer_payout_settings(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<DeveloperPayeeQuery>,
) -> Result<impl Responder> {
    Ok(single(&request, super::developer_payout_settings(&cx, query.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "updateDeveloperPayoutSettings",
    request_body = UpdateDeveloperPayoutSettingsInput,
    responses((status = 200, body = Enveloped<DeveloperPayoutSettings>), (status = 404)))]
#[post("/v1/developer/payouts")]
async fn update_developer_payout_settings(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateDeveloperPayoutSettingsInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_developer_payout_settings(&cx, input.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "requestDeveloperPayout",
    request_body = RequestDeveloperPayoutInput,
    responses((status = 201, body = Enveloped<DeveloperPayout>), (status = 404)))]
#[post("/v1/developer/payouts/request")]
async fn request_developer_payout(
    cx: Cx,
    input: JsonBody<RequestDeveloperPayoutInput>,
) -> Result<HttpResponse> {
    let payout = super::request_developer_payout(&cx, input.0).await?;
    Ok(created("/v1/developer/payouts".to_owned(), payout))
}

#[utoipa::path(tag = "developer", operation_id = "developerPayouts", params(DeveloperPayoutQuery),
    responses((status = 200, body = Collection<DeveloperPayout>), (status = 404)))]
#[get("/v1/developer/payouts")]
async fn developer_payouts(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<DeveloperPayoutQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::developer_payouts(&cx, query.0).await?))
}

#[utoipa::path(tag = "developer", operation_id = "developerRevenue", params(DeveloperRevenueQuery),
    responses((status = 200, body = Enveloped<DeveloperRevenue>), (status = 404)))]
#[get("/v1/developer/revenue")]
async fn developer_revenue(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<DeveloperRevenueQuery>,
) -> Result<impl Responder> {
    Ok(single(&request, super::developer_revenue(&cx, query.0).await?))
}
