//! Members over REST.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Listed, QueryOf, ServiceConfig, listed, path_uuid, single},
};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{FoundUser, Member, SearchUsersQuery};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig) {
    config.service(members);
    config.service(update_member_role);
    config.service(remove_member);
    config.service(search_users);
}

/// New role of a member.
#[derive(Deserialize, ToSchema)]
struct MemberRoleInput {
    role_id: Uuid,
}

#[utoipa::path(tag = "members", operation_id = "members", params(("id" = Uuid, Path)),
    responses((status = 200, body = Listed<Member>)))]
#[get("/v1/accounts/{id}/members")]
async fn members(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    let account = path_uuid(&request, "id");
    Ok(listed(&request, super::members(&cx, Some(account)).await?))
}

#[utoipa::path(tag = "members", operation_id = "updateMemberRole",
    params(("id" = Uuid, Path), ("membership_id" = Uuid, Path)), request_body = MemberRoleInput,
    responses((status = 200, body = Enveloped<Member>)))]
#[patch("/v1/accounts/{id}/members/{membership_id}")]
async fn update_member_role(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<MemberRoleInput>,
) -> Result<impl Responder> {
    let (account, membership) = (path_uuid(&request, "id"), path_uuid(&request, "membership_id"));
    let role = input.0.map(|input| input.role_id);
    Ok(single(&request, super::update_member_role(&cx, Some(account), membership, role).await?))
}

#[utoipa::path(tag = "members", operation_id = "removeMember",
    params(("id" = Uuid, Path), ("membership_id" = Uuid, Path)), responses((status = 204)))]
#[delete("/v1/accounts/{id}/members/{membership_id}")]
async fn remove_member(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let (account, membership) = (path_uuid(&request, "id"), path_uuid(&request, "membership_id"));
    super::remove_member(&cx, Some(account), membership).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "members", operation_id = "searchUsers", params(SearchUsersQuery),
    responses((status = 200, body = Listed<FoundUser>)))]
#[get("/v1/members/search")]
async fn search_users(
    cx: Cx,
    request: HttpRequest,
    query: QueryOf<SearchUsersQuery>,
) -> Result<impl Responder> {
    Ok(listed(&request, super::search_users(&cx, query.0).await?))
}
