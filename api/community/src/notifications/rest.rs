//! REST routes of `notifications`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post, web::Json};
use api_core::{
    Cx, Result,
    http::{
        Enveloped, JsonBody, Linked, ListLinks, Listed, PartLinks, QueryOf, ServiceConfig, Success,
        links_before, listed, more_before, path_uuid, single,
    },
};

use super::{
    DEFAULT_LIMIT, NotificationList, NotificationPreference, NotificationsQuery,
    UpdateNotificationPreferenceInput,
};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    // Must precede `/{id}`, which would match them too.
    config.service(notification_preferences);
    config.service(update_notification_preference);
    config.service(mark_all_notifications_read);
    config.service(notifications);
    config.service(mark_notification_read);
    config.service(run_notification_action);
    config.service(delete_notification);
}

#[utoipa::path(tag = "notifications", operation_id = "notifications", params(NotificationsQuery),
    responses((status = 200, body = Enveloped<NotificationList, ListLinks>)))]
#[get("/v1/notifications")]
async fn notifications(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<NotificationsQuery>,
) -> Result<impl Responder> {
    let limit = query.0.as_ref().ok().and_then(|query| query.limit).unwrap_or(DEFAULT_LIMIT);
    let data = super::notifications(&cx, query.0).await?;
    let before = more_before(&data.items, limit, |item| item.id.to_string());
    let links = PartLinks::next(&request, "before", before.clone());
    Ok(Linked { body: Enveloped { data, links: links_before(&request, before) }, links })
}

#[utoipa::path(tag = "notifications", operation_id = "markNotificationRead", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Success)))]
#[post("/v1/notifications/{id}/read")]
async fn mark_notification_read(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    super::mark_notification_read(&cx, path_uuid(&request, "id")).await?;
    Ok(Json(Success::DONE))
}

#[utoipa::path(tag = "notifications", operation_id = "markAllNotificationsRead",
    responses((status = 200, body = Success)))]
#[post("/v1/notifications/read-all")]
async fn mark_all_notifications_read(cx: Cx) -> Result<impl Responder> {
    super::mark_all_notifications_read(&cx).await?;
    Ok(Json(Success::DONE))
}

#[utoipa::path(tag = "notifications", operation_id = "runNotificationAction",
    params(("id" = uuid::Uuid, Path), ("key" = String, Path, description = "For example `accept_invite`.")),
    responses((status = 200, body = Success)))]
#[post("/v1/notifications/{id}/actions/{key}")]
async fn run_notification_action(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let key = request.match_info().query("key");
    super::run_notification_action(&cx, path_uuid(&request, "id"), key).await?;
    Ok(Json(Success::DONE))
}

#[utoipa::path(tag = "notifications", operation_id = "deleteNotification", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/notifications/{id}")]
async fn delete_notification(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_notification(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "notifications", operation_id = "notificationPreferences",
    responses((status = 200, body = Listed<NotificationPreference>)))]
#[get("/v1/notifications/preferences")]
async fn notification_preferences(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::notification_preferences(&cx).await?))
}

#[utoipa::path(tag = "notifications", operation_id = "updateNotificationPreference",
    params(("type" = String, Path, description = "For example `idea_comment`.")),
    request_body = UpdateNotificationPreferenceInput,
    responses((status = 200, body = Enveloped<NotificationPreference>)))]
#[patch("/v1/notifications/preferences/{type}")]
async fn update_notification_preference(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateNotificationPreferenceInput>,
) -> Result<impl Responder> {
    let notification_type = request.match_info().query("type");
    Ok(single(&request, super::update_notification_preference(&cx, notification_type, input.0).await?))
}
