//! States of versions and extensions, and the steps between them (reference/developers.md#version-states).
//! Developers and reviewers take them.

pub(crate) mod db;
mod status;

use api_core::Cx;
use extension_model::announce;
use uuid::Uuid;

pub use status::ExtensionVersionStatus;
pub(crate) use status::allowed_from;

/// Announces to the workers of these accounts, after the commit, that they read again if their installs run.
/// Workers also poll.
pub(crate) async fn announce_to(cx: &Cx, accounts: Vec<Uuid>) {
    let state = cx.state().clone();
    cx.after_commit(async move {
        for account in accounts {
            if let Err(error) = announce::refresh(&state.redis, account).await {
                tracing::warn!(%account, %error, "the move of a version was not announced");
            }
        }
    })
    .await;
}
