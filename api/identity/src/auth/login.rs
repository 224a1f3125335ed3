//! Who somebody is at a provider, and which user that makes them here.

use api_core::{
    ApiError, Code, Cx, Result,
    access::{Visitor, global_features},
    validate,
};
use diesel_async::AsyncPgConnection;
use serde_json::json;
use shared::{
    accounts::{LONGEST_NAME, NewAccount, create_with_default_roles},
    audit::{self, Actor, Scope},
    catalogue::Feature,
    crypto::{self, Place},
    id::{AccountId, UserId},
    platforms::{Platform, PlatformError, VerifiedIdentity},
    secret::Secret,
};
use url::Url;
use uuid::Uuid;

use super::{ExchangeTokenInput, LoginProfile, db};

const LONGEST_USERNAME: usize = 100;
const LONGEST_PROVIDER_ID: usize = 255;
const LONGEST_URL: usize = 2048;
/// Provider tokens are opaque; none is longer than this.
const LONGEST_ACCESS_TOKEN: usize = 4096;

/// A sign-in that the provider vouched for.
pub(super) struct Login {
    pub platform: Platform,
    pub provider_user_id: String,
    pub access_token: Secret,
    pub display_name: String,
    pub username: String,
    pub avatar_url: Option<String>,
    pub email: Option<String>,
}

/// Whom a sign-in belongs to.
pub(super) struct SignedInPerson {
    pub user: UserId,
    /// The account to act in.
    pub account: Option<AccountId>,
    pub is_new: bool,
}

/// The platform of a provider's name.
pub(super) fn platform(provider: &str) -> Result<Platform> {
    Platform::from_login_provider(provider).map_err(|error| ApiError::invalid(error.to_string()))
}

/// Refuses a provider that sign-in is switched off for.
pub(super) async fn check_enabled(cx: &Cx, platform: Platform) -> Result<()> {
    if global_features(cx.state()).await?.platform_allows(platform.slug(), "login") {
        return Ok(());
    }
    Err(ApiError::new(Code::FeatureDisabled, format!("Feature is disabled: platform:{platform}:login")))
}

/// Whether somebody who signs in for the first time gets an account.
pub(super) async fn may_create_account(cx: &Cx) -> Result<bool> {
    Ok(global_features(cx.state()).await?.has(Feature::AccountCreation))
}

impl Login {
    /// Checks the input and asks the provider whose token it is and whom it was issued to.
    pub(super) async fn verified(
        cx: &Cx,
        visitor: &Visitor,
        platform: Platform,
        input: ExchangeTokenInput,
    ) -> Result<Self> {
        let provider_user_id =
            validate::text("provider_user_id", &input.provider_user_id, 1, LONGEST_PROVIDER_ID)?;
        let access_token = validate::text("access_token", &input.access_token, 1, LONGEST_ACCESS_TOKEN)?;
        let profile = checked_profile(input.profile)?;
        let access_token = Secret::new(access_token);
        let client = cx.state().platforms.client(platform);
        match client.verify_login(&provider_user_id, &access_token).await {
            Ok(identity) => Ok(Self::new(identity, access_token, profile)),
            Err(error) => Err(refusal(cx, visitor, platform, &provider_user_id, error).await),
        }
    }

    fn new(identity: VerifiedIdentity, access_token: Secret, profile: LoginProfile) -> Self {
        Self {
            platform: identity.platform,
            provider_user_id: identity.provider_user_id,
            access_token,
            display_name: profile.display_name,
            username: identity.username.unwrap_or(profile.username),
            avatar_url: identity.avatar_url.or(profile.avatar_url),
            email: identity.email.or_else(|| profile.email.filter(|_| !tells_emails(identity.platform))),
        }
    }
}

/// Whether the provider tells the addresses that it knows of. One that a client names is then not the person's, or
/// not verified.
const fn tells_emails(platform: Platform) -> bool {
    matches!(platform, Platform::Youtube | Platform::Kick)
}

fn checked_profile(profile: LoginProfile) -> Result<LoginProfile> {
    Ok(LoginProfile {
        display_name: validate::text("profile.display_name", &profile.display_name, 1, LONGEST_NAME)?,
        username: validate::text("profile.username", &profile.username, 1, LONGEST_USERNAME)?,
        avatar_url: profile.avatar_url.as_deref().map(checked_avatar).transpose()?,
        email: profile.email.as_deref().map(|email| validate::email("profile.email", email)).transpose()?,
    })
}

/// Clients show the address as an image, so it must not be a script.
fn checked_avatar(given: &str) -> Result<String> {
    let address = validate::text("profile.avatar_url", given, 1, LONGEST_URL)?;
    let is_web =
        Url::parse(&address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if is_web {
        Ok(address)
    } else {
        Err(ApiError::invalid("profile.avatar_url must be an http or https URL"))
    }
}

/// What to answer when the provider did not vouch. A token that it refuses, or that is another's, is a failed
/// sign-in; the rest is a failure of ours or the provider's.
async fn refusal(
    cx: &Cx,
    visitor: &Visitor,
    platform: Platform,
    provider_user_id: &str,
    error: PlatformError,
) -> ApiError {
    if !matches!(error, PlatformError::Unauthorized | PlatformError::Rejected { .. }) {
        return ApiError::internal(format_args!("sign-in with {platform}: {error}"));
    }
    match record_failure(cx, visitor, platform, provider_user_id, &error).await {
        Ok(()) => ApiError::unauthorized("Invalid provider token"),
        Err(error) => error,
    }
}

async fn record_failure(
    cx: &Cx,
    visitor: &Visitor,
    platform: Platform,
    provider_user_id: &str,
    error: &PlatformError,
) -> Result<()> {
    let entry = audit::Entry {
        scope: Scope::User,
        metadata: json!({ "provider": platform.login_provider(), "reason": error.to_string() }),
        ..cx.audit("user:login_failed", "login_connection", format_args!("{platform}:{provider_user_id}"))
    };
    Ok(audit::record(&mut *visitor.db().await?, entry).await?)
}

/// The user behind a login connection; somebody new becomes one.
pub(super) async fn find_or_create(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    may_create_account: bool,
) -> Result<SignedInPerson> {
    // Two first sign-ins at once must not become two people.
    db::lock_identity(connection, login.platform, &login.provider_user_id).await?;
    match db::identity(connection, login.platform, &login.provider_user_id).await? {
        Some(identity) => welcome_back(cx, connection, login, &identity).await,
        None => register(cx, connection, login, may_create_account).await,
    }
}

async fn welcome_back(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    identity: &db::Identity,
) -> Result<SignedInPerson> {
    let (user, now) = (identity.user_id, cx.state().clock.now());
    db::renew_connection(connection, identity.id, login, &sealed(cx, identity.id, login)?, now).await?;
    if identity.reconnect_required {
        let entry = audit::Entry {
            scope: Scope::User,
            actor: Actor::User(user.0),
            ..cx.audit("connection:reconnected", "login_connection", identity.id)
        };
        audit::record(connection, entry).await?;
    }
    db::note_login(connection, user, now).await?;
    Ok(SignedInPerson { user, account: db::usual_account(connection, user).await?, is_new: false })
}

async fn register(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    may_create_account: bool,
) -> Result<SignedInPerson> {
    let now = cx.state().clock.now();
    let (user, connection_id) = (UserId(shared::id::new()), shared::id::new());
    db::insert_user(connection, user, login, now).await?;
    db::insert_connection(connection, connection_id, user, login, &sealed(cx, connection_id, login)?, now)
        .await?;
    let entry = audit::Entry {
        scope: Scope::User,
        actor: Actor::User(user.0),
        metadata: json!({ "provider": login.platform.login_provider() }),
        ..cx.audit("connection:connected", "login_connection", connection_id)
    };
    audit::record(connection, entry).await?;
    let account = if may_create_account {
        Some(first_account(cx, connection, user, connection_id, login).await?)
    } else {
        None
    };
    Ok(SignedInPerson { user, account, is_new: true })
}

async fn first_account(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    login_connection: Uuid,
    login: &Login,
) -> Result<AccountId> {
    let account = NewAccount {
        name: &login.display_name,
        description: None,
        owner: user,
        primary_login_connection: Some(login_connection),
    };
    let account = create_with_default_roles(connection, &account, cx.state().clock.now()).await?;
    db::set_active_account(connection, user, account).await?;
    let entry = audit::Entry {
        scope: Scope::Account(account.0),
        actor: Actor::User(user.0),
        ..cx.audit("account:created", "account", account)
    };
    audit::record(connection, entry).await?;
    Ok(account)
}

/// The grant, encrypted for its row.
fn sealed(cx: &Cx, connection_id: Uuid, login: &Login) -> Result<Vec<u8>> {
    let row = crypto::row(connection_id);
    let place = Place { table: "login_connections", column: "access_token", row: &row };
    Ok(cx.state().keyring.seal(place, &login.access_token)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(avatar_url: &str) -> LoginProfile {
        LoginProfile {
            display_name: " Ada ".into(),
            username: "ada".into(),
            avatar_url: Some(avatar_url.into()),
            email: None,
        }
    }

    #[test]
    fn a_profile_is_trimmed_and_its_avatar_is_a_web_address() {
        let checked = checked_profile(profile("https://cdn.example/a.png")).ok().unwrap();
        assert_eq!((checked.display_name.as_str(), checked.username.as_str()), ("Ada", "ada"));
        for wrong in ["javascript:alert(1)", "data:image/png;base64,AA", "//cdn.example/a.png", "https://"] {
            let error = checked_profile(profile(wrong)).err().unwrap();
            assert_eq!(
                error,
                ApiError::invalid("profile.avatar_url must be an http or https URL"),
                "{wrong}"
            );
        }
    }

    fn identity(platform: Platform, email: Option<&str>) -> VerifiedIdentity {
        VerifiedIdentity {
            platform,
            provider_user_id: "1".into(),
            username: Some("real".into()),
            display_name: None,
            avatar_url: None,
            email: email.map(str::to_owned),
            scopes: Vec::new(),
            expires_in: None,
        }
    }

    #[test]
    fn an_address_of_the_client_counts_only_where_the_provider_tells_none() {
        let email = |platform, told| {
            let given = LoginProfile { email: Some("claimed@example.org".into()), ..profile("") };
            Login::new(identity(platform, told), Secret::new("t"), given).email
        };
        for platform in [Platform::Youtube, Platform::Kick] {
            assert_eq!(email(platform, None), None, "{platform}");
            assert_eq!(email(platform, Some("told@example.org")).as_deref(), Some("told@example.org"));
        }
        for platform in [Platform::Twitch, Platform::Discord, Platform::Trovo] {
            assert_eq!(email(platform, None).as_deref(), Some("claimed@example.org"), "{platform}");
        }
    }

    #[test]
    fn what_the_provider_tells_wins_over_the_profile() {
        let login = Login::new(
            identity(Platform::Twitch, None),
            Secret::new("t"),
            profile("https://cdn.example/a.png"),
        );
        assert_eq!(login.username, "real");
        assert_eq!(login.avatar_url.as_deref(), Some("https://cdn.example/a.png"));
    }

    #[test]
    fn providers_have_their_login_names() {
        assert_eq!(platform("google").ok(), Some(Platform::Youtube));
        for wrong in ["youtube", "spotify", "Twitch", ""] {
            let error = platform(wrong).unwrap_err();
            assert_eq!(
                error,
                ApiError::invalid("provider must be one of twitch, google, kick, trovo, discord")
            );
        }
    }
}
