//! Invites over GraphQL.

use api_core::{Cx, Result, http::Success};
use juniper::graphql_object;
use membership::invites::JoinedAccount;
use uuid::Uuid;

use super::{CreateInviteInput, Invite, InvitePreview};

/// Queries of invites.
pub struct InviteQueries;
/// Mutations of invites.
pub struct InviteMutations;

#[graphql_object(context = Cx)]
impl InviteQueries {
    async fn invites(ctx: &Cx) -> Result<Vec<Invite>> {
        super::invites(ctx).await
    }

    async fn invite_by_code(ctx: &Cx, code: String) -> Result<InvitePreview> {
        super::invite_by_code(ctx, &code).await
    }
}

#[graphql_object(context = Cx)]
impl InviteMutations {
    async fn create_invite(ctx: &Cx, input: CreateInviteInput) -> Result<Invite> {
        super::create_invite(ctx, Ok(input)).await
    }

    async fn delete_invite(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_invite(ctx, Ok(id)).await?;
        Ok(true)
    }

    async fn accept_invite(ctx: &Cx, code: String) -> Result<JoinedAccount> {
        super::accept_invite(ctx, &code).await
    }

    async fn decline_invite(ctx: &Cx, code: String) -> Result<Success> {
        super::decline_invite(ctx, &code).await?;
        Ok(Success::DONE)
    }
}
