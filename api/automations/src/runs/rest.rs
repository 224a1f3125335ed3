//! REST routes of `runs`.

use actix_web::{HttpRequest, HttpResponse, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, QueryOf, SelfLink, ServiceConfig, paged_by_cursor, path_uuid, single,
    },
};

use super::{
    AutomationExecution, AutomationRun, AutomationRunSummary, AutomationRunsQuery, ExecuteAutomationInput,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(execute_automation);
    config.service(automation_runs);
    config.service(automation_run);
    config.service(cancel_automation_run);
}

#[utoipa::path(tag = "automations", operation_id = "executeAutomation", params(("id" = uuid::Uuid, Path)),
    request_body = ExecuteAutomationInput, responses((status = 202, body = Enveloped<AutomationExecution>)))]
#[post("/v1/automations/{id}/execute")]
async fn execute_automation(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<ExecuteAutomationInput>,
) -> Result<HttpResponse> {
    let data = super::execute_automation(&cx, path_uuid(&request, "id"), input.0).await?;
    let links = SelfLink { this: format!("/v1/automation/runs/{}", data.run_id) };
    Ok(HttpResponse::Accepted().json(Enveloped { data, links }))
}

#[utoipa::path(tag = "automations", operation_id = "automationRuns",
    params(("id" = uuid::Uuid, Path), AutomationRunsQuery),
    responses((status = 200, body = Collection<AutomationRunSummary>)))]
#[get("/v1/automations/{id}/runs")]
async fn automation_runs(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<AutomationRunsQuery>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(paged_by_cursor(&request, super::automation_runs(&cx, id, query.0).await?))
}

#[utoipa::path(tag = "automations", operation_id = "automationRun", params(("run_id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<AutomationRun>)))]
#[get("/v1/automation/runs/{run_id}")]
async fn automation_run(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::automation_run(&cx, path_uuid(&request, "run_id")).await?))
}

#[utoipa::path(tag = "automations", operation_id = "cancelAutomationRun",
    params(("run_id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<AutomationRun>)))]
#[post("/v1/automation/runs/{run_id}/cancel")]
async fn cancel_automation_run(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::cancel_automation_run(&cx, path_uuid(&request, "run_id")).await?))
}
