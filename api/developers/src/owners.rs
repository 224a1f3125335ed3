//! Owners of extensions, with the refusals of the developer API (reference/teams.md#extensions-of-a-team).

use api_core::access::AnyOperation;
use developer_access::{
    extensions::{self, Owner},
    profile,
};
use diesel_async::AsyncPgConnection;
use shared::id::UserId;
use uuid::Uuid;

use crate::envelope::{DeveloperError, Result};

/// Owner of an extension as a caller is related to it, before the check of the right.
pub(crate) struct Found(Option<Owner>);

impl Found {
    /// True when the owner is verified. It is assumed of an extension that the caller gets 404 for, so that
    /// the input shows nothing about it.
    pub(crate) fn is_verified(&self) -> bool {
        self.0.as_ref().is_none_or(|owner| owner.verified)
    }

    /// Owner for a caller with the right that the operation needs.
    ///
    /// # Errors
    /// 404 for a caller without a relation to the extension; 403 without the permission in its team.
    pub(crate) fn permitted(self, operation: &dyn AnyOperation) -> Result<Owner> {
        let owner = self.0.ok_or_else(not_found)?;
        owner.require(operation)?;
        Ok(owner)
    }
}

/// Owner of an extension as the person is related to it.
///
/// # Errors
/// Database failure.
pub(crate) async fn find(
    connection: &mut AsyncPgConnection,
    user: Option<UserId>,
    extension: Uuid,
) -> Result<Found> {
    Ok(Found(extensions::find(connection, user, extension).await?))
}

/// Owner of an extension for a caller of the developer API with the right that the operation needs.
///
/// # Errors
/// 403 `Developer profile required` for a person without a profile and a team; 404 for a caller without a
/// relation to the extension; 403 without the permission in its team.
pub(crate) async fn required(
    connection: &mut AsyncPgConnection,
    operation: &dyn AnyOperation,
    user: UserId,
    extension: Uuid,
) -> Result<Owner> {
    profile::required_or_member(connection, user).await?;
    find(connection, Some(user), extension).await?.permitted(operation)
}

/// 404 of an extension that the caller has no relation to.
pub(crate) fn not_found() -> DeveloperError {
    DeveloperError::not_found("extension_not_found", "Extension not found")
}
