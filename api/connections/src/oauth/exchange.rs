//! End of the flow: from an authorization code to a connection (reference/connections.md#oauth-flow).

use api_core::{ApiError, Cx, Result, State, access::Visitor};
use connection_model::{
    Update,
    applications::{self, Pin, Pinned},
    bots::{self, BotAction},
};
use diesel_async::AsyncConnection;
use foundation::{
    audit::{self, Scope},
    invalidation::Invalidation,
    jobs::SubscribeChannel,
    outbox,
};
use platform_access::PlatformAccess as _;
use platforms::{CodeExchange, PkceVerifier, PlatformError};
use serde_json::json;
use shared::connection::OAuthApp;
use shared::{platform::Platform, secret::Secret};
use uuid::Uuid;

use super::{
    OauthConnection, OauthExchange, OauthKind,
    begin::undecryptable,
    invalid_state, not_configured,
    pending::Pending,
    rights,
    store::{self, Granted, Maker, Stored},
};
use crate::platform::directory;

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
    if pending.kind == OauthKind::Channel {
        // Who has connected a channel decides what public answers about it show.
        cx.changed(Invalidation::PublicStats).await;
    }
    if let Some(account) = pending.account_id {
        notify_bots(cx.state(), account, pending.platform).await;
    }
    Ok(OauthExchange {
        kind: pending.kind,
        platform: pending.platform.slug().to_owned(),
        connection: made,
        return_to: pending.return_to,
    })
}

/// Returns the application that was chosen at the beginning.
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

/// Asks the platform. No connection to the database is held meanwhile.
async fn redeem_code(cx: &Cx, pending: &Pending, application: &OAuthApp, code: &Secret) -> Result<Granted> {
    let client = cx.state().platforms().client(pending.platform);
    let verifier = pending.verifier.clone().map(|text| PkceVerifier::from_text(Secret::new(text)));
    let request = CodeExchange { code, redirect_uri: &pending.redirect_uri, verifier: verifier.as_ref() };
    let tokens =
        client.exchange_code(application, &request).await.map_err(|error| refusal(pending, error))?;
    let owner = client.token_owner(&application.client_id, &tokens.access_token).await;
    let owner = owner.map_err(|error| refusal(pending, error))?;
    let (source, app, client_id) = (pending.source, pending.app, Some(pending.client_id.clone()));
    Ok(Granted { tokens: Some(tokens), owner, source, app, client_id })
}

/// Maps a failure of the platform: a refusal is an error of the caller, an outage is not.
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

/// Writes all effects of a new connection in one transaction.
async fn store(
    cx: &Cx,
    connection: &mut diesel_async::AsyncPgConnection,
    pending: &Pending,
    granted: &Granted,
) -> Result<OauthConnection> {
    if let Some(account) = pending.account_id {
        // The account may have been dissolved meanwhile.
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

/// Stores a channel and adds the job that requests deliveries.
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

/// Writes the event for the account's clients, which is published after the commit.
pub(super) async fn announce(
    state: &State,
    connection: &mut diesel_async::AsyncPgConnection,
    account: Uuid,
    platform: Platform,
    stored: &Stored,
) -> Result<()> {
    let Some(kind) = stored.kind else { return Ok(()) };
    let (slug, now) = (platform.slug(), state.clock.now());
    Ok(connection_model::announce(connection, account, kind, slug, stored.update, now).await?)
}

/// Adds the job that requests deliveries. It is a job because the platform may be slow and calls back
/// meanwhile.
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

/// Notifies bots after the commit. They also read the stored state.
pub(super) async fn notify_bots(state: &State, account: Uuid, platform: Platform) {
    let notified = bots::publish(&state.redis, platform.slug(), account, BotAction::Sync).await;
    if let Err(error) = notified {
        tracing::warn!(%platform, %error, "bots were not notified of a new connection");
    }
}
