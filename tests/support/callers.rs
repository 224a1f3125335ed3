//! Callers of both protocols.

use reqwest::{Method, RequestBuilder, header::HeaderMap};
use serde_json::{Value, json};

/// A caller of the API, with or without a credential.
#[derive(Clone)]
pub struct Caller {
    client: reqwest::Client,
    base: String,
    token: Option<String>,
}

/// Response of the server.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// Null when the body is empty or not JSON.
    pub body: Value,
    pub text: String,
}

impl Caller {
    pub(crate) const fn new(client: reqwest::Client, base: String, token: Option<String>) -> Self {
        Self { client, base, token }
    }

    /// The credential.
    #[must_use]
    pub fn token(&self) -> &str {
        self.token.as_deref().expect("this caller has a credential")
    }

    /// The same credential at another server.
    #[must_use]
    pub fn at(&self, base: impl Into<String>) -> Self {
        Self { base: base.into(), ..self.clone() }
    }

    /// A request to complete by hand.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PATCH, path).json(&body)).await
    }

    /// Sends a body as it is.
    pub async fn post_raw(&self, path: &str, content_type: &str, body: impl Into<reqwest::Body>) -> Answer {
        self.send(self.request(Method::POST, path).header("content-type", content_type).body(body)).await
    }

    /// Runs a GraphQL document.
    pub async fn graphql(&self, query: &str, variables: Value) -> Answer {
        self.post("/v1/gql", json!({ "query": query, "variables": variables })).await
    }

    /// Sends a request that was completed by hand.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = String::from_utf8_lossy(&response.bytes().await.expect("a whole body")).into_owned();
        Answer { status, headers, body: serde_json::from_str(&text).unwrap_or(Value::Null), text }
    }
}

impl Answer {
    /// Asserts the status and gives the body.
    #[track_caller]
    pub fn expect(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.text);
        &self.body
    }

    /// Asserts success and gives `data`.
    #[track_caller]
    pub fn data(&self) -> &Value {
        assert!((200..300).contains(&self.status), "{}: {}", self.status, self.text);
        &self.body["data"]
    }

    /// `(code, message)` of a REST or GraphQL error.
    #[must_use]
    pub fn error(&self) -> (String, String) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match self.body["errors"].get(0) {
            Some(error) => (text(&error["extensions"]["code"]), text(&error["message"])),
            None => (text(&self.body["error"]), text(&self.body["message"])),
        }
    }

    /// Asserts an error with its message.
    #[track_caller]
    pub fn refused(&self, code: &str, message: &str) {
        assert_eq!(self.error(), (code.to_owned(), message.to_owned()), "{}: {}", self.status, self.text);
    }

    /// Asserts an error by its code.
    #[track_caller]
    pub fn refused_with(&self, code: &str) {
        assert_eq!(self.error().0, code, "{}: {}", self.status, self.text);
    }

    /// A header's text; empty when absent.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
