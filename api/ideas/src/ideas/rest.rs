//! REST routes of `ideas`.

use actix_web::{HttpRequest, HttpResponse, Responder, delete, get, patch, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, Linked, PartLinks, QueryOf, ServiceConfig, created, path_uuid, single},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, IntoDeserializer, value},
};
use utoipa::IntoParams;
use uuid::Uuid;

use super::{
    CreateIdeaInput, GqlIdea, GqlIdeaConnection, IdeaFilterInput, IdeaSort, IdeasRequest, NewIdeaStatus,
    UpdateIdeaInput, list::DEFAULT_LIMIT,
};
use crate::kinds::IdeaStatus;

/// Query of the list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct IdeasQuery {
    /// Category.
    category_id: Option<Uuid>,
    /// Ideas with one of these tags at least; at most 20 ids separated by commas.
    #[serde(default, deserialize_with = "separated_by_commas")]
    #[param(value_type = Option<String>)]
    tag_ids: Option<Vec<Uuid>>,
    /// Ideas of one of these statuses, separated by commas: `open`, `planned`, `in_progress`, `done`,
    /// `declined`.
    #[serde(default, deserialize_with = "separated_by_commas")]
    #[param(value_type = Option<String>, example = "open,planned")]
    status: Option<Vec<IdeaStatus>>,
    /// Author.
    author_id: Option<Uuid>,
    /// Words in title or description, the last one as the beginning of a word; 2 to 100 characters. The newest 1,000
    /// ideas are found.
    #[param(max_length = 100)]
    search: Option<String>,
    /// True: own ideas of the caller.
    mine: Option<bool>,
    /// True: ideas that the caller has voted on.
    voted_by_me: Option<bool>,
    /// `newest` when absent.
    #[param(inline)]
    sort: Option<IdeaSort>,
    /// 1 to 100; 20 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// 0 or more; 0 when absent.
    #[param(minimum = 0)]
    offset: Option<i64>,
}

/// Routes that need no credential. The rules of changes demand a permission.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(ideas);
    config.service(create_idea);
    config.service(idea);
    config.service(update_idea);
    config.service(delete_idea);
    config.service(update_idea_status);
}

#[utoipa::path(tag = "ideas", operation_id = "ideas", params(IdeasQuery),
    responses((status = 200, body = Enveloped<GqlIdeaConnection>), (status = 403)))]
#[get("/v1/ideas")]
async fn ideas(cx: Cx, request: HttpRequest, query: QueryOf<IdeasQuery>) -> Result<impl Responder> {
    let list = super::ideas(&cx, query.0.map(IdeasRequest::from)).await?;
    let links = PartLinks::by_offset(&request, DEFAULT_LIMIT, list.items.len(), Some(list.total.into()));
    Ok(Linked { body: single(&request, list).0, links })
}

#[utoipa::path(tag = "ideas", operation_id = "createIdea", request_body = CreateIdeaInput,
    responses((status = 201, body = Enveloped<GqlIdea>), (status = 404)))]
#[post("/v1/ideas")]
async fn create_idea(cx: Cx, input: JsonBody<CreateIdeaInput>) -> Result<HttpResponse> {
    let made = super::create_idea(&cx, input.0).await?;
    Ok(created(format!("/v1/ideas/{}", made.id), made))
}

#[utoipa::path(tag = "ideas", operation_id = "idea", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<GqlIdea>)))]
#[get("/v1/ideas/{id}")]
async fn idea(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::idea(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "updateIdea", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateIdeaInput, responses((status = 200, body = Enveloped<GqlIdea>)))]
#[patch("/v1/ideas/{id}")]
async fn update_idea(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateIdeaInput>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_idea(&cx, id, input.0).await?))
}

#[utoipa::path(tag = "ideas", operation_id = "deleteIdea", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/ideas/{id}")]
async fn delete_idea(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_idea(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "ideas", operation_id = "updateIdeaStatus", params(("id" = uuid::Uuid, Path)),
    request_body = NewIdeaStatus, responses((status = 200, body = Enveloped<GqlIdea>)))]
#[patch("/v1/ideas/{id}/status")]
async fn update_idea_status(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<NewIdeaStatus>,
) -> Result<impl Responder> {
    let id = path_uuid(&request, "id");
    Ok(single(&request, super::update_idea_status(&cx, id, input.0).await?))
}

impl From<IdeasQuery> for IdeasRequest {
    fn from(query: IdeasQuery) -> Self {
        Self {
            filter: IdeaFilterInput {
                category_id: query.category_id,
                tag_ids: query.tag_ids,
                status: query.status,
                author_id: query.author_id,
                search: query.search,
                mine: query.mine,
                voted_by_me: query.voted_by_me,
            },
            sort: query.sort,
            limit: query.limit,
            offset: query.offset,
        }
    }
}

fn separated_by_commas<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let parsed: Result<Vec<T>, value::Error> =
        items.map(|item| T::deserialize(item.into_deserializer())).collect();
    parsed.map(Some).map_err(D::Error::custom)
}
