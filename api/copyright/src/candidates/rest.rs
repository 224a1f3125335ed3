//! REST routes of `candidates`.

use actix_web::{HttpRequest, Responder, get, post};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, ServiceConfig, paged, path_uuid, single},
};

use super::{CopyrightCandidate, CopyrightCandidatesQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(admin_copyright_candidates);
    config.service(admin_approve_copyright_candidate);
    config.service(admin_dismiss_copyright_candidate);
}

#[utoipa::path(tag = "copyright", operation_id = "adminCopyrightCandidates", params(CopyrightCandidatesQuery),
    responses((status = 200, body = Collection<CopyrightCandidate>)))]
#[get("/v1/admin/copyright/candidates")]
async fn admin_copyright_candidates(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<CopyrightCandidatesQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::admin_copyright_candidates(&cx, query.0).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "adminApproveCopyrightCandidate",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<CopyrightCandidate>)))]
#[post("/v1/admin/copyright/candidates/{id}/approve")]
async fn admin_approve_copyright_candidate(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_approve_copyright_candidate(&cx, id).await?))
}

#[utoipa::path(tag = "copyright", operation_id = "adminDismissCopyrightCandidate",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Enveloped<CopyrightCandidate>)))]
#[post("/v1/admin/copyright/candidates/{id}/dismiss")]
async fn admin_dismiss_copyright_candidate(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::admin_dismiss_copyright_candidate(&cx, id).await?))
}
