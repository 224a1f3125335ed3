//! REST routes of `hours`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Collection, QueryOf, ServiceConfig, paged},
};

use super::{UsageHour, UsageQuery, UsageTotal};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(usage_hours);
    config.service(usage_totals);
}

#[utoipa::path(tag = "usage", operation_id = "usageHours", params(UsageQuery),
    responses((status = 200, body = Collection<UsageHour>)))]
#[get("/v1/usage")]
async fn usage_hours(cx: Cx, request: HttpRequest, query: QueryOf<UsageQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::usage_hours(&cx, query.0).await?))
}

#[utoipa::path(tag = "usage", operation_id = "usageTotals", params(UsageQuery),
    responses((status = 200, body = Collection<UsageTotal>)))]
#[get("/v1/usage/totals")]
async fn usage_totals(cx: Cx, request: HttpRequest, query: QueryOf<UsageQuery>) -> Result<impl Responder> {
    Ok(paged(&request, super::usage_totals(&cx, query.0).await?))
}
