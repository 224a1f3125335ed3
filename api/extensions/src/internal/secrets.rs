//! Secrets of an extension, for one batch of invocations (reference/telemetry.md#internal-feeds).

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{Grants, System},
};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use extension_model::{feeds::Secrets, open_secret};
use shared::schema::extension_secrets::dsl;
use uuid::Uuid;

/// Bound of the query; an extension has fewer secrets.
const MAX_SECRETS: i64 = 100;

pub static INTERNAL_EXTENSION_SECRETS: Operation<System> =
    Operation::internal("internalExtensionSecrets", Grants::Nothing).not_idempotent("only reads");

/// Returns the decrypted secrets of an extension.
///
/// An unknown extension has none. The response must not be stored.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a malformed id.
/// - 409 `CREDENTIAL_DECRYPTION_FAILED` when a secret cannot be read with the configured keys.
#[api_core::operation]
pub async fn internal_extension_secrets(cx: &Cx, extension_id: Input<Uuid>) -> Result<Secrets> {
    let system = cx.authorize(&INTERNAL_EXTENSION_SECRETS).await?;
    let extension_id = extension_id?;
    let rows: Vec<(String, Vec<u8>)> = dsl::extension_secrets
        .filter(dsl::extension_id.eq(extension_id))
        .order(dsl::key)
        .limit(MAX_SECRETS)
        .select((dsl::key, dsl::value))
        .load(&mut *system.db().await?)
        .await?;
    let open = |(key, sealed): (String, Vec<u8>)| match open_secret(
        &cx.state().keyring,
        extension_id,
        &key,
        &sealed,
    ) {
        Ok(secret) => Ok((key, secret.expose().to_owned())),
        Err(error) => {
            tracing::error!(%extension_id, %key, %error, "a secret of an extension cannot be read");
            Err(ApiError::new(
                api_core::Code::CredentialDecryptionFailed,
                format!("Secret {key} cannot be read"),
            ))
        }
    };
    Ok(Secrets { secrets: rows.into_iter().map(open).collect::<Result<_>>()? })
}
