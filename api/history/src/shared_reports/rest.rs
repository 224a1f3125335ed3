//! REST routes of `shared_reports`.

use actix_web::{HttpRequest, HttpResponse, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, QueryOf, ServiceConfig, single, streamed_json},
};

use super::{OpenedReport, Presented, SharedStreamReport};
use crate::{export, reports::StreamReportExportQuery, right};

/// Header with the password of a link, in UTF-8.
const PASSWORD: &str = "x-share-password";

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(shared_report);
    config.service(export_shared_report);
}

#[utoipa::path(tag = "history", operation_id = "sharedReport",
    params(
        ("token" = String, Path, description = "The token of a shared link."),
        ("X-Share-Password" = Option<String>, Header, description = "The password of the link in UTF-8."),
    ),
    responses((status = 200, body = Enveloped<SharedStreamReport>), (status = 401)))]
#[get("/v1/history/shared/{token}")]
async fn shared_report(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let OpenedReport { report, samples, allow_export, right } =
        super::shared_report(&cx, presented(&request)).await?;
    let report = serde_json::to_string(&report)?;
    let links = serde_json::to_string(&single(&request, ()).0.links)?;
    let head = format!("{{\"data\":{{\"report\":{report},\"samples\":[");
    let tail = format!("],\"allow_export\":{allow_export}}},\"_links\":{links}}}");
    right::json_response(streamed_json(head, samples.listed(), tail), right).await
}

#[utoipa::path(tag = "history", operation_id = "exportSharedReport",
    params(
        ("token" = String, Path, description = "The token of a shared link."),
        ("X-Share-Password" = Option<String>, Header, description = "The password of the link in UTF-8."),
        StreamReportExportQuery,
    ),
    responses((status = 200, description = "The file.", content(
        (String = "application/zip"), (String = "text/plain"), (String = "application/json"),
        (String = "application/pdf"),
    )), (status = 401), (status = 403), (status = 409)))]
#[get("/v1/history/shared/{token}/export")]
async fn export_shared_report(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<StreamReportExportQuery>,
) -> Result<HttpResponse> {
    let download = super::export_shared_report(&cx, presented(&request), query.0).await?;
    export::response(cx.state(), download).await
}

fn presented(request: &HttpRequest) -> Presented {
    let password = request.headers().get(PASSWORD);
    Presented {
        token: request.match_info().get("token").unwrap_or_default().to_owned(),
        password: password.and_then(|value| std::str::from_utf8(value.as_bytes()).ok()).map(str::to_owned),
    }
}
