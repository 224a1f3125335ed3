//! The end: from a code to a connection.

use api_core::{ApiError, Cx, Result, State, access::Visitor};
use diesel_async::AsyncConnection;
use serde_json::json;
use shared::{
    audit::{self, Scope},
    connections::{
        AppKind, CredentialSource, Update,
        applications::{self, Pin, Pinned},
        bots::{self, BotAction},
    },
    jobs::SubscribeChannel,
    outbox,
    platforms::{CodeExchange, OAuthApp, PkceVerifier, Platform, PlatformError, TokenGrant, TokenOwner},
    secret::Secret,
};
use uuid::Uuid;

use super::{
    OauthConnection, OauthExchange, OauthKind,
    begin::undecryptable,
    invalid_state, not_configured,
    pending::Pending,
    rights,
    store::{self, Maker, Stored},
};
use crate::platform::directory;

/// A grant, whose it is and whose application it was given to.
pub(super) struct Granted {
    /// None of a channel that was connected by hand without a token.
    pub tokens: Option<TokenGrant>,
    pub owner: TokenOwner,
    pub source: CredentialSource,
    pub app: AppKind,
    /// None where the tokens were set by hand: then any application of the kind fits.
    pub client_id: Option<String>,
}

/// Exchanges the code and makes the connection.
pub(super) async fn exchange(
    cx: &Cx,
    visitor: &Visitor,
    pending: Pending,
    code: &Secret,
) -> Result<OauthExchange> {
    rights::check(cx, visitor, &pending).await?;
    let application = pinned_application(cx, visitor, &pending).await?;
    let granted = redeem_code(cx, &pending, &application, code).await?;
    let mut db = visitor.db().await?;
    let made = db.transaction(async |connection| store(cx, connection, &pending, &granted).await).await;
    drop(db);
    let made = made?;
    if let Some(account) = pending.account_id {
        tell_bots(cx.state(), account, pending.platform).await;
    }
    Ok(OauthExchange {
        kind: pending.kind,
        platform: pending.platform.slug().to_owned(),
        connection: made,
        return_to: pending.return_to,
    })
}

/// The application whose page the browser was on.
async fn pinned_application(cx: &Cx, visitor: &Visitor, pending: &Pending) -> Result<OAuthApp> {
    let pin = Pin {
        platform: pending.platform,
        account: pending.account_id,
        source: pending.source,
        app: pending.app,
        client_id: Some(pending.client_id.clone()),
    };
    match applications::pinned(&mut *visitor.db().await?, directory(cx), &pin).await? {
        Pinned::Application(application) => Ok(application),
        Pinned::Gone | Pinned::Absent => Err(not_configured()),
        Pinned::Undecryptable => Err(undecryptable(pending.source)),
    }
}

/// Asks the platform, without a connection to the database in hand.
async fn redeem_code(cx: &Cx, pending: &Pending, application: &OAuthApp, code: &Secret) -> Result<Granted> {
    let client = cx.state().platforms.client(pending.platform);
    let verifier = pending.verifier.clone().map(|text| PkceVerifier::from_text(Secret::new(text)));
    let request = CodeExchange { code, redirect_uri: &pending.redirect_uri, verifier: verifier.as_ref() };
    let tokens =
        client.exchange_code(application, &request).await.map_err(|error| refusal(pending, error))?;
    let owner = client.token_owner(&application.client_id, &tokens.access_token).await;
    let owner = owner.map_err(|error| refusal(pending, error))?;
    let (source, app, client_id) = (pending.source, pending.app, Some(pending.client_id.clone()));
    Ok(Granted { tokens: Some(tokens), owner, source, app, client_id })
}

/// What the platform refused is the caller's to mend; that it is away is not.
fn refusal(pending: &Pending, error: PlatformError) -> ApiError {
    match error {
        PlatformError::InvalidGrant { .. } | PlatformError::Rejected { .. } | PlatformError::Unauthorized => {
            ApiError::bad_request("The platform did not accept the authorization")
        }
        PlatformError::InvalidClient { .. } => {
            ApiError::bad_request("The platform did not accept the app credentials")
        }
        other => ApiError::internal(format_args!("connecting {}: {other}", pending.platform)),
    }
}

/// Everything that a new connection changes, in one transaction.
async fn store(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    pending: &Pending,
    granted: &Granted,
) -> Result<OauthConnection> {
    if let Some(account) = pending.account_id {
        // It may have been dissolved meanwhile.
        store::lock_account(connection, account).await?.ok_or_else(invalid_state)?;
    }
    let state = cx.state();
    let stored = match (pending.kind, pending.account_id) {
        (OauthKind::Channel, Some(account)) => {
            let maker = Maker { platform: pending.platform, user_id: pending.user_id };
            channel(state, connection, account, maker, granted).await?
        }
        (OauthKind::AccountBot | OauthKind::GlobalBot, account) => {
            let maker = Maker { platform: pending.platform, user_id: pending.user_id };
            store::bot(state, connection, account, maker, granted).await?
        }
        (OauthKind::DiscordGuild, Some(account)) => {
            store::guild(state, connection, account, pending, granted).await?
        }
        (OauthKind::Channel | OauthKind::DiscordGuild, None) => {
            return Err(ApiError::internal("an authorization without an account"));
        }
    };
    record(cx, connection, pending, granted, &stored).await?;
    if let Some(account) = pending.account_id {
        announce(state, connection, account, pending.platform, &stored).await?;
    }
    Ok(stored.connection)
}

/// Stores a channel and has its platform asked for deliveries.
pub(super) async fn channel(
    state: &State,
    connection: &mut diesel_async::AsyncPgConnection,
    account: Uuid,
    maker: Maker,
    granted: &Granted,
) -> Result<Stored> {
    let stored = store::channel(state, connection, account, maker, granted).await?;
    subscribe(connection, &stored).await?;
    Ok(stored)
}

/// Writes what the account's clients are told after the commit.
pub(super) async fn announce(
    state: &State,
    connection: &mut diesel_async::AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    stored: &Stored,
) -> Result<()> {
    let Some(kind) = stored.kind else { return Ok(()) };
    let (slug, now) = (platform.slug(), state.clock.now());
    Ok(shared::connections::announce(connection, account, kind, slug, stored.update, now).await?)
}

/// The platform is asked for deliveries by a job: it may be slow, and it calls us back meanwhile.
async fn subscribe(connection: &mut diesel_async::AsyncPgConnection, stored: &Stored) -> Result<()> {
    let job = SubscribeChannel { connection_id: stored.id };
    let key = format!("{}:{}", stored.id, stored.token_version);
    Ok(outbox::add(connection, &job, &key).await?)
}

async fn record(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    pending: &Pending,
    granted: &Granted,
    stored: &Stored,
) -> Result<()> {
    let (action, resource_type) = match (pending.kind, stored.update) {
        (OauthKind::DiscordGuild, _) => ("discord_guild:linked", "discord_guild"),
        (kind, Update::Reconnected) => ("connection:reconnected", resource_type(kind)),
        (kind, _) => ("connection:connected", resource_type(kind)),
    };
    let entry = audit::Entry {
        scope: pending.account_id.map_or(Scope::System, Scope::Account),
        actor: pending.actor(),
        metadata: json!({
            "platform": pending.platform,
            "kind": pending.kind,
            "credential_source": granted.source,
            "platform_id": stored.platform_id,
        }),
        ..cx.audit(action, resource_type, stored.id)
    };
    Ok(audit::record(connection, entry).await?)
}

const fn resource_type(kind: OauthKind) -> &'static str {
    match kind {
        OauthKind::Channel => "channel_connection",
        OauthKind::AccountBot | OauthKind::GlobalBot => "bot_connection",
        OauthKind::DiscordGuild => "discord_guild",
    }
}

/// After the commit; bots also look by themselves.
pub(super) async fn tell_bots(state: &State, account: Uuid, platform: Platform) {
    let told = bots::tell(&state.redis, platform.slug(), account, BotAction::Sync).await;
    if let Err(error) = told {
        tracing::warn!(%platform, %error, "bots learn later of a new connection");
    }
}
