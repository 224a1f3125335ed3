//! REST routes of `reports`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, Listed, QueryOf, ServiceConfig, path_uuid, single, streamed_list},
};

use super::{StreamReportExportQuery, StreamReportStatsQuery};
use crate::{Right, StreamReport, StreamSample, export, right};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(stream_report);
    config.service(stream_report_stats);
    config.service(export_stream_report);
    config.service(delete_stream_report);
}

#[utoipa::path(tag = "history", operation_id = "streamReport", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<StreamReport>)))]
#[get("/v1/history/reports/{id}")]
async fn stream_report(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::stream_report(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "history", operation_id = "streamReportStats",
    params(("id" = uuid::Uuid, Path), StreamReportStatsQuery),
    responses((status = 200, body = Listed<StreamSample>)))]
#[get("/v1/history/reports/{id}/stats")]
async fn stream_report_stats(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<StreamReportStatsQuery>,
) -> Result<HttpResponse> {
    let samples = super::stream_report_stats(&cx, path_uuid(&request, "id"), query.0).await?;
    let list = streamed_list(&request, samples.listed())?;
    right::json_response(list, Right::of_member()).await
}

#[utoipa::path(tag = "history", operation_id = "exportStreamReport",
    params(("id" = uuid::Uuid, Path), StreamReportExportQuery),
    responses((status = 200, description = "The file.", content(
        (String = "application/zip"), (String = "text/plain"), (String = "application/json"),
        (String = "application/pdf"),
    )), (status = 409)))]
#[get("/v1/history/reports/{id}/export")]
async fn export_stream_report(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<StreamReportExportQuery>,
) -> Result<HttpResponse> {
    let download = super::export_stream_report(&cx, path_uuid(&request, "id"), query.0).await?;
    export::response(cx.state(), download).await
}

#[utoipa::path(tag = "history", operation_id = "deleteStreamReport", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/history/reports/{id}")]
async fn delete_stream_report(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_stream_report(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
