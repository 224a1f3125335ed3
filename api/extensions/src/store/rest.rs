//! Store over REST.

use actix_web::{HttpRequest, Responder, get, web::Path};
use api_core::{
    Cx, Result,
    http::{Collection, Enveloped, QueryOf, ServiceConfig, paged, single},
};

use super::{StoreExtension, StoreExtensionDetail, StoreQuery};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(store_extensions);
    config.service(store_extension);
}

#[utoipa::path(tag = "extensions", operation_id = "storeExtensions", params(StoreQuery),
    responses((status = 200, body = Collection<StoreExtension>)))]
#[get("/v1/extensions")]
async fn store_extensions(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<StoreQuery>,
) -> Result<impl Responder> {
    Ok(paged(&request, super::store_extensions(&cx, query.0).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "storeExtension",
    params(("id" = String, Path, description = "Id or slug.")),
    responses((status = 200, body = Enveloped<StoreExtensionDetail>)))]
#[get("/v1/extensions/{id}")]
async fn store_extension(cx: Cx, request: HttpRequest, id: Path<String>) -> Result<impl Responder> {
    Ok(single(&request, super::store_extension(&cx, &id).await?))
}
