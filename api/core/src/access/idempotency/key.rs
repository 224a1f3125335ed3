//! Key of a request and the two hashes by which it is recognised (reference/conventions.md#idempotency).

use actix_web::http::header::HeaderMap;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::super::{principal::Principal, rule::Needs};
use crate::{ApiError, Result, http::is_credential};

/// Name of the request header.
pub(crate) const KEY_HEADER: &str = "idempotency-key";

/// Longest key, in characters.
const MAX_KEY_LENGTH: usize = 255;

/// Hash of key, query and body of a request.
pub(crate) type Fingerprint = [u8; 32];

/// Reads the key of a request: bare, or as a string of RFC 9651.
///
/// # Errors
/// 400 for another form, and for several keys.
pub fn key_of(headers: &HeaderMap) -> Result<String> {
    let mut given = headers.get_all(KEY_HEADER);
    let only = given.next().filter(|_| given.next().is_none());
    only.and_then(|value| parse(value.to_str().ok()?)).ok_or_else(malformed)
}

fn malformed() -> ApiError {
    let message = format!("Idempotency-Key must have 1 to {MAX_KEY_LENGTH} visible ASCII characters");
    ApiError::invalid(message)
}

fn parse(text: &str) -> Option<String> {
    let text = text.trim_matches([' ', '\t']);
    let key = match text.strip_prefix('"') {
        Some(rest) => unquoted(rest)?,
        None => text.to_owned(),
    };
    let is_visible = key.bytes().all(|byte| byte.is_ascii_graphic());
    (is_visible && (1..=MAX_KEY_LENGTH).contains(&key.len())).then_some(key)
}

/// Text of a string of RFC 9651 after its opening quote.
fn unquoted(text: &str) -> Option<String> {
    let mut key = String::with_capacity(text.len());
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '"' => return characters.as_str().is_empty().then_some(key),
            '\\' => key.push(characters.next().filter(|next| matches!(next, '"' | '\\'))?),
            other => key.push(other),
        }
    }
}

/// Caller whose keys are a space of their own: a person, whichever session it is, or a key or token. `None` for anonymous
/// callers.
///
/// A person has other keys in each account where the rule needs a permission in one. Elsewhere the account does not count:
/// operations such as the creation of an account change the active one, and a retry must find its first request.
pub(super) fn holder(principal: &Principal, needs: Needs) -> Option<String> {
    if let Principal::Session { user, account, .. } = principal {
        let account = account.filter(|_| !needs.of_account().is_empty());
        let account = account.map(|account| account.to_string()).unwrap_or_default();
        return Some(format!("person:{user}:{account}"));
    }
    principal.credential_id().map(|id| format!("credential:{id}"))
}

/// Id of the requests of a caller with a key at an address.
pub(super) fn request_id(holder: &str, path: &str, key: &str) -> Uuid {
    let mut hash = Sha256::new();
    for part in [holder, "POST", path, key] {
        add(&mut hash, part.as_bytes());
    }
    let mut id = [0; 16];
    id.iter_mut().zip(hash.finalize()).for_each(|(byte, hashed)| *byte = hashed);
    uuid::Builder::from_custom_bytes(id).into_uuid()
}

/// Hash of what a repetition must send again. The key salts it: bodies hold passwords, and a stored hash must not serve
/// to guess them.
pub(super) fn fingerprint(key: &str, query: &str, body: &[u8]) -> Fingerprint {
    let mut hash = Sha256::new();
    add(&mut hash, key.as_bytes());
    for pair in query.split('&').filter(|pair| !pair.is_empty() && !is_credential(pair)) {
        add(&mut hash, pair.as_bytes());
    }
    add(&mut hash, body);
    hash.finalize().into()
}

fn add(hash: &mut Sha256, part: &[u8]) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};
    use shared::{
        catalogue::AccountPermission,
        id::{AccountId, UserId},
    };

    use super::*;

    fn given(values: &[&str]) -> Result<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(
                HeaderName::from_static(KEY_HEADER),
                HeaderValue::from_bytes(value.as_bytes()).unwrap(),
            );
        }
        key_of(&headers)
    }

    #[test]
    fn key_of_reads_bare_keys_and_strings() {
        let longest = "k".repeat(MAX_KEY_LENGTH);
        for (text, key) in [
            ("a", "a"),
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
            ("\"8e03\"", "8e03"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            (r#"a"b\c"#, r#"a"b\c"#),
            ("a,b", "a,b"),
            (longest.as_str(), longest.as_str()),
            (format!("\"{longest}\"").as_str(), longest.as_str()),
        ] {
            assert_eq!(given(&[text]).unwrap(), key, "{text}");
        }
    }

    #[test]
    fn key_of_refuses_other_forms_and_several_keys() {
        let long = "k".repeat(MAX_KEY_LENGTH + 1);
        let long = long.as_str();
        let malformed = [
            "", "\"\"", "\"", "\"a", "\"a\"b", "\"a\\b\"", "\"a\\", "a b", "\"a b\"", "k\u{e9}y", "a\tb",
            long,
        ];
        let several = [vec!["a", "a"], vec!["a", "b"], vec![]];
        for values in malformed.map(|value| vec![value]).into_iter().chain(several) {
            let error = given(&values).unwrap_err();
            assert_eq!(error.code.status(), 400, "{values:?}");
            assert_eq!(error.message, "Idempotency-Key must have 1 to 255 visible ASCII characters");
        }
    }

    #[test]
    fn request_id_differs_by_caller_address_and_key() {
        let id = request_id("person:1:2", "/v1/overlays", "a");
        assert_eq!(id, request_id("person:1:2", "/v1/overlays", "a"));
        assert_eq!(id.get_version_num(), 8);
        for (holder, path, key) in [
            ("person:1:3", "/v1/overlays", "a"),
            ("person:1:2", "/v1/widgets", "a"),
            ("person:1:2", "/v1/overlays", "b"),
            ("person:1:2", "/v1/overlay", "sa"),
        ] {
            assert_ne!(id, request_id(holder, path, key), "{holder} {path} {key}");
        }
    }

    #[test]
    fn holder_is_the_same_for_every_session_of_a_person_and_differs_by_account_where_one_is_needed() {
        let in_account = Needs::Account(AccountPermission::ChatRead);
        let (user, account) = (Uuid::now_v7(), Uuid::now_v7());
        let session = |account| Principal::Session {
            user: UserId(user),
            session: Uuid::now_v7(),
            account: Some(AccountId::trusted(account, shared::id::Trust::Staff)),
        };
        let other = Uuid::now_v7();
        assert_eq!(holder(&session(account), in_account), holder(&session(account), in_account));
        assert_ne!(holder(&session(account), in_account), holder(&session(other), in_account));
        for needs in [Needs::Nothing, Needs::TeamOwnership] {
            assert_eq!(holder(&session(account), needs), holder(&session(other), needs), "{needs:?}");
        }
        let id = Uuid::now_v7();
        assert_eq!(holder(&Principal::SystemKey { id }, in_account), Some(format!("credential:{id}")));
        assert_eq!(holder(&Principal::Anonymous { refused: false }, in_account), None);
    }

    #[test]
    fn fingerprint_ignores_the_credential_of_the_query_and_nothing_else() {
        let hash = fingerprint("k", "a=1&token=x", b"{}");
        assert_eq!(hash, fingerprint("k", "a=1&token=y", b"{}"));
        assert_eq!(hash, fingerprint("k", "tok%65n=y&a=1", b"{}"));
        assert_eq!(fingerprint("k", "token=x", b""), fingerprint("k", "", b""));
        for (key, query, body) in [
            ("l", "a=1", b"{}".as_slice()),
            ("k", "a=2", b"{}"),
            ("k", "", b"{}"),
            ("k", "a=1&tokens=x", b"{}"),
            ("k", "a=1", b"{ }"),
            ("k", "a=1", b""),
        ] {
            assert_ne!(hash, fingerprint(key, query, body), "{key} {query}");
        }
    }
}
