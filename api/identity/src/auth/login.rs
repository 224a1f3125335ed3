//! Identity of a person at a provider, as the provider confirms it (reference/credentials.md#provider-proof).

use account_model::accounts::MAX_NAME_LENGTH;
use api_core::{
    ApiError, Code, Cx, Result,
    access::{SignedIn, Visitor, global_features},
    validate,
};
use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use foundation::{
    audit::{self, Actor, Scope},
    db::Connection,
};
use platform_access::PlatformAccess as _;
use platforms::{PlatformError, VerifiedIdentity};
use serde_json::json;
use shared::{id::UserId, platform::Platform, secret::Secret};
use url::Url;
use uuid::Uuid;

use super::{ExchangeTokenInput, LoginProfile, applications};

pub(super) const MAX_USERNAME_LENGTH: usize = 100;
pub(super) const MAX_PROVIDER_ID_LENGTH: usize = 255;
pub(super) const MAX_URL_LENGTH: usize = 2048;
/// Maximum length of a provider's access token, which is opaque.
pub(super) const MAX_ACCESS_TOKEN_LENGTH: usize = 4096;

/// A sign-in that the provider confirmed.
pub(super) struct Login {
    pub platform: Platform,
    pub provider_user_id: String,
    pub access_token: Secret,
    /// Time of expiry of the token, if the provider reports it.
    pub expires_at: Option<DateTime<Utc>>,
    /// Application that the token was issued to.
    pub client_id: String,
    pub display_name: String,
    pub username: String,
    pub avatar_url: Option<String>,
    pub email: Option<String>,
}

/// Platform of a provider's name.
pub(super) fn platform(provider: &str) -> Result<Platform> {
    Platform::from_login_provider(provider).map_err(|error| ApiError::invalid(error.to_string()))
}

/// Refuses a provider for which sign-in is switched off.
pub(super) async fn check_enabled(cx: &Cx, platform: Platform) -> Result<()> {
    if global_features(cx.state()).await?.platform_allows(platform.slug(), "login") {
        return Ok(());
    }
    Err(ApiError::new(Code::FeatureDisabled, format!("Feature is disabled: platform:{platform}:login")))
}

/// A caller who signs in or links a login.
pub(super) trait OpensDatabase: Sync {
    /// Connection to the primary database.
    fn db(&self) -> impl Future<Output = Result<Connection<'_>>> + Send;
}

impl OpensDatabase for Visitor {
    fn db(&self) -> impl Future<Output = Result<Connection<'_>>> + Send {
        self.db()
    }
}

impl OpensDatabase for SignedIn {
    fn db(&self) -> impl Future<Output = Result<Connection<'_>>> + Send {
        self.db()
    }
}

/// A token, the application that it was issued to and the time of its presentation.
struct Granted {
    access_token: Secret,
    client_id: String,
    now: DateTime<Utc>,
}

impl Login {
    /// Validates the input and asks the provider for the subject and the application of the token. No
    /// database connection is held meanwhile.
    pub(super) async fn verified(
        cx: &Cx,
        caller: &impl OpensDatabase,
        platform: Platform,
        input: ExchangeTokenInput,
    ) -> Result<Self> {
        let provider_user_id =
            validate::text("provider_user_id", &input.provider_user_id, 1, MAX_PROVIDER_ID_LENGTH)?;
        let access_token = validate::text("access_token", &input.access_token, 1, MAX_ACCESS_TOKEN_LENGTH)?;
        let profile = checked_profile(input.profile)?;
        let access_token = Secret::new(access_token);
        let client_id = applications::client_id(cx, &mut *caller.db().await?, platform).await?;
        let client = cx.state().platforms().client(platform);
        match client.verify_login(&client_id, &provider_user_id, &access_token).await {
            Ok(identity) => {
                let now = cx.state().clock.now();
                Ok(Self::new(identity, Granted { access_token, client_id, now }, profile))
            }
            Err(error) => Err(refusal(cx, caller, platform, &provider_user_id, error).await),
        }
    }

    fn new(identity: VerifiedIdentity, granted: Granted, profile: LoginProfile) -> Self {
        let lifetime = identity.expires_in.and_then(|lifetime| TimeDelta::from_std(lifetime).ok());
        Self {
            platform: identity.platform,
            provider_user_id: identity.provider_user_id,
            access_token: granted.access_token,
            expires_at: lifetime.and_then(|lifetime| granted.now.checked_add_signed(lifetime)),
            client_id: granted.client_id,
            display_name: profile.display_name,
            username: identity.username.unwrap_or(profile.username),
            avatar_url: identity.avatar_url.or(profile.avatar_url),
            email: identity.email.or_else(|| profile.email.filter(|_| !reports_emails(identity.platform))),
        }
    }
}

/// True when the provider reports e-mail addresses itself. An address from the client may then be another
/// person's or unverified, and is ignored.
const fn reports_emails(platform: Platform) -> bool {
    matches!(platform, Platform::Youtube | Platform::Kick)
}

fn checked_profile(profile: LoginProfile) -> Result<LoginProfile> {
    Ok(LoginProfile {
        display_name: validate::text("profile.display_name", &profile.display_name, 1, MAX_NAME_LENGTH)?,
        username: validate::text("profile.username", &profile.username, 1, MAX_USERNAME_LENGTH)?,
        avatar_url: profile.avatar_url.as_deref().map(checked_avatar).transpose()?,
        email: profile.email.as_deref().map(|email| validate::email("profile.email", email)).transpose()?,
    })
}

/// Checks that the avatar is a web address. Clients load it as an image, so it must not be a script.
fn checked_avatar(given: &str) -> Result<String> {
    let address = validate::text("profile.avatar_url", given, 1, MAX_URL_LENGTH)?;
    let is_web =
        Url::parse(&address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if is_web {
        Ok(address)
    } else {
        Err(ApiError::invalid("profile.avatar_url must be an http or https URL"))
    }
}

/// Error for a login that the provider did not confirm. A refused token or one of another person is a failed
/// sign-in; any other error is a failure of the server or the provider.
async fn refusal(
    cx: &Cx,
    caller: &impl OpensDatabase,
    platform: Platform,
    provider_user_id: &str,
    error: PlatformError,
) -> ApiError {
    if !matches!(error, PlatformError::Unauthorized | PlatformError::Rejected { .. }) {
        return ApiError::internal(format_args!("sign-in with {platform}: {error}"));
    }
    let recorded = async {
        let mut connection = caller.db().await?;
        record_failure(cx, &mut connection, platform, provider_user_id, &error.to_string()).await
    };
    match recorded.await {
        Ok(()) => ApiError::unauthorized("Invalid provider token"),
        Err(error) => error,
    }
}

/// Writes an entry about a login to the person's audit trail.
pub(super) async fn record_change(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    user: UserId,
    id: Uuid,
    login: &Login,
) -> Result<()> {
    let entry = audit::Entry {
        scope: Scope::User,
        actor: Actor::User(user.0),
        metadata: json!({ "provider": login.platform.login_provider() }),
        ..cx.audit(action, "login_connection", id)
    };
    Ok(audit::record(connection, entry).await?)
}

/// Writes the audit entry of a failed sign-in (reference/credentials.md#provider-proof).
pub(super) async fn record_failure(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    platform: Platform,
    provider_user_id: &str,
    reason: &str,
) -> Result<()> {
    let entry = audit::Entry {
        scope: Scope::User,
        metadata: json!({ "provider": platform.login_provider(), "reason": reason }),
        ..cx.audit("user:login_failed", "login_connection", format_args!("{platform}:{provider_user_id}"))
    };
    Ok(audit::record(connection, entry).await?)
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
    fn login_trims_the_profile_and_needs_a_web_address_of_the_avatar() {
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

    fn granted() -> Granted {
        Granted { access_token: Secret::new("t"), client_id: "app".into(), now: DateTime::UNIX_EPOCH }
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
    fn login_uses_the_address_of_the_client_if_the_provider_reports_none() {
        let email = |platform, reported| {
            let given = LoginProfile { email: Some("claimed@example.org".into()), ..profile("") };
            Login::new(identity(platform, reported), granted(), given).email
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
    fn login_prefers_the_provider_to_the_profile() {
        let login =
            Login::new(identity(Platform::Twitch, None), granted(), profile("https://cdn.example/a.png"));
        assert_eq!(login.username, "real");
        assert_eq!(login.avatar_url.as_deref(), Some("https://cdn.example/a.png"));
    }

    #[test]
    fn login_providers_have_their_own_names() {
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
