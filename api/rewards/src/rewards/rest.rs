//! REST routes of `rewards`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, ServiceConfig, created, listed, path_uuid, single},
};

use super::{CreateRewardInput, Reward, UpdateReward};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(rewards);
    config.service(create_reward);
    config.service(reward);
    config.service(update_reward);
    config.service(delete_reward);
}

#[utoipa::path(tag = "rewards", operation_id = "rewards", responses((status = 200, body = Listed<Reward>)))]
#[get("/v1/rewards")]
async fn rewards(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(listed(&request, super::rewards(&cx).await?))
}

#[utoipa::path(tag = "rewards", operation_id = "createReward", request_body = CreateRewardInput,
    responses((status = 201, body = Enveloped<Reward>)))]
#[post("/v1/rewards")]
async fn create_reward(cx: Cx, input: JsonBody<CreateRewardInput>) -> Result<HttpResponse> {
    let new = super::create_reward(&cx, input.0).await?;
    Ok(created(format!("/v1/rewards/{}", new.id), new))
}

#[utoipa::path(tag = "rewards", operation_id = "reward", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Reward>)))]
#[get("/v1/rewards/{id}")]
async fn reward(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::reward(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "rewards", operation_id = "updateReward", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateReward, responses((status = 200, body = Enveloped<Reward>)))]
#[patch("/v1/rewards/{id}")]
async fn update_reward(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateReward>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_reward(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "rewards", operation_id = "deleteReward", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/rewards/{id}")]
async fn delete_reward(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_reward(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}
