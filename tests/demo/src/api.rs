//! Calls to the API, as a dashboard or a developer's tool would make them.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};

/// The API for one caller.
#[derive(Clone)]
pub struct Api {
    client: reqwest::Client,
    origin: String,
    token: Option<String>,
}

impl Api {
    pub fn new(origin: &str) -> Result<Self> {
        let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).no_proxy().build()?;
        Ok(Self { client, origin: origin.trim_end_matches('/').to_owned(), token: None })
    }

    pub fn with(&self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self.clone() }
    }

    /// The same API without a credential.
    pub fn anonymous(&self) -> Self {
        Self { token: None, ..self.clone() }
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// A call with a JSON body that has to succeed.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let (status, text) = self.send(method.clone(), path, body).await?;
        ensure!((200..300).contains(&status), "{method} {path} answered {status}: {text}");
        if text.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).with_context(|| format!("{method} {path} answered no JSON: {text}"))
    }

    pub async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Status and text of any response.
    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Result<(u16, String)> {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.with_context(|| format!("{path} is not reachable"))?;
        Ok((response.status().as_u16(), response.text().await?))
    }

    /// Bytes of a response that has to succeed.
    pub async fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        let response = self.request(Method::GET, path).send().await?;
        let status = response.status();
        ensure!(status.is_success(), "GET {path} answered {status}");
        Ok(response.bytes().await?.into())
    }

    /// A multipart upload that has to succeed.
    pub async fn upload(&self, path: &str, form: Form) -> Result<Value> {
        let response = self.request(Method::POST, path).multipart(form).send().await?;
        let (status, text) = (response.status().as_u16(), response.text().await?);
        ensure!((200..300).contains(&status), "POST {path} answered {status}: {text}");
        Ok(serde_json::from_str(&text)?)
    }

    /// Runs a GraphQL document that has to succeed; returns its `data`.
    pub async fn graphql(&self, query: &str, variables: Value) -> Result<Value> {
        let answer = self.post("/v1/gql", json!({ "query": query, "variables": variables })).await?;
        ensure!(answer["errors"].is_null(), "GraphQL answered {}", answer["errors"]);
        Ok(answer["data"].clone())
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.origin));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}

/// The text at a JSON pointer.
pub fn text<'a>(value: &'a Value, pointer: &str) -> Result<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).with_context(|| format!("no text at {pointer} in {value}"))
}

/// Those of the named fields that are not null.
pub fn fields(object: &Value, names: &[&str]) -> Value {
    let given = names.iter().filter(|name| !object[**name].is_null());
    Value::Object(
        given.map(|name| ((*name).to_owned(), object[*name].clone())).collect::<serde_json::Map<_, _>>(),
    )
}
