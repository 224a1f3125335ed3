//! Sounds over REST.

use actix_multipart::Multipart;
use actix_web::{
    HttpRequest, HttpResponse, Responder, delete, get, patch, post,
    web::{Json, Payload},
};
use api_core::{
    Cx, Result,
    http::{
        Enveloped, JsonBody, LenientQuery, Linked, PartLinks, QueryOf, Sandbox, ServiceConfig, Success,
        created, path_uuid, single,
    },
};
use utoipa::ToSchema;

use super::{
    DEFAULT_LIMIT, PlaySoundInput, Sound, SoundList, SoundMediaQuery, SoundsQuery, StopSoundInput,
    UpdateSoundInput,
};
use crate::files;

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    config.service(sounds);
    config.service(create_sound);
    config.service(sound);
    config.service(update_sound);
    config.service(delete_sound);
    config.service(play_sound);
    config.service(stop_sound);
    config.service(sound_stream);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    config.service(sound_media);
}

/// Fields of a sound.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the multipart form, which is read as a stream")]
struct SoundForm {
    /// An MP3, WAV, OGG or FLAC sound.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// Name, 1 to 100 characters; that of the file when absent.
    #[schema(max_length = 100)]
    name: Option<String>,
}

#[utoipa::path(tag = "sounds", operation_id = "sounds", params(SoundsQuery),
    responses((status = 200, body = Enveloped<SoundList>)))]
#[get("/v1/sounds")]
async fn sounds(cx: Cx, request: HttpRequest, query: QueryOf<SoundsQuery>) -> Result<impl Responder> {
    let list = super::sounds(&cx, query.0).await?;
    let total = Some(list.total_count.into());
    let links = PartLinks::by_offset(&request, DEFAULT_LIMIT, list.sounds.len(), total);
    Ok(Linked { body: single(&request, list).0, links })
}

#[utoipa::path(tag = "sounds", operation_id = "sound", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = Enveloped<Sound>)))]
#[get("/v1/sounds/{id}")]
async fn sound(cx: Cx, request: HttpRequest) -> Result<impl Responder> {
    Ok(single(&request, super::sound(&cx, path_uuid(&request, "id")).await?))
}

#[utoipa::path(tag = "sounds", operation_id = "createSound",
    request_body(content = SoundForm, content_type = "multipart/form-data"),
    responses((status = 201, body = Enveloped<Sound>)))]
#[post("/v1/sounds")]
async fn create_sound(cx: Cx, request: HttpRequest, body: Payload) -> Result<HttpResponse> {
    let form = Multipart::new(request.headers(), body);
    let new = super::create_sound(&cx, async |limits| files::read(form, limits).await).await?;
    Ok(created(format!("/v1/sounds/{}", new.id), new))
}

#[utoipa::path(tag = "sounds", operation_id = "updateSound", params(("id" = uuid::Uuid, Path)),
    request_body = UpdateSoundInput, responses((status = 200, body = Enveloped<Sound>)))]
#[patch("/v1/sounds/{id}")]
async fn update_sound(
    cx: Cx,
    request: HttpRequest,
    input: JsonBody<UpdateSoundInput>,
) -> Result<impl Responder> {
    Ok(single(&request, super::update_sound(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "sounds", operation_id = "deleteSound", params(("id" = uuid::Uuid, Path)),
    responses((status = 204)))]
#[delete("/v1/sounds/{id}")]
async fn delete_sound(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    super::delete_sound(&cx, path_uuid(&request, "id")).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[utoipa::path(tag = "sounds", operation_id = "playSound", params(("id" = uuid::Uuid, Path)),
    request_body = PlaySoundInput, responses((status = 200, body = Success)))]
#[post("/v1/sounds/{id}/play")]
async fn play_sound(cx: Cx, request: HttpRequest, input: JsonBody<PlaySoundInput>) -> Result<impl Responder> {
    Ok(Json(super::play_sound(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "sounds", operation_id = "stopSound", params(("id" = uuid::Uuid, Path)),
    request_body = StopSoundInput, responses((status = 200, body = Success)))]
#[post("/v1/sounds/{id}/stop")]
async fn stop_sound(cx: Cx, request: HttpRequest, input: JsonBody<StopSoundInput>) -> Result<impl Responder> {
    Ok(Json(super::stop_sound(&cx, path_uuid(&request, "id"), input.0).await?))
}

#[utoipa::path(tag = "sounds", operation_id = "soundStream", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, content_type = "*/*", body = String),
        (status = 206, content_type = "*/*", body = String), (status = 304), (status = 416)))]
#[get("/v1/sounds/{id}/stream")]
async fn sound_stream(cx: Cx, request: HttpRequest) -> Result<HttpResponse> {
    let file = super::sound_stream(&cx, path_uuid(&request, "id")).await?;
    file.respond(&cx, &request, Sandbox::Closed).await
}

#[utoipa::path(tag = "sounds", operation_id = "soundMedia", params(("id" = uuid::Uuid, Path), SoundMediaQuery),
    responses((status = 200, content_type = "*/*", body = String),
        (status = 206, content_type = "*/*", body = String), (status = 304), (status = 403), (status = 404),
        (status = 416)))]
#[get("/v1/media/sound/{id}")]
async fn sound_media(
    cx: Cx,
    request: HttpRequest,
    query: LenientQuery<SoundMediaQuery>,
) -> Result<HttpResponse> {
    let file = super::sound_media(&cx, path_uuid(&request, "id"), query.0).await?;
    file.respond_to_all(&cx, &request).await
}
