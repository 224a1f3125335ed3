//! REST routes of `explain`.

use actix_web::{HttpRequest, Responder, get};
use api_core::{
    Cx, Result,
    http::{Enveloped, QueryOf, ServiceConfig, single},
};

use super::{AccessExplanation, ExplainAccessQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(explain_access);
}

#[utoipa::path(tag = "roles", operation_id = "explainAccess", params(ExplainAccessQuery),
    responses((status = 200, body = Enveloped<AccessExplanation>), (status = 404)))]
#[get("/v1/access/explain")]
async fn explain_access(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<ExplainAccessQuery>,
) -> Result<impl Responder> {
    Ok(single(&request, super::explain_access(&cx, query.0).await?))
}
