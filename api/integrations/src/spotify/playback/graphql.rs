//! GraphQL fields of `playback`.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;

use super::{
    SpotifyAddToQueueInput, SpotifyPlayInput, SpotifyRepeatInput, SpotifySeekInput, SpotifySetDeviceInput,
    SpotifySetVolumeInput, SpotifyShuffleInput, SpotifyState,
};

/// Query fields.
pub struct SpotifyPlaybackQueries;
/// Mutation fields.
pub struct SpotifyPlaybackMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SpotifyPlaybackQueries {
    async fn spotify_state(ctx: &Cx) -> Result<SpotifyState> {
        super::spotify_state(ctx).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl SpotifyPlaybackMutations {
    async fn spotify_play(ctx: &Cx, input: Option<SpotifyPlayInput>) -> Result<Success> {
        super::spotify_play(ctx, Ok(input.unwrap_or_default())).await
    }

    async fn spotify_pause(ctx: &Cx) -> Result<Success> {
        super::spotify_pause(ctx).await
    }

    async fn spotify_next(ctx: &Cx) -> Result<Success> {
        super::spotify_next(ctx).await
    }

    async fn spotify_previous(ctx: &Cx) -> Result<Success> {
        super::spotify_previous(ctx).await
    }

    async fn spotify_seek(ctx: &Cx, input: SpotifySeekInput) -> Result<Success> {
        super::spotify_seek(ctx, Ok(input)).await
    }

    async fn spotify_shuffle(ctx: &Cx, input: SpotifyShuffleInput) -> Result<Success> {
        super::spotify_shuffle(ctx, Ok(input)).await
    }

    async fn spotify_repeat(ctx: &Cx, input: SpotifyRepeatInput) -> Result<Success> {
        super::spotify_repeat(ctx, Ok(input)).await
    }

    async fn spotify_set_volume(ctx: &Cx, input: SpotifySetVolumeInput) -> Result<Success> {
        super::spotify_set_volume(ctx, Ok(input)).await
    }

    async fn spotify_add_to_queue(ctx: &Cx, input: SpotifyAddToQueueInput) -> Result<Success> {
        super::spotify_add_to_queue(ctx, Ok(input)).await
    }

    async fn spotify_set_device(ctx: &Cx, input: SpotifySetDeviceInput) -> Result<Success> {
        super::spotify_set_device(ctx, Ok(input)).await
    }
}
