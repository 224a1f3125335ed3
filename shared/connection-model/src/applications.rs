//! Applications on the platforms: the deployment's and the accounts' own
//! (reference/connections.md#choice-of-the-application).
//!
//! A new connection takes the application of its mode and keeps it: only the application that issued a
//! refresh token can use it.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use foundation::crypto::{Keyring, SecretLocation, row};
use shared::connection::OAuthApp;
use shared::connection::{AppKind, ConnectionKind, CredentialModes, CredentialSource};
use shared::{
    Error, Result,
    config::platforms::PlatformsConfig,
    platform::Platform,
    schema::{app_credentials, system_connections},
    secret::Secret,
};

/// Inputs of a lookup of applications.
#[derive(Clone, Copy)]
pub struct Directory<'a> {
    /// Keys of encryption at rest.
    pub keyring: &'a Keyring,
    /// Configured applications of the deployment.
    pub platforms: &'a PlatformsConfig,
    /// Intended owners of the applications of new connections.
    pub modes: &'a CredentialModes,
}

/// Application that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Owner of the application.
    pub source: CredentialSource,
    /// Kind of the application.
    pub app: AppKind,
    /// Client id.
    pub client_id: String,
    /// Client secret; `None` when the stored secret cannot be decrypted.
    pub client_secret: Option<Secret>,
}

impl Found {
    /// Application, if its secret can be decrypted.
    #[must_use]
    pub fn usable(&self) -> Option<OAuthApp> {
        let client_secret = self.client_secret.clone()?;
        Some(OAuthApp { client_id: self.client_id.clone(), client_secret })
    }
}

/// Application that a connection was made with, as its row states it
/// (reference/connections.md#pinned-application).
#[derive(Debug, Clone)]
pub struct Pin {
    /// Platform of the application.
    pub platform: Platform,
    /// Account of the connection; `None` for the deployment's bots.
    pub account: Option<Uuid>,
    /// Owner of the application.
    pub source: CredentialSource,
    /// Kind of the application.
    pub app: AppKind,
    /// Client id; `None` for a connection whose tokens were set by hand: then any application of the kind
    /// fits.
    pub client_id: Option<String>,
}

/// State of a pinned application.
#[derive(Debug, Clone)]
pub enum Pinned {
    /// The application exists.
    Application(OAuthApp),
    /// The account deleted or replaced its own, or the deployment replaced it: nothing can refresh the tokens
    /// that it issued.
    Gone,
    /// The deployment has none of the kind at present. A setting that is missing may come back.
    Absent,
    /// Its secret cannot be decrypted.
    Undecryptable,
}

/// Application of the deployment for a purpose (reference/connections.md#choice-of-the-application). A bot
/// takes the channel application of the platform when there is none for bots (not on YouTube), and a Twitch
/// channel takes the login application.
///
/// # Errors
/// A failure of the database.
pub async fn system(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    platform: Platform,
    purpose: AppKind,
) -> Result<Option<Found>> {
    let candidates = stored(connection, directory, platform).await?;
    Ok(first_fitting(platform, purpose, candidates))
}

/// Platforms and kinds with an OAuth mode, each with true when the deployment has an application for it. One
/// statement for all platforms.
///
/// # Errors
/// A failure of the database.
pub async fn configured(
    connection: &mut AsyncPgConnection,
    platforms: &PlatformsConfig,
) -> Result<impl Fn(ConnectionKind, Platform) -> bool + use<>> {
    let rows: Vec<(String, String)> = system_connections::table
        .select((system_connections::platform, system_connections::kind))
        .load(connection)
        .await?;
    let mut known: Vec<(Platform, AppKind)> = rows
        .iter()
        .filter_map(|(platform, kind)| Some((platform.parse().ok()?, AppKind::parse(kind)?)))
        .collect();
    let in_configuration = |platform: &Platform| configured_login(platforms, *platform).is_some();
    known.extend(
        Platform::ALL.into_iter().filter(in_configuration).map(|platform| (platform, AppKind::Login)),
    );
    Ok(move |kind: ConnectionKind, platform| {
        preference(platform, kind.app()).iter().any(|app| known.contains(&(platform, *app)))
    })
}

/// Application for a new connection: the deployment's where the mode is `system` and there is one, else the
/// account's own. `None` when there is none at all. The deployment's bots have no account.
///
/// # Errors
/// A failure of the database.
pub async fn for_new_connection(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    kind: ConnectionKind,
    platform: Platform,
    account: Option<Uuid>,
) -> Result<Option<Found>> {
    let mode = directory.modes.get(kind, platform);
    if mode == Some(CredentialSource::System) || account.is_none() {
        let found = system(connection, directory, platform, kind.app()).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    let Some(account) = account else { return Ok(None) };
    let own = own(connection, directory.keyring, account, platform).await?;
    Ok(own.filter(|found| preference_of_own(platform, kind).contains(&found.app)))
}

/// Application that a connection is pinned to. Only this one may refresh its tokens.
///
/// # Errors
/// A failure of the database.
pub async fn pinned(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    pin: &Pin,
) -> Result<Pinned> {
    match (pin.source, pin.account) {
        (CredentialSource::Account, None) => Ok(Pinned::Gone),
        (CredentialSource::Account, Some(account)) => {
            let own = own(connection, directory.keyring, account, pin.platform).await?;
            let is_same = |found: &Found| pin.client_id.as_ref().is_none_or(|id| found.client_id == *id);
            Ok(own.filter(is_same).map_or(Pinned::Gone, Pinned::from))
        }
        (CredentialSource::System, _) => {
            Ok(pinned_among(stored(connection, directory, pin.platform).await?, pin))
        }
    }
}

/// Finds the pinned one among the applications of the deployment. The client id identifies an application. It
/// may have been entered under another kind since, and under several: then the readable secret that was
/// entered last is used.
fn pinned_among(candidates: Vec<Found>, pin: &Pin) -> Pinned {
    let Some(client_id) = &pin.client_id else {
        return first_fitting(pin.platform, pin.app, candidates).map_or(Pinned::Absent, Pinned::from);
    };
    let has_successor = candidates.iter().any(|found| found.app == pin.app);
    let (readable, sealed): (Vec<Found>, Vec<Found>) = candidates
        .into_iter()
        .filter(|found| found.client_id == *client_id)
        .partition(|found| found.client_secret.is_some());
    match readable.into_iter().chain(sealed).next() {
        Some(found) => Pinned::from(found),
        None if has_successor => Pinned::Gone,
        None => Pinned::Absent,
    }
}

impl From<Found> for Pinned {
    fn from(found: Found) -> Self {
        found.usable().map_or(Self::Undecryptable, Self::Application)
    }
}

/// Encrypts the secret of an application for its row.
///
/// # Errors
/// A failure of the cipher.
pub fn seal(keyring: &Keyring, table: &str, id: Uuid, secret: &Secret) -> Result<Vec<u8>> {
    keyring.seal(place(table, &row(id)), secret)
}

/// Secret of an application; `None` when it cannot be decrypted.
///
/// # Errors
/// None for a secret that cannot be decrypted.
pub fn open(keyring: &Keyring, table: &str, id: Uuid, sealed: &[u8]) -> Result<Option<Secret>> {
    match keyring.open(place(table, &row(id)), sealed) {
        Ok(secret) => Ok(Some(secret)),
        Err(Error::Decryption(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Last four characters of a client id: the only part of an application that is read back
/// (reference/connections.md#read-back). Empty for a shorter id.
#[must_use]
pub fn client_id_hint(client_id: &str) -> String {
    const SHOWN: usize = 4;
    let length = client_id.chars().count();
    if length <= SHOWN {
        return String::new();
    }
    client_id.chars().skip(length - SHOWN).collect()
}

/// Kinds of application of the deployment that serve a purpose, best first.
const fn preference(platform: Platform, purpose: AppKind) -> &'static [AppKind] {
    use AppKind::{Bot, Channel, Login};
    match (purpose, platform) {
        (Login, _) => &[Login],
        (Channel, Platform::Twitch) => &[Channel, Login],
        (Channel, _) => &[Channel],
        (Bot, Platform::Twitch) => &[Bot, Channel, Login],
        (Bot, Platform::Youtube) => &[Bot],
        // The bot belongs to the application of sign-ins, unless another is set.
        (Bot, Platform::Discord) => &[Bot, Login],
        (Bot, _) => &[Bot, Channel],
    }
}

/// Kinds that an account's own application may have to serve a connection.
const fn preference_of_own(platform: Platform, kind: ConnectionKind) -> &'static [AppKind] {
    match (kind, platform) {
        (ConnectionKind::Channel, _) => &[AppKind::Channel],
        (ConnectionKind::Bot, Platform::Youtube) => &[AppKind::Bot],
        (ConnectionKind::Bot, _) => &[AppKind::Bot, AppKind::Channel],
    }
}

fn first_fitting(platform: Platform, purpose: AppKind, candidates: Vec<Found>) -> Option<Found> {
    let preference = preference(platform, purpose);
    let rank = |found: &Found| preference.iter().position(|app| *app == found.app);
    // The sort is stable: applications that staff entered stay before the configured one.
    candidates
        .into_iter()
        .filter_map(|found| Some((rank(&found)?, found)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, found)| found)
}

/// Applications of the deployment on a platform: those that staff entered, newest first, then the configured
/// one, which is for sign-ins.
async fn stored(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    platform: Platform,
) -> Result<Vec<Found>> {
    let rows: Vec<(Uuid, String, String, Vec<u8>)> = system_connections::table
        .filter(system_connections::platform.eq(platform.slug()))
        .order((system_connections::updated_at.desc(), system_connections::id.desc()))
        .select((
            system_connections::id,
            system_connections::kind,
            system_connections::client_id,
            system_connections::client_secret,
        ))
        .load(connection)
        .await?;
    let mut found = Vec::with_capacity(rows.len() + 1);
    for (id, kind, client_id, sealed) in rows {
        let app = AppKind::parse(&kind)
            .ok_or_else(|| Error::Internal(format!("system connection {id} is of unknown kind `{kind}`")))?;
        let client_secret = open(directory.keyring, "system_connections", id, &sealed)?;
        found.push(Found { source: CredentialSource::System, app, client_id, client_secret });
    }
    found.extend(configured_login(directory.platforms, platform));
    Ok(found)
}

fn configured_login(platforms: &PlatformsConfig, platform: Platform) -> Option<Found> {
    let config = platforms.get(platform);
    Some(Found {
        source: CredentialSource::System,
        app: AppKind::Login,
        client_id: config.client_id.clone()?,
        client_secret: Some(config.client_secret.clone()?),
    })
}

/// The account's own application on a platform.
async fn own(
    connection: &mut AsyncPgConnection,
    keyring: &Keyring,
    account: Uuid,
    platform: Platform,
) -> Result<Option<Found>> {
    let record: Option<(Uuid, String, String, Vec<u8>)> = app_credentials::table
        .filter(app_credentials::account_id.eq(account).and(app_credentials::platform.eq(platform.slug())))
        .select((
            app_credentials::id,
            app_credentials::kind,
            app_credentials::client_id,
            app_credentials::client_secret,
        ))
        .first(connection)
        .await
        .optional()?;
    let Some((id, kind, client_id, sealed)) = record else { return Ok(None) };
    let app = AppKind::parse(&kind)
        .ok_or_else(|| Error::Internal(format!("app credentials {id} are of unknown kind `{kind}`")))?;
    let client_secret = open(keyring, "app_credentials", id, &sealed)?;
    Ok(Some(Found { source: CredentialSource::Account, app, client_id, client_secret }))
}

const fn place<'a>(table: &'a str, row: &'a str) -> SecretLocation<'a> {
    SecretLocation { table, column: "client_secret", row }
}

#[cfg(test)]
mod tests;
