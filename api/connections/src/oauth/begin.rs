//! Beginning of the flow: the application, the platform's page and a state handle
//! (reference/connections.md#choice-of-the-application).

use api_core::{ApiError, Code, Cx, Result, access::Principal};
use connection_model::{
    DISCORD_PERMISSIONS,
    applications::{self, Found},
    discord_guild_scopes, scopes,
};
use diesel_async::AsyncPgConnection;
use platform_access::PlatformAccess as _;
use platforms::{Authorization, PkceVerifier};
use shared::connection::OAuthApp;
use shared::{
    connection::{AppKind, ConnectionKind, CredentialSource},
    id::AccountId,
    platform::Platform,
};

use super::{
    OauthAuthorization, OauthKind, not_configured,
    pending::{self, Pending},
};
use crate::platform::directory;

/// Connection that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// Kind of the connection.
    pub kind: OauthKind,
    /// Platform.
    pub platform: Platform,
    /// Account; `None` for bots of the deployment.
    pub account: Option<AccountId>,
}

/// Returns the application for a new connection.
///
/// # Errors
/// 400 `App credentials not configured` when there is none; `CREDENTIAL_DECRYPTION_FAILED` when its secret
/// cannot be decrypted.
pub(crate) async fn application(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    kind: ConnectionKind,
    purpose: Purpose,
) -> Result<Found> {
    let account = purpose.account.map(AccountId::uuid);
    let found =
        applications::for_new_connection(connection, directory(cx), kind, purpose.platform, account).await?;
    readable(found)
}

/// Returns the application of the deployment's bot in Discord.
///
/// # Errors
/// 400 `App credentials not configured` when there is none; `CREDENTIAL_DECRYPTION_FAILED` when its secret
/// cannot be decrypted.
pub(crate) async fn discord_application(cx: &Cx, connection: &mut AsyncPgConnection) -> Result<Found> {
    readable(applications::system(connection, directory(cx), Platform::Discord, AppKind::Bot).await?)
}

/// Stores the beginning, binds it to the browser of the request, and returns the platform's page. The caller
/// has checked `return_to`.
///
/// # Errors
/// 403 for a popout of another member; 500 when Redis fails.
pub(crate) async fn begin(
    cx: &Cx,
    purpose: Purpose,
    application: &Found,
    return_to: Option<String>,
) -> Result<OauthAuthorization> {
    // The connection stores the person who made it, and the same person must finish it.
    let person = cx.person()?;
    let state = cx.state();
    let platform = purpose.platform;
    let verifier = platform.takes_pkce().then(PkceVerifier::generate);
    let pending = Pending {
        kind: purpose.kind,
        platform,
        account_id: purpose.account.map(AccountId::uuid),
        user_id: person.map(|user| user.0),
        service_key_id: service_key(cx.principal()),
        source: application.source,
        app: application.app,
        client_id: application.client_id.clone(),
        redirect_uri: state.config.connections.callback(platform),
        verifier: verifier.as_ref().map(|verifier| verifier.text().expose().to_owned()),
        return_to,
        browser: pending::browser_hash(cx.bind_browser()),
        expires_at: pending::expiry(state.clock.now()),
    };
    let handle = pending::remember(&state.redis, &pending).await?;
    let page = state.platforms().client(platform).authorize_url(&Authorization {
        client_id: &application.client_id,
        redirect_uri: &pending.redirect_uri,
        state: handle.expose(),
        scopes: asked_scopes(purpose),
        verifier: verifier.as_ref(),
        // A bot is another user than the one who is signed in at the platform.
        force_consent: matches!(purpose.kind, OauthKind::AccountBot | OauthKind::GlobalBot),
    });
    let mut page = page.map_err(ApiError::internal)?;
    if purpose.kind == OauthKind::DiscordGuild {
        page.query_pairs_mut().append_pair("permissions", &DISCORD_PERMISSIONS.to_string());
    }
    Ok(OauthAuthorization { authorize_url: page.into(), state: handle.expose().to_owned() })
}

/// Error for an application whose secret cannot be decrypted.
pub(super) fn undecryptable(source: CredentialSource) -> ApiError {
    let message = match source {
        CredentialSource::Account => {
            "The stored app credentials cannot be decrypted. Enter them again under Connections, App credentials."
        }
        CredentialSource::System => {
            "The system credentials of this platform cannot be decrypted. Ask an operator to enter them again, or enter \
             your own under Connections, App credentials."
        }
    };
    ApiError::new(Code::CredentialDecryptionFailed, message)
}

/// Returns the application with its secret.
pub(super) fn usable(found: &Found) -> Result<OAuthApp> {
    found.usable().ok_or_else(|| undecryptable(found.source))
}

fn readable(found: Option<Found>) -> Result<Found> {
    let found = found.ok_or_else(not_configured)?;
    usable(&found)?;
    Ok(found)
}

const fn asked_scopes(purpose: Purpose) -> &'static [&'static str] {
    match purpose.kind {
        OauthKind::Channel => scopes(ConnectionKind::Channel, purpose.platform),
        OauthKind::AccountBot | OauthKind::GlobalBot => scopes(ConnectionKind::Bot, purpose.platform),
        OauthKind::DiscordGuild => discord_guild_scopes(),
    }
}

const fn service_key(principal: &Principal) -> Option<uuid::Uuid> {
    match principal {
        Principal::ServiceKey { id, .. } => Some(*id),
        _ => None,
    }
}
