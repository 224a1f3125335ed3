//! Sounds over GraphQL.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;
use uuid::Uuid;

use super::{PlaySoundInput, Sound, SoundList, SoundsQuery, StopSoundInput, UpdateSoundInput};

/// Query fields.
pub struct SoundQueries;
/// Mutation fields.
pub struct SoundMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SoundQueries {
    async fn sounds(
        ctx: &Cx,
        limit: Option<i32>,
        offset: Option<i32>,
        search: Option<String>,
    ) -> Result<SoundList> {
        let query = SoundsQuery { limit: limit.map(i64::from), offset: offset.map(i64::from), search };
        super::sounds(ctx, Ok(query)).await
    }

    async fn sound(ctx: &Cx, id: Uuid) -> Result<Sound> {
        super::sound(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SoundMutations {
    async fn update_sound(ctx: &Cx, id: Uuid, input: UpdateSoundInput) -> Result<Sound> {
        super::update_sound(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_sound(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_sound(ctx, Ok(id)).await.map(|()| true)
    }

    async fn play_sound(ctx: &Cx, id: Uuid, input: Option<PlaySoundInput>) -> Result<Success> {
        super::play_sound(ctx, Ok(id), Ok(input.unwrap_or_default())).await
    }

    async fn stop_sound(ctx: &Cx, id: Uuid, input: Option<StopSoundInput>) -> Result<Success> {
        super::stop_sound(ctx, Ok(id), Ok(input.unwrap_or_default())).await
    }
}
