//! REST routes of `widgets`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateWidgetInput, UpdateWidgetInput, Widget, WidgetsQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(widgets);
    config.service(create_widget);
    config.service(widget);
    config.service(update_widget);
    config.service(delete_widget);
    config.service(duplicate_widget);
    config.service(rotate_widget_token);
}

#[utoipa::path(tag = "widgets", operation_id = "widgets", params(WidgetsQuery),
    responses((status = 200, body = Listed<Widget>)))]
#[get("/v1/widgets")]
async fn widgets(cx: Cx, request: HttpRequest, query: QueryOf<WidgetsQuery>) -> Result<impl Responder> {
    Ok(listed(&request, super::widgets(&cx, query.0).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "createWidget", request_body = CreateWidgetInput,
    responses((status = 201, body = Enveloped<Widget>)))]
#[post("/v1/widgets")]
async fn create_widget(cx: Cx, input: JsonBody<CreateWidgetInput>) -> Result<HttpResponse> {
    let made = super::create_widget(&cx, input.0).await?;
    Ok(created(format!("/v1/widgets/{}", made.id), made))
}

#[utoipa::path(tag = "widgets", operation_id = "widget", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Widget>)))]
#[get("/v1/widgets/{id}")]
async fn widget(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::widget(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "updateWidget", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateWidgetInput, responses((status = 200, body = Enveloped<Widget>)))]
#[patch("/v1/widgets/{id}")]
async fn update_widget(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateWidgetInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_widget(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "widgets", operation_id = "deleteWidget", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/widgets/{id}")]
async fn delete_widget(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_widget(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "widgets", operation_id = "duplicateWidget", params(("id" = uuid::Uuid, Path)),
    responses((status = 201, body = Enveloped<Widget>)))]
#[post("/v1/widgets/{id}/duplicate")]
async fn duplicate_widget(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let made = super::duplicate_widget(&cx, path_uuid(&request, "id")).await?;
    Ok(created(format!("/v1/widgets/{}", made.id), made))
}

#[utoipa::path(tag = "widgets", operation_id = "rotateWidgetToken", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Widget>)))]
#[post("/v1/widgets/{id}/token/rotate")]
async fn rotate_widget_token(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::rotate_widget_token(&cx, path_uuid(&request, "id")).await?))
}
