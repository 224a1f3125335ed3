//! Applications on the platforms: the deployment's and the accounts' own (specification A §2.8, C §9, §10).
//!
//! A new connection takes the application that its mode leads to, and keeps it: a refresh token can only be refreshed
//! by the application that issued it.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{AppKind, ConnectionKind, CredentialModes, CredentialSource};
use crate::{
    Error, Result,
    crypto::{Keyring, Place, row},
    db::schema::{app_credentials, system_connections},
    platforms::{OAuthApp, Platform, PlatformsConfig},
    secret::Secret,
};

/// What looking for an application needs.
#[derive(Clone, Copy)]
pub struct Directory<'a> {
    pub keyring: &'a Keyring,
    pub platforms: &'a PlatformsConfig,
    pub modes: &'a CredentialModes,
}

/// An application that was found.
#[derive(Debug, Clone)]
pub struct Found {
    pub source: CredentialSource,
    pub app: AppKind,
    pub client_id: String,
    /// `None` when the stored secret cannot be decrypted.
    pub client_secret: Option<Secret>,
}

impl Found {
    /// The application, if its secret can be read.
    #[must_use]
    pub fn usable(&self) -> Option<OAuthApp> {
        let client_secret = self.client_secret.clone()?;
        Some(OAuthApp { client_id: self.client_id.clone(), client_secret })
    }
}

/// The application that a connection was made with, as its row tells (A §2.8, rule 6).
#[derive(Debug, Clone)]
pub struct Pin {
    pub platform: Platform,
    /// Whose own application it is; `None` for the deployment's bots.
    pub account: Option<Uuid>,
    pub source: CredentialSource,
    pub app: AppKind,
    /// `None` for a connection whose tokens were set by hand: then any application of the kind fits.
    pub client_id: Option<String>,
}

/// What is left of a pinned application.
#[derive(Debug, Clone)]
pub enum Pinned {
    Application(OAuthApp),
    /// The account deleted its own, or another stands in its place: nothing can refresh the tokens that it issued.
    Gone,
    /// The deployment has none of the kind at the moment: what is missing in a configuration may come back.
    Absent,
    /// Its secret cannot be decrypted.
    Undecryptable,
}

/// The application of the deployment for a purpose, with the fallbacks of A §2.8: a bot takes the platform's channel
/// application when it has none of its own (not on YouTube), and a Twitch channel takes the login application.
///
/// # Errors
/// When the database fails.
pub async fn system(
    connection: &mut AsyncPgConnection,
    directory: Directory<'_>,
    platform: Platform,
    purpose: AppKind,
) -> Result<Option<Found>> {
    let candidates = stored(connection, directory, platform).await?;
    Ok(first_fitting(platform, purpose, candidates))
}

/// For every platform and kind that has an OAuth mode, whether the deployment has an application for it. One
/// statement, whatever the number of platforms.
///
/// # Errors
/// When the database fails.
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

/// The application that a new connection is made with: the deployment's where the mode says so and there is one, else
/// the account's own (A §2.8). `None` when there is none at all. The deployment's bots have no account.
///
/// # Errors
/// When the database fails.
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

/// The application that a connection is pinned to, which alone may refresh its tokens.
///
/// # Errors
/// When the database fails.
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

/// The pinned one of the deployment's applications. The client id is what an application is: it may have been entered
/// under another kind since, and under several. Then the secret that was entered last is the one that holds, if it can
/// be read.
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

/// Seals the secret of an application for its row.
///
/// # Errors
/// When the cipher refuses.
pub fn seal(keyring: &Keyring, table: &str, id: Uuid, secret: &Secret) -> Result<Vec<u8>> {
    keyring.seal(place(table, &row(id)), secret)
}

/// The secret of an application; `None` when it cannot be decrypted.
///
/// # Errors
/// Never for a secret that does not open.
pub fn open(keyring: &Keyring, table: &str, id: Uuid, sealed: &[u8]) -> Result<Option<Secret>> {
    match keyring.open(place(table, &row(id)), sealed) {
        Ok(secret) => Ok(Some(secret)),
        Err(Error::Decryption(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The last four characters of a client id, which is all that is read back of an application (A §2.8, rule 7). A
/// shorter id shows nothing.
#[must_use]
pub fn client_id_hint(client_id: &str) -> String {
    const SHOWN: usize = 4;
    let length = client_id.chars().count();
    if length <= SHOWN {
        return String::new();
    }
    client_id.chars().skip(length - SHOWN).collect()
}

/// The kinds of application of the deployment that serve a purpose, the best first.
const fn preference(platform: Platform, purpose: AppKind) -> &'static [AppKind] {
    use AppKind::{Bot, Channel, Login};
    match (purpose, platform) {
        (Login, _) => &[Login],
        (Channel, Platform::Twitch) => &[Channel, Login],
        (Channel, _) => &[Channel],
        (Bot, Platform::Twitch) => &[Bot, Channel, Login],
        (Bot, Platform::Youtube) => &[Bot],
        // Its bot belongs to the application that people sign in with, unless another is named.
        (Bot, Platform::Discord) => &[Bot, Login],
        (Bot, _) => &[Bot, Channel],
    }
}

/// The kinds that an account's own application may have to serve a connection.
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
    // Stable: what staff entered stands before what the configuration has.
    candidates
        .into_iter()
        .filter_map(|found| Some((rank(&found)?, found)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, found)| found)
}

/// Every application of the deployment on a platform: those that staff entered, the last first, then the configured one,
/// with which people sign in.
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

const fn place<'a>(table: &'a str, row: &'a str) -> Place<'a> {
    Place { table, column: "client_secret", row }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(app: AppKind, client_id: &str) -> Found {
        Found { source: CredentialSource::System, app, client_id: client_id.into(), client_secret: None }
    }

    fn chosen(platform: Platform, purpose: AppKind, apps: &[AppKind]) -> Option<AppKind> {
        let candidates = apps.iter().map(|app| found(*app, "id")).collect();
        first_fitting(platform, purpose, candidates).map(|found| found.app)
    }

    #[test]
    fn a_bot_prefers_its_own_application_and_falls_back_to_the_channels() {
        use AppKind::{Bot, Channel, Login};
        for platform in [Platform::Twitch, Platform::Kick, Platform::Trovo] {
            assert_eq!(chosen(platform, Bot, &[Channel, Bot]), Some(Bot), "{platform}");
            assert_eq!(chosen(platform, Bot, &[Login, Channel]), Some(Channel), "{platform}");
        }
        assert_eq!(chosen(Platform::Youtube, Bot, &[Channel, Login]), None);
    }

    #[test]
    fn only_twitch_channels_fall_back_to_the_login_application() {
        use AppKind::{Bot, Channel, Login};
        assert_eq!(chosen(Platform::Twitch, Channel, &[Login, Bot]), Some(Login));
        assert_eq!(chosen(Platform::Twitch, Bot, &[Login]), Some(Login));
        for platform in [Platform::Kick, Platform::Trovo, Platform::Youtube, Platform::Spotify] {
            assert_eq!(chosen(platform, Channel, &[Login, Bot]), None, "{platform}");
        }
    }

    #[test]
    fn what_staff_entered_stands_before_the_configuration() {
        let candidates = vec![found(AppKind::Login, "entered"), found(AppKind::Login, "configured")];
        let first = first_fitting(Platform::Kick, AppKind::Login, candidates);
        assert_eq!(first.map(|found| found.client_id).as_deref(), Some("entered"));
    }

    fn pin(app: AppKind, client_id: &str) -> Pin {
        let (platform, source) = (Platform::Twitch, CredentialSource::System);
        Pin { platform, account: None, source, app, client_id: Some(client_id.into()) }
    }

    fn with_secret(app: AppKind, client_id: &str, secret: &str) -> Found {
        Found { client_secret: Some(Secret::new(secret)), ..found(app, client_id) }
    }

    #[test]
    fn of_one_client_id_under_several_kinds_the_last_secret_that_can_be_read_holds() {
        use AppKind::{Bot, Channel, Login};
        let candidates =
            vec![found(Bot, "app"), with_secret(Channel, "app", "new"), with_secret(Login, "app", "old")];
        match pinned_among(candidates, &pin(Login, "app")) {
            Pinned::Application(app) => assert_eq!(app.client_secret.expose(), "new"),
            other => panic!("{other:?}"),
        }
        let sealed = vec![found(Login, "app")];
        assert!(matches!(pinned_among(sealed, &pin(Login, "app")), Pinned::Undecryptable));
    }

    #[test]
    fn an_application_is_gone_when_another_stands_in_its_place_and_absent_when_none_does() {
        use AppKind::{Channel, Login};
        let gone = pinned_among(vec![with_secret(Login, "other", "s")], &pin(Login, "app"));
        assert!(matches!(gone, Pinned::Gone));
        for candidates in [vec![], vec![with_secret(Channel, "other", "s")]] {
            assert!(matches!(pinned_among(candidates, &pin(Login, "app")), Pinned::Absent));
        }
    }

    #[test]
    fn a_hint_shows_four_characters_and_never_the_whole() {
        assert_eq!(client_id_hint("abcdefgh"), "efgh");
        assert_eq!(client_id_hint("äöüßé"), "öüßé");
        assert_eq!(client_id_hint("abcd"), "");
    }
}
