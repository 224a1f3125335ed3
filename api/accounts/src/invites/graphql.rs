//! Invites over GraphQL.

use api_core::{Cx, Result, http::Success, invites::JoinedAccount};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateInviteInput, Invite, InvitePreview};

pub struct InviteQueries;
pub struct InviteMutations;

#[graphql_object(context = Cx)]
impl InviteQueries {
    /// The invites of the account, newest first.
    async fn invites(ctx: &Cx) -> Result<Vec<Invite>> {
        super::invites(ctx).await
    }

    /// What an invite leads to, for whoever has its code.
    async fn invite_by_code(ctx: &Cx, code: String) -> Result<InvitePreview> {
        super::invite_by_code(ctx, &code).await
    }
}

#[graphql_object(context = Cx)]
impl InviteMutations {
    /// Invite somebody.
    async fn create_invite(ctx: &Cx, input: CreateInviteInput) -> Result<Invite> {
        super::create_invite(ctx, Ok(input)).await
    }

    /// Take an invite back.
    async fn delete_invite(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_invite(ctx, Ok(id)).await?;
        Ok(true)
    }

    /// Become a member with the invite's role.
    async fn accept_invite(ctx: &Cx, code: String) -> Result<JoinedAccount> {
        super::accept_invite(ctx, &code).await
    }

    /// Turn an invite down.
    async fn decline_invite(ctx: &Cx, code: String) -> Result<Success> {
        super::decline_invite(ctx, &code).await?;
        Ok(Success::DONE)
    }
}
