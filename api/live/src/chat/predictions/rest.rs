//! REST routes of predictions.

use actix_web::{HttpRequest, HttpResponse, Responder, get, patch, post};
use api_core::{
    CursorRequest, Cx, Result,
    http::{
        Collection, Enveloped, JsonBody, QueryOf, ServiceConfig, created, paged_by_cursor, path_uuid, single,
    },
};

use super::{CreatePredictionInput, EndPredictionInput, Prediction};

/// Registers the routes, which need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(predictions);
    config.service(create_prediction);
    config.service(end_prediction);
}

#[utoipa::path(tag = "chat", operation_id = "predictions", params(CursorRequest),
    responses((status = 200, body = Collection<Prediction>)))]
#[get("/v1/chat/predictions")]
async fn predictions(cx: Cx, request: HttpRequest, page: QueryOf<CursorRequest>) -> Result<impl Responder> {
    Ok(paged_by_cursor(&request, super::predictions(&cx, page.0).await?))
}

#[utoipa::path(tag = "chat", operation_id = "createPrediction", request_body = CreatePredictionInput,
    responses((status = 201, body = Enveloped<Prediction>)))]
#[post("/v1/chat/predictions")]
async fn create_prediction(cx: Cx, input: JsonBody<CreatePredictionInput>) -> Result<HttpResponse> {
    let prediction = super::create_prediction(&cx, input.0).await?;
    Ok(created(format!("/v1/chat/predictions/{}", prediction.id), prediction))
}

#[utoipa::path(tag = "chat", operation_id = "endPrediction", params(("id" = uuid::Uuid, Path)),
    request_body = EndPredictionInput, responses((status = 200, body = Enveloped<Prediction>)))]
#[patch("/v1/chat/predictions/{id}")]
async fn end_prediction(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<EndPredictionInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::end_prediction(&cx, id, input.0).await?))
}
