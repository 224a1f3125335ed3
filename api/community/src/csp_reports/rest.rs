//! REST routes of `csp_reports`.

use actix_web::{
    HttpRequest, HttpResponse, Responder, get, http::header::CONTENT_LENGTH, post, web::Payload,
};
use api_core::{
    Cx, Input, Result,
    http::{Collection, QueryOf, ServiceConfig, paged_by_cursor, read},
};

use super::{CspReport, CspReportsQuery, MAX_BODY_BYTES, Report};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(admin_csp_reports);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(create_csp_report);
}

#[utoipa::path(tag = "csp_reports", operation_id = "createCspReport",
    request_body(content = serde_json::Value, content_type = "application/csp-report",
        example = json!({ "csp-report": { "document-uri": "https://example.com/", "blocked-uri": "inline",
            "violated-directive": "script-src" } })),
    responses((status = 204)))]
#[post("/v1/csp-reports")]
async fn create_csp_report(cx: Cx, request: HttpRequest, payload: Payload) -> Result<HttpResponse> {
    super::create_csp_report(&cx, reports(&request, payload)).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "csp_reports", operation_id = "adminCspReports", params(CspReportsQuery),
    responses((status = 200, body = Collection<CspReport>)))]
#[get("/v1/admin/csp-reports")]
async fn admin_csp_reports(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<CspReportsQuery>,
) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::admin_csp_reports(&cx, query.0).await?))
}

async fn reports(request: &HttpRequest, payload: Payload) -> Input<Vec<Report>> {
    let declared =
        request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    Report::parse(&read(&mut payload.into_inner(), declared, MAX_BODY_BYTES).await?)
}
