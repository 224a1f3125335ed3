//! Reviews over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    CursorRequest, Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged_by_cursor, path_uuid, single,
    },
};

use super::{CreateExtensionReviewInput, ExtensionReview, UpdateExtensionReviewInput};

/// Registers the routes that require a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(extension_reviews);
    config.service(create_extension_review);
    config.service(update_extension_review);
    config.service(delete_extension_review);
}

#[utoipa::path(tag = "extensions", operation_id = "extensionReviews",
    params(("id" = uuid::Uuid, Path), CursorRequest),
    responses((status = 200, body = Collection<ExtensionReview>)))]
#[get("/v1/extensions/{id}/reviews")]
async fn extension_reviews(
    cx: Cx,
    request: HttpRequest,
    page: QueryOf<CursorRequest>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(paged_by_cursor(&request, super::extension_reviews(&cx, id, page.0).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "createExtensionReview", params(("id" = uuid::Uuid, Path)),
    request_body = CreateExtensionReviewInput, responses((status = 201, body = Enveloped<ExtensionReview>)))]
#[post("/v1/extensions/{id}/reviews")]
async fn create_extension_review(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<CreateExtensionReviewInput>,
) -> Result<HttpResponse> {
    let review = super::create_extension_review(&cx, path_uuid(&request, "id"), input.0).await?;
    Ok(created(format!("/v1/extensions/{}/reviews/{}", review.extension_id, review.id), review))
}

#[utoipa::path(tag = "extensions", operation_id = "updateExtensionReview",
    params(("id" = uuid::Uuid, Path), ("review_id" = uuid::Uuid, Path)),
    request_body = UpdateExtensionReviewInput, responses((status = 200, body = Enveloped<ExtensionReview>)))]
#[patch("/v1/extensions/{id}/reviews/{review_id}")]
async fn update_extension_review(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateExtensionReviewInput>,
) -> Result<impl Responder> {
    let (id, review_id) = (path_uuid(&request, "id"), path_uuid(&request, "review_id"));
    Ok(single(&request, super::update_extension_review(&cx, id, review_id, input.0).await?))
}

#[utoipa::path(tag = "extensions", operation_id = "deleteExtensionReview",
    params(("id" = uuid::Uuid, Path), ("review_id" = uuid::Uuid, Path)), responses((status = 204)))]
#[delete("/v1/extensions/{id}/reviews/{review_id}")]
async fn delete_extension_review(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_extension_review(&cx, path_uuid(&request, "id"), path_uuid(&request, "review_id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
