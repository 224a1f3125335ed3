//! REST route of `votes`. Over REST, reports and recommendations are votes as well.

use actix_web::{HttpRequest, HttpResponse, Responder, post};
use api_core::{
    Cx, Result,
    http::{Enveloped, JsonBody, ServiceConfig, created, single},
};

use super::{Cast, CopyrightVote, VoteCopyrightInput};

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(vote_copyright);
}

#[utoipa::path(tag = "copyright", operation_id = "voteCopyright", request_body = VoteCopyrightInput,
    responses(
        (status = 201, body = Enveloped<CopyrightVote>),
        (status = 200, description = "The caller had voted on the song before.", body = Enveloped<CopyrightVote>),
    ))]
#[post("/v1/copyright/vote")]
async fn vote_copyright(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<VoteCopyrightInput>,
) -> Result<HttpResponse> {
    let Cast { vote, is_first } = super::vote_copyright(&cx, input.0).await?;
    if is_first {
        return Ok(created("/v1/copyright/vote".to_owned(), vote));
    }
    Ok(single(&request, vote).respond_to(&request).map_into_boxed_body())
}
