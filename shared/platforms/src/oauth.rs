//! OAuth 2 of the six platforms: the parts that their clients share (reference/platforms.md#oauth).
//!
//! The crate `oauth2` would replace few of these lines and is not used. It makes the requests of RFC 6749 and RFC 7009
//! and reads their responses, and the platforms deviate from both:
//!
//! - Trovo takes JSON, with the id of the application in a header and an address for each grant, and refuses with
//!   numeric codes.
//! - Twitch refuses with texts instead of error codes, and returns scopes as a list. A 401 there is a withdrawn
//!   consent.
//! - `expires_in` may be a text, and Discord adds a server to the tokens.
//! - Revocation: Kick takes the token in the query, with a hint of another name. Trovo takes JSON. Spotify has none. A
//!   token that is dead already is 400 on Twitch and has an error of its own on Google and Kick.
//!
//! Its errors have neither status nor `Retry-After`, of which [`PlatformError`] is made: whether the grant is dead, the
//! application is wrong, or the call may be repeated, and when. Left for it are the verifier and the names of fields.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use reqwest::{RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;

use super::{
    PlatformError, Result,
    http::{Answer, clip},
};
use shared::config::platforms::BaseUrl;
use shared::connection::OAuthApp;
use shared::secret::Secret;

/// Authorization of applications by users, and the tokens that result. The caller decides about refresh and
/// about the reaction to a failure.
#[async_trait]
pub trait OAuthClient: Send + Sync {
    /// Address of the page on which a user authorizes an application.
    ///
    /// # Errors
    /// `Rejected` without a verifier where the platform requires PKCE.
    fn authorize_url(&self, request: &Authorization<'_>) -> Result<Url>;

    /// Exchanges the code that the browser came back with.
    ///
    /// # Errors
    /// `InvalidGrant` for a dead code, `InvalidClient` when the platform does not know the application, else
    /// any [`PlatformError`] of an anonymous call.
    async fn exchange_code(&self, app: &OAuthApp, request: &CodeExchange<'_>) -> Result<TokenGrant>;

    /// Exchanges a refresh token. `app` is the application that the token was issued to: no other can refresh
    /// it.
    ///
    /// # Errors
    /// `InvalidGrant` for a dead refresh token, `InvalidClient` when the platform does not accept the
    /// application, else any [`PlatformError`] of an anonymous call.
    async fn refresh(&self, app: &OAuthApp, refresh_token: &Secret) -> Result<TokenGrant>;

    /// Revokes a user's tokens on the platform. Tokens that are dead already are no error.
    ///
    /// # Errors
    /// Any [`PlatformError`]; `Unsupported` where only the user can do it.
    async fn revoke(
        &self,
        app: &OAuthApp,
        access_token: &Secret,
        refresh_token: Option<&Secret>,
    ) -> Result<()>;

    /// Owner of a token. `client_id` is the application that it was issued to.
    ///
    /// # Errors
    /// `Unauthorized` for a dead token, else any [`PlatformError`].
    async fn token_owner(&self, client_id: &str, access_token: &Secret) -> Result<TokenOwner>;
}

/// Parameters of the authorization page.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    /// Client id of the application.
    pub client_id: &'a str,
    /// Address to which the platform sends the browser back. [`CodeExchange`] repeats the same text.
    pub redirect_uri: &'a str,
    /// Value that comes back with the code.
    pub state: &'a str,
    /// Requested scopes.
    pub scopes: &'a [&'a str],
    /// PKCE verifier, ignored where the platform takes none ([`shared::platform::Platform::takes_pkce`]).
    pub verifier: Option<&'a PkceVerifier>,
    /// True to prompt the user again where the platform would otherwise agree silently.
    pub force_consent: bool,
}

/// Parameters of the exchange of a code.
#[derive(Debug, Clone, Copy)]
pub struct CodeExchange<'a> {
    /// Code that the browser came back with.
    pub code: &'a Secret,
    /// Same text as in [`Authorization`].
    pub redirect_uri: &'a str,
    /// PKCE verifier of the authorization.
    pub verifier: Option<&'a PkceVerifier>,
}

/// Tokens of a user.
#[derive(Debug, Clone)]
pub struct TokenGrant {
    /// The access token.
    pub access_token: Secret,
    /// The refresh token. `None` after a refresh means that the old one stays valid.
    pub refresh_token: Option<Secret>,
    /// Remaining lifetime of the access token; `None` when it does not expire.
    pub expires_in: Option<Duration>,
    /// Granted scopes. Empty where the platform does not report them.
    pub scopes: Vec<String>,
    /// Server that a Discord bot was added to by this consent.
    pub guild: Option<DiscordGuild>,
}

/// A Discord server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DiscordGuild {
    /// Id of the server.
    pub id: String,
    /// Name of the server.
    pub name: String,
    /// Hash of the picture.
    pub icon: Option<String>,
}

impl DiscordGuild {
    /// Address of the picture; `None` without one.
    #[must_use]
    pub fn icon_url(&self) -> Option<String> {
        let icon = self.icon.as_ref()?;
        Some(format!("https://cdn.discordapp.com/icons/{}/{icon}.png", self.id))
    }
}

/// Owner of an access token: the channel or the bot, as the platform names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenOwner {
    /// Id that the other calls of the platform take: user id on Twitch, Kick, Trovo, Spotify and Discord,
    /// channel id on YouTube.
    pub id: String,
    /// Id of the channel in chat calls. Only on Trovo does it differ from the user's.
    pub channel_id: String,
    /// Name that the platform addresses the owner by.
    pub username: String,
    /// Displayed name.
    pub display_name: String,
    /// Address of the picture.
    pub avatar_url: Option<String>,
}

/// Secret half of a PKCE challenge (RFC 7636), kept until the code comes back.
#[derive(Clone)]
pub struct PkceVerifier(Secret);

impl PkceVerifier {
    /// Creates a verifier of 256 random bits.
    #[must_use]
    pub fn generate() -> Self {
        Self(Secret::new(BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())))
    }

    /// Restores a kept verifier.
    #[must_use]
    pub fn from_text(text: Secret) -> Self {
        Self(text)
    }

    /// Text to keep, and to send with the code.
    #[must_use]
    pub fn text(&self) -> &Secret {
        &self.0
    }

    /// Public half, method `S256`.
    #[must_use]
    pub fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(self.0.expose()))
    }
}

impl fmt::Debug for PkceVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PkceVerifier(…)")
    }
}

/// Builds an authorization address with the parameters that every page takes. Scopes are joined with spaces,
/// which a query writes as `+`.
pub(super) fn authorize_url(base: &BaseUrl, path: &[&str], request: &Authorization<'_>) -> Url {
    let mut url = base.endpoint(path);
    url.query_pairs_mut()
        .append_pair("client_id", request.client_id)
        .append_pair("redirect_uri", request.redirect_uri)
        .append_pair("response_type", "code")
        .append_pair("scope", &request.scopes.join(" "))
        .append_pair("state", request.state);
    url
}

/// Adds the challenge, if there is a verifier.
pub(super) fn with_challenge(mut url: Url, request: &Authorization<'_>) -> Url {
    if let Some(verifier) = request.verifier {
        url.query_pairs_mut()
            .append_pair("code_challenge", &verifier.challenge())
            .append_pair("code_challenge_method", "S256");
    }
    url
}

/// Fields of the exchange of a code, without the credentials of the application.
pub(super) fn code_fields<'a>(request: &CodeExchange<'a>) -> Vec<(&'static str, &'a str)> {
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("code", request.code.expose()),
        ("redirect_uri", request.redirect_uri),
    ];
    fields.extend(request.verifier.map(|verifier| ("code_verifier", verifier.text().expose())));
    fields
}

/// Fields of a refresh, without the credentials of the application.
pub(super) fn refresh_fields(refresh_token: &Secret) -> Vec<(&'static str, &str)> {
    vec![("grant_type", "refresh_token"), ("refresh_token", refresh_token.expose())]
}

/// Form with the credentials of the application in it (reference/platforms.md#oauth).
pub(super) fn with_app_in_body<'a>(
    request: RequestBuilder,
    app: &'a OAuthApp,
    mut fields: Vec<(&'static str, &'a str)>,
) -> RequestBuilder {
    fields.push(("client_id", &app.client_id));
    fields.push(("client_secret", app.client_secret.expose()));
    request.form(&fields)
}

/// Form with the credentials of the application in a Basic header (reference/platforms.md#oauth).
pub(super) fn with_app_in_header(
    request: RequestBuilder,
    app: &OAuthApp,
    fields: &[(&'static str, &str)],
) -> RequestBuilder {
    request.basic_auth(&app.client_id, Some(app.client_secret.expose())).form(fields)
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<Seconds>,
    #[serde(default)]
    scope: Scope,
    guild: Option<DiscordGuild>,
}

/// Number that some platforms write as a text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Seconds {
    Number(u64),
    Text(String),
}

/// Scopes as a list or as words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scope {
    List(Vec<String>),
    Words(String),
    Absent(()),
}

impl Default for Scope {
    fn default() -> Self {
        Self::Absent(())
    }
}

impl Seconds {
    pub(super) fn duration(self) -> Result<Duration> {
        let seconds = match self {
            Self::Number(seconds) => Some(seconds),
            Self::Text(text) => text.parse().ok(),
        };
        seconds.map(Duration::from_secs).ok_or_else(|| PlatformError::invalid("expires_in is not a number"))
    }
}

/// Reads the tokens of a response.
pub(super) fn tokens(answer: &Answer) -> Result<TokenGrant> {
    let tokens: TokenAnswer = answer.json()?;
    Ok(TokenGrant {
        access_token: Secret::new(tokens.access_token),
        refresh_token: tokens.refresh_token.filter(|token| !token.is_empty()).map(Secret::new),
        expires_in: tokens.expires_in.map(Seconds::duration).transpose()?,
        scopes: match tokens.scope {
            Scope::List(scopes) => scopes,
            Scope::Words(words) => words.split_whitespace().map(str::to_owned).collect(),
            Scope::Absent(()) => Vec::new(),
        },
        guild: tokens.guild,
    })
}

/// Reads the response of a token address that follows section 5.2 of RFC 6749: a success, or the meaning of
/// its error code.
pub(super) fn granted(answer: Answer) -> Result<TokenGrant> {
    tokens(&oauth_success(answer)?)
}

/// Reads a response of an address that follows section 5.2 of RFC 6749.
pub(super) fn oauth_success(answer: Answer) -> Result<Answer> {
    if answer.status.is_success() {
        return Ok(answer);
    }
    let body = answer.error_body();
    let message = clip(oauth_message(&body).unwrap_or("refused"));
    match body["error"].as_str() {
        Some("invalid_grant") => Err(PlatformError::InvalidGrant { message }),
        Some("invalid_client" | "unauthorized_client") => Err(PlatformError::InvalidClient { message }),
        _ => Err(token_refusal(&answer, oauth_message)),
    }
}

/// Meaning of a refusal of a token address that is not `invalid_grant`. A 401 there is about the application,
/// because no access token is sent.
pub(super) fn token_refusal(answer: &Answer, message: fn(&Value) -> Option<&str>) -> PlatformError {
    if answer.status == StatusCode::UNAUTHORIZED {
        let body = answer.error_body();
        return PlatformError::InvalidClient { message: clip(message(&body).unwrap_or("Unauthorized")) };
    }
    answer.refusal(message)
}

/// Message in the fields of section 5.2 of RFC 6749.
pub(super) fn oauth_message(body: &Value) -> Option<&str> {
    body["error_description"].as_str().or_else(|| body["error"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pkce_verifier_is_hashed_into_the_challenge_and_not_printed() {
        // Example of appendix B of RFC 7636.
        let verifier = PkceVerifier::from_text(Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert_eq!(verifier.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(format!("{verifier:?}"), "PkceVerifier(…)");
        let (one, other) = (PkceVerifier::generate(), PkceVerifier::generate());
        assert_eq!(one.text().expose().len(), 43);
        assert_ne!(one.text().expose(), other.text().expose());
    }

    #[test]
    fn authorize_url_has_the_parameters_of_the_standard() {
        let base: BaseUrl = "https://id.example".parse().unwrap();
        let verifier = PkceVerifier::generate();
        let request = Authorization {
            client_id: "app",
            redirect_uri: "https://lumio.example/callback?x=1",
            state: "s",
            scopes: &["a:b", "c"],
            verifier: Some(&verifier),
            force_consent: false,
        };
        let url = with_challenge(authorize_url(&base, &["oauth", "authorize"], &request), &request);
        assert_eq!(
            url.as_str(),
            format!(
                "https://id.example/oauth/authorize?client_id=app\
                 &redirect_uri=https%3A%2F%2Flumio.example%2Fcallback%3Fx%3D1&response_type=code\
                 &scope=a%3Ab+c&state=s&code_challenge={}&code_challenge_method=S256",
                verifier.challenge()
            )
        );
    }
}
