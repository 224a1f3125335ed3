//! The beginning: which application, which page, and a handle for the way back.

use api_core::{ApiError, Code, Cx, Result, access::Principal};
use diesel_async::AsyncPgConnection;
use shared::{
    connections::{
        AppKind, ConnectionKind, CredentialSource, DISCORD_PERMISSIONS,
        applications::{self, Found},
        discord_guild_scopes, scopes,
    },
    id::AccountId,
    platforms::{Authorization, OAuthApp, PkceVerifier, Platform},
};

use super::{
    OauthAuthorization, OauthKind, not_configured,
    pending::{self, Pending},
};
use crate::platform::directory;

/// What is to be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purpose {
    pub kind: OauthKind,
    pub platform: Platform,
    /// `None` for the deployment's bots.
    pub account: Option<AccountId>,
}

/// The application that a new connection is made with.
///
/// # Errors
/// 400 `App credentials not configured` when there is none; `CREDENTIAL_DECRYPTION_FAILED` when its secret cannot be
/// read (A §2.8).
pub(crate) async fn application(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    kind: ConnectionKind,
    purpose: Purpose,
) -> Result<Found> {
    let account = purpose.account.map(|account| account.0);
    let found =
        applications::for_new_connection(connection, directory(cx), kind, purpose.platform, account).await?;
    readable(found)
}

/// The application that our bot in Discord belongs to.
///
/// # Errors
/// As [`application`].
pub(crate) async fn discord_application(cx: &Cx, connection: &mut AsyncPgConnection) -> Result<Found> {
    readable(applications::system(connection, directory(cx), Platform::Discord, AppKind::Bot).await?)
}

/// Remembers what is to be connected, ties it to the browser that asks, and answers the platform's page. `return_to` was
/// checked.
///
/// # Errors
/// 403 for a popout of another member; 500 when Redis fails.
pub(crate) async fn begin(
    cx: &Cx,
    purpose: Purpose,
    application: &Found,
    return_to: Option<String>,
) -> Result<OauthAuthorization> {
    // The connection names who made it, and whoever comes back has to be that person.
    let person = cx.person()?;
    let state = cx.state();
    let platform = purpose.platform;
    let verifier = platform.takes_pkce().then(PkceVerifier::generate);
    let pending = Pending {
        kind: purpose.kind,
        platform,
        account_id: purpose.account.map(|account| account.0),
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
    let page = state.platforms.client(platform).authorize_url(&Authorization {
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

/// Refuses an application whose secret cannot be read.
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

/// The application with its secret.
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
