//! The OAuth flows of the stand-in and its control API, over HTTP.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use platforms_stand_in::{Platform, StandIn};
use reqwest::{Client, StatusCode, redirect::Policy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-in-all";
const REDIRECT: &str = "http://localhost/callback";

struct Browser {
    stand_in: StandIn,
    client: Client,
}

impl Browser {
    async fn start() -> Self {
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { stand_in: StandIn::start().await, client }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.stand_in.url())
    }

    /// Opens an authorization page; the query of the redirect or the status of the error page.
    async fn authorize(
        &self,
        platform: Platform,
        extra: &[(&str, &str)],
    ) -> Result<Vec<(String, String)>, StatusCode> {
        let (path, _) = paths(platform);
        let app = self.stand_in.app(platform);
        let mut query = vec![
            ("client_id", app.client_id.as_str()),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("scope", "one two"),
        ];
        query.extend_from_slice(extra);
        let answer = self.client.get(self.url(path)).query(&query).send().await.unwrap();
        if answer.status() != StatusCode::FOUND {
            return Err(answer.status());
        }
        let location = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
        assert!(location.as_str().starts_with(REDIRECT));
        Ok(location.query_pairs().into_owned().collect())
    }

    /// A code for the user of the browser, with a challenge from [`VERIFIER`].
    async fn code(&self, platform: Platform) -> String {
        let challenge = challenge();
        let pkce = [("state", "s"), ("code_challenge", &challenge), ("code_challenge_method", "S256")];
        let redirected = self.authorize(platform, &pkce).await.unwrap();
        redirected.into_iter().find(|(name, _)| name == "code").unwrap().1
    }

    /// Requests tokens in the platform's own way.
    async fn token(&self, platform: Platform, grant: &[(&str, &str)]) -> (StatusCode, Value) {
        let app = self.stand_in.app(platform);
        let (_, path) = paths(platform);
        let mut fields: Vec<(&str, &str)> = grant.to_vec();
        let request = self.client.post(self.url(path));
        let request = match platform {
            Platform::Trovo => {
                fields.push(("client_secret", &app.client_secret));
                let body: serde_json::Map<String, Value> =
                    fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
                request.header("Client-ID", &app.client_id).json(&body)
            }
            Platform::Spotify => request.basic_auth(&app.client_id, Some(&app.client_secret)).form(&fields),
            _ => {
                fields.push(("client_id", &app.client_id));
                fields.push(("client_secret", &app.client_secret));
                request.form(&fields)
            }
        };
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }

    async fn exchange(&self, platform: Platform, code: &str) -> (StatusCode, Value) {
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ];
        self.token(platform, &grant).await
    }

    async fn refresh(&self, platform: Platform, refresh_token: &str) -> (StatusCode, Value) {
        self.token(platform, &[("grant_type", "refresh_token"), ("refresh_token", refresh_token)]).await
    }

    async fn control(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let answer = self.client.post(self.url(path)).json(&body).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or(Value::Null))
    }
}

/// Addresses of the authorization page and the tokens (reference/platforms.md#addresses).
fn paths(platform: Platform) -> (&'static str, &'static str) {
    match platform {
        Platform::Twitch => ("/twitch/auth/oauth2/authorize", "/twitch/auth/oauth2/token"),
        Platform::Youtube => ("/youtube/auth/o/oauth2/v2/auth", "/youtube/auth/token"),
        Platform::Kick => ("/kick/auth/oauth/authorize", "/kick/auth/oauth/token"),
        Platform::Trovo => ("/trovo/auth/page/login.html", "/trovo/auth/openplatform/exchangetoken"),
        Platform::Spotify => ("/spotify/auth/authorize", "/spotify/auth/api/token"),
        Platform::Discord => ("/discord/auth/oauth2/authorize", "/discord/auth/api/oauth2/token"),
    }
}

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

#[tokio::test]
async fn oauth_exchanges_a_code_once_on_every_platform() {
    let browser = Browser::start().await;
    for platform in Platform::ALL {
        browser.stand_in.create_user(platform, "ada");
        let code = browser.code(platform).await;
        let (status, tokens) = browser.exchange(platform, &code).await;
        assert_eq!(status, StatusCode::OK, "{platform}: {tokens}");
        assert!(
            tokens["access_token"].is_string() && tokens["refresh_token"].is_string(),
            "{platform}: {tokens}"
        );
        assert!(tokens["expires_in"].as_i64().unwrap() > 3000, "{platform}");
        let scopes = match platform {
            Platform::Twitch => json!(["one", "two"]),
            Platform::Trovo => Value::Null,
            _ => json!("one two"),
        };
        assert_eq!(tokens["scope"], scopes, "{platform}");
        let (status, _) = browser.exchange(platform, &code).await;
        assert!(status.is_client_error(), "{platform} takes a code twice");
    }
}

#[tokio::test]
async fn oauth_refresh_returns_what_the_platform_documents() {
    let browser = Browser::start().await;
    for platform in Platform::ALL {
        browser.stand_in.create_user(platform, "ada");
        let (_, tokens) = browser.exchange(platform, &browser.code(platform).await).await;
        let old = tokens["refresh_token"].as_str().unwrap();
        let (status, renewed) = browser.refresh(platform, old).await;
        assert_eq!(status, StatusCode::OK, "{platform}: {renewed}");
        assert_ne!(renewed["access_token"], tokens["access_token"], "{platform}");
        let returned = renewed["refresh_token"].as_str();
        match platform {
            Platform::Twitch => assert_eq!(returned, Some(old)),
            Platform::Youtube => assert_eq!(returned, None),
            _ => assert!(returned.is_some_and(|new| new != old), "{platform}"),
        }
        let (again, _) = browser.refresh(platform, old).await;
        // Spotify's tokens from a flow with PKCE work once, and Discord always replaces them.
        let works_once = matches!(platform, Platform::Spotify | Platform::Discord);
        assert_eq!(again.is_client_error(), works_once, "{platform}: {again}");
    }
}

#[tokio::test]
async fn oauth_of_kick_requires_pkce_and_state() {
    let browser = Browser::start().await;
    let (user, _) = browser.stand_in.create_user(Platform::Kick, "ada");
    browser.stand_in.sign_in(&user);
    let challenge = challenge();
    let pkce = [("code_challenge", challenge.as_str()), ("code_challenge_method", "S256")];
    for query in
        [&[("state", "s")][..], &pkce, &[("state", "s"), pkce[0], ("code_challenge_method", "plain")]]
    {
        assert_eq!(browser.authorize(Platform::Kick, query).await, Err(StatusCode::BAD_REQUEST), "{query:?}");
    }
    let code = browser.code(Platform::Kick).await;
    let without_verifier =
        [("grant_type", "authorization_code"), ("code", &code), ("redirect_uri", REDIRECT)];
    assert_eq!(browser.token(Platform::Kick, &without_verifier).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn oauth_reports_refusals_and_unknown_applications() {
    let browser = Browser::start().await;
    browser.stand_in.create_user(Platform::Twitch, "ada");
    let denied =
        browser.authorize(Platform::Twitch, &[("state", "s"), ("stand_in_deny", "true")]).await.unwrap();
    assert_eq!(denied, [("error".into(), "access_denied".into()), ("state".into(), "s".into())]);
    let unknown =
        browser.url("/twitch/auth/oauth2/authorize?client_id=x&redirect_uri=http://a/&response_type=code");
    assert_eq!(browser.client.get(unknown).send().await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn oauth_refuses_revoked_tokens() {
    let browser = Browser::start().await;
    let (_, token) = browser.stand_in.create_user(Platform::Twitch, "ada");
    let app = browser.stand_in.app(Platform::Twitch);
    let validate = async || {
        let request = browser.client.get(browser.url("/twitch/auth/oauth2/validate"));
        request.header("Authorization", format!("OAuth {token}")).send().await.unwrap().status()
    };
    assert_eq!(validate().await, StatusCode::OK);
    let form = [("client_id", app.client_id.as_str()), ("token", &token)];
    let revoke = browser.client.post(browser.url("/twitch/auth/oauth2/revoke")).form(&form);
    assert_eq!(revoke.send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(validate().await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn oauth_can_be_driven_by_the_control_api() {
    let browser = Browser::start().await;
    let (status, created) =
        browser.control("/_control/users", json!({ "platform": "kick", "login": "ada" })).await;
    assert_eq!(status, StatusCode::CREATED);
    let id = created["user"]["id"].as_str().unwrap();
    let (status, _) = browser.control("/_control/users", json!({ "platform": "kick", "login": "ada" })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);

    let chat = json!({ "type": "user", "content": "hi", "broadcaster_user_id": id.parse::<u64>().unwrap() });
    let send = async || {
        let request = browser.client.post(browser.url("/kick/api/public/v1/chat")).json(&chat);
        request.bearer_auth(created["access_token"].as_str().unwrap()).send().await.unwrap()
    };
    let fail = json!({ "platform": "kick", "kind": "rate_limited", "retry_after_secs": 9, "path": "/chat" });
    assert_eq!(browser.control("/_control/fail", fail).await.0, StatusCode::NO_CONTENT);
    let limited = send().await;
    assert_eq!((limited.status().as_u16(), &limited.headers()["retry-after"]), (429, &"9".parse().unwrap()));
    assert_eq!(send().await.status(), StatusCode::OK);

    let sent: Value = browser
        .client
        .get(browser.url("/_control/sent?platform=kick"))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(sent.as_array().map(Vec::len), Some(1));
    assert_eq!((&sent[0]["text"], &sent[0]["channel_id"]), (&json!("hi"), &json!(id)));

    let unknown_user = json!({ "event": { "kind": "follow", "broadcaster": "ada", "user": "nobody" } });
    let (status, error) = browser.control("/_control/kick/deliver", unknown_user).await;
    assert_eq!(
        (status, &error["error"]),
        (StatusCode::NOT_FOUND, &json!("there is no user `nobody` on kick"))
    );
}

#[tokio::test]
async fn oauth_applications_tokens_and_rules_are_controlled_over_http() {
    let browser = Browser::start().await;
    let kick = Platform::Kick;
    browser.stand_in.create_user(kick, "ada");
    let (_, tokens) = browser.exchange(kick, &browser.code(kick).await).await;
    let (access, old) = (tokens["access_token"].as_str().unwrap(), tokens["refresh_token"].as_str().unwrap());

    let rules = json!({ "platform": "kick", "rotation": "guarded", "access_token_secs": 60 });
    assert_eq!(browser.control("/_control/rules", rules).await.0, StatusCode::NO_CONTENT);
    let (_, renewed) = browser.refresh(kick, old).await;
    assert_eq!(renewed["expires_in"], 60);
    assert!(browser.refresh(kick, old).await.0.is_client_error());
    assert!(!browser.stand_in.is_live(kick, access), "a replay kills the authorisation");

    let (_, tokens) = browser.exchange(kick, &browser.code(kick).await).await;
    let (access, refresh) =
        (tokens["access_token"].as_str().unwrap(), tokens["refresh_token"].as_str().unwrap());
    let revoke = json!({ "platform": "kick", "token": access, "all": true });
    assert_eq!(browser.control("/_control/revoke", revoke.clone()).await.0, StatusCode::NO_CONTENT);
    assert!(!browser.stand_in.is_live(kick, refresh));
    assert_eq!(browser.control("/_control/revoke", revoke).await.0, StatusCode::NOT_FOUND);

    let app = json!({ "platform": "kick", "client_id": "own", "client_secret": "secret" });
    assert_eq!(browser.control("/_control/apps", app).await.0, StatusCode::NO_CONTENT);
    let form = [("grant_type", "client_credentials"), ("client_id", "own"), ("client_secret", "secret")];
    let answer = browser.client.post(browser.url(paths(kick).1)).form(&form).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);

    let calls = browser.client.get(browser.url("/_control/token-calls?platform=kick")).send().await.unwrap();
    let calls: Vec<Value> = calls.json().await.unwrap();
    let expected_scopes: Vec<(&str, bool)> = calls
        .iter()
        .map(|call| (call["grant_type"].as_str().unwrap(), call["is_granted"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        expected_scopes,
        [
            ("authorization_code", true),
            ("refresh_token", true),
            ("refresh_token", false),
            ("authorization_code", true),
            ("client_credentials", true),
        ]
    );
}
