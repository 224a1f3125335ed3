//! Stored answers and their repetition (reference/conventions.md#idempotency).

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderMap, HeaderName, HeaderValue},
    },
    web::Bytes,
};
use foundation::crypto::{Keyring, SecretLocation, row};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use shared::secret::Secret;
use uuid::Uuid;

use super::{entry::Row, protocol::Answer};
use crate::{ApiError, Result, token::TokenKind};

/// Longest stored answer, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// Headers of the operation that are stored. Those of the layers are made anew.
const KEPT_HEADERS: [HeaderName; 4] =
    [header::CONTENT_TYPE, header::LOCATION, header::CACHE_CONTROL, header::ETAG];
/// Header of a repeated answer.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Stored text of an answer without a body. No operation answers a bare `null`.
const NO_BODY: &str = "null";
/// Hexadecimal characters by which an opaque credential differs from its display prefix.
const MIN_CREDENTIAL_CHARACTERS: usize = 16;
/// Characters of the shortest part of a JWT that counts as one.
const MIN_JWT_PART: usize = 8;

/// Answer as it is stored.
#[derive(Debug)]
pub(super) struct NewAnswer {
    pub status: i16,
    pub headers: Value,
    /// JSON text; `None` for an answer that is sealed or not repeatable.
    pub text: Option<String>,
    /// Sealed text.
    pub sealed: Option<Vec<u8>>,
}

/// Answer of an operation.
pub(crate) struct Given<'a> {
    /// Status of the response.
    pub status: StatusCode,
    /// Headers of the operation.
    pub headers: &'a HeaderMap,
    /// Whole body; `None` for one that is made while it is sent.
    pub body: Option<&'a Bytes>,
}

/// Text of an answer, before it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// It can be stored.
    Whole(String),
    /// It is too long, or no JSON.
    Unfit,
    /// It holds a credential.
    Credential,
}

/// Answer to a repeated request.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: String,
}

impl Text {
    /// Text of an answer to a request with a credential.
    pub fn of(given: &Given<'_>, presented: Option<&Secret>) -> Self {
        let text = given.body.filter(|body| body.len() <= MAX_ANSWER_BYTES);
        let Some(text) = text.and_then(|body| std::str::from_utf8(body).ok()) else { return Self::Unfit };
        if text.is_empty() {
            return Self::Whole(NO_BODY.to_owned());
        }
        let location = given.headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
        if holds_credential(text, presented) || location.is_some_and(|at| holds_credential(at, presented)) {
            return Self::Credential;
        }
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Self::Whole(text.to_owned()),
            Err(_) => Self::Unfit,
        }
    }
}

impl NewAnswer {
    /// Form in which an answer is stored in a row. Only what the operation produced has the form of its rule: other errors
    /// hold no credential, so those of every operation are kept.
    pub fn of(
        keyring: &Keyring,
        id: Uuid,
        (given, is_produced): (&Given<'_>, bool),
        text: Option<String>,
        form: Answer,
    ) -> Result<Self> {
        let status = i16::try_from(given.status.as_u16()).map_err(ApiError::internal)?;
        let mut answer = Self { status, headers: kept(given.headers), text: None, sealed: None };
        match (form, text) {
            (Answer::Secret, _) if is_produced => {}
            (Answer::Sealed, Some(text)) if is_produced => {
                answer.sealed = Some(keyring.seal(place(&row(id)), &Secret::new(text))?);
            }
            (_, text) => answer.text = text,
        }
        Ok(answer)
    }
}

impl Replay {
    /// Answer of a row; `None` when its text was not stored.
    pub fn of(keyring: &Keyring, found: &Row) -> Result<Option<Self>> {
        let Some(status) = found.status else { return Ok(None) };
        let text = match (&found.answer, &found.sealed_answer) {
            (Some(text), _) => text.clone(),
            (None, Some(sealed)) => keyring.open(place(&row(found.id)), sealed)?.expose().to_owned(),
            (None, None) => return Ok(None),
        };
        let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        let headers = found.headers.as_ref().and_then(Value::as_object).into_iter().flatten();
        Ok(Some(Self {
            status: status.ok_or_else(|| ApiError::internal("a stored answer has no valid status"))?,
            headers: headers.filter_map(|(name, value)| header_of(name, value)).collect(),
            body: if text == NO_BODY { String::new() } else { text },
        }))
    }

    /// Response with the stored answer.
    pub fn respond(self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        for header in self.headers {
            response.insert_header(header);
        }
        response.insert_header((REPLAYED, "true"));
        if self.body.is_empty() { response.finish() } else { response.body(self.body) }
    }
}

fn kept(headers: &HeaderMap) -> Value {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let kept = KEPT_HEADERS.into_iter().filter_map(|name| Some((name.to_string(), text(&name)?.into())));
    Value::Object(kept.collect::<Map<_, _>>())
}

fn header_of(name: &str, value: &Value) -> Option<(HeaderName, HeaderValue)> {
    Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value.as_str()?).ok()?))
}

fn place(row: &str) -> SecretLocation<'_> {
    SecretLocation { table: "idempotent_requests", column: "sealed_answer", row }
}

/// True for a text with the credential of the request, an opaque credential or a JWT.
fn holds_credential(text: &str, presented: Option<&Secret>) -> bool {
    let presented = presented.map(Secret::expose).filter(|presented| !presented.is_empty());
    presented.is_some_and(|presented| text.contains(presented))
        || TokenKind::ALL.iter().any(|kind| holds_opaque(text, *kind))
        || text.split(|c: char| !is_of_jwt(c)).any(is_jwt)
}

fn holds_opaque(text: &str, kind: TokenKind) -> bool {
    text.split(kind.prefix()).skip(1).any(|rest| {
        rest.bytes().take_while(u8::is_ascii_hexdigit).take(MIN_CREDENTIAL_CHARACTERS).count()
            == MIN_CREDENTIAL_CHARACTERS
    })
}

const fn is_of_jwt(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// True for three parts in base64url of which the first two are JSON objects.
fn is_jwt(word: &str) -> bool {
    let Some(start) = word.find("eyJ") else { return false };
    let parts: Vec<&str> = word.get(start..).unwrap_or_default().split('.').collect();
    matches!(parts.as_slice(), [_, claims, _] if claims.starts_with("eyJ"))
        && parts.iter().all(|part| part.len() >= MIN_JWT_PART)
}

#[cfg(test)]
mod tests {
    use shared::secret::NamedKey;

    use super::*;
    use crate::token::NewToken;

    const JSON: &str = "application/json";

    fn text(body: &str, presented: Option<&str>) -> Text {
        let (headers, body) = (HeaderMap::new(), Bytes::copy_from_slice(body.as_bytes()));
        let given = Given { status: StatusCode::OK, headers: &headers, body: Some(&body) };
        Text::of(&given, presented.map(Secret::new).as_ref())
    }

    #[test]
    fn text_of_an_answer_keeps_its_bytes() {
        for body in ["{ \"a\": 1.50,\"a\":\"\\u00e9\" }", "[]", "{\"prefix\":\"lm_usr_ab12cd\"}"] {
            assert_eq!(text(body, Some("lm_pop_x")), Text::Whole(body.to_owned()));
        }
        assert_eq!(text("", None), Text::Whole("null".to_owned()));
        for body in ["no json", &format!("\"{}\"", "a".repeat(MAX_ANSWER_BYTES))] {
            assert_eq!(text(body, None), Text::Unfit);
        }
        let headers = HeaderMap::new();
        let streamed = Given { status: StatusCode::OK, headers: &headers, body: None };
        assert_eq!(Text::of(&streamed, None), Text::Unfit);
    }

    #[test]
    fn text_of_an_answer_with_a_credential_is_not_stored() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let mut credentials: Vec<String> =
            vec![jwt.to_owned(), format!("lm_{jwt}"), "secret-of-a-cookie".to_owned()];
        credentials.extend(TokenKind::ALL.map(|kind| NewToken::generate(kind).text.expose().to_owned()));
        for credential in credentials {
            for body in [format!("{{\"a\":\"{credential}\"}}"), format!("[\"/v1/a?b=1&token={credential}\"]")]
            {
                assert_eq!(text(&body, Some("secret-of-a-cookie")), Text::Credential, "{body}");
            }
        }
        for harmless in ["eyJ", "eyJhbGciOiJIUzI1NiJ9", "a.b.c", "eyJhbGciOiJ9.eyJzdWIi", "www.example.com"] {
            let body = format!("\"{harmless}\"");
            assert_eq!(text(&body, None), Text::Whole(body.clone()));
        }
    }

    fn keyring() -> Keyring {
        Keyring::new(vec![NamedKey { id: "a".into(), key: [7; 32] }]).unwrap()
    }

    fn row_of(id: Uuid, answer: NewAnswer) -> Row {
        Row {
            id,
            fingerprint: Vec::new(),
            status: Some(answer.status),
            headers: Some(answer.headers),
            answer: answer.text,
            sealed_answer: answer.sealed,
            started_at: chrono::DateTime::UNIX_EPOCH,
            created_at: chrono::DateTime::UNIX_EPOCH,
        }
    }

    #[actix_web::test]
    async fn replay_has_the_bytes_and_headers_of_the_answer() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(header::LOCATION, HeaderValue::from_static("/v1/overlays/1"));
        headers.insert(header::SET_COOKIE, HeaderValue::from_static("a=b"));
        let given = Given { status: StatusCode::CREATED, headers: &headers, body: None };
        for (form, body) in [(Answer::Kept, "{\"a\": 1.50}"), (Answer::Sealed, "{}"), (Answer::Kept, "")] {
            let id = Uuid::now_v7();
            let text = if body.is_empty() { NO_BODY } else { body };
            let answer = NewAnswer::of(&keyring(), id, (&given, true), Some(text.to_owned()), form).unwrap();
            assert_eq!(answer.text.is_none(), form == Answer::Sealed);
            let replay = Replay::of(&keyring(), &row_of(id, answer)).unwrap().expect("it is repeatable");
            let response = replay.respond();
            assert_eq!(response.status(), 201);
            assert_eq!(response.headers().get(header::LOCATION).unwrap(), "/v1/overlays/1");
            assert_eq!(response.headers().get(header::CONTENT_TYPE).unwrap(), JSON);
            assert_eq!(response.headers().get(REPLAYED).unwrap(), "true");
            assert!(!response.headers().contains_key(header::SET_COOKIE));
            let sent = actix_web::body::to_bytes(response.into_body()).await.unwrap();
            assert_eq!(sent, body.as_bytes());
        }
    }

    #[test]
    fn replay_of_a_secret_answer_is_refused_and_that_of_its_errors_is_not() {
        let headers = HeaderMap::new();
        for (status, is_success) in [(StatusCode::CREATED, true), (StatusCode::CONFLICT, false)] {
            let given = Given { status, headers: &headers, body: None };
            let answer = NewAnswer::of(
                &keyring(),
                Uuid::nil(),
                (&given, is_success),
                Some("{}".into()),
                Answer::Secret,
            )
            .unwrap();
            let replay = Replay::of(&keyring(), &row_of(Uuid::nil(), answer)).unwrap();
            assert_eq!(replay.is_none(), is_success);
        }
    }
}
