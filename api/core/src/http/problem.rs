//! Errors as problem details of RFC 9457, for clients that prefer them (reference/errors.md#problem-details).

use actix_web::{
    Error, HttpRequest, HttpResponse, ResponseError,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
    middleware::Next,
};
use serde_json::{Value, json};

use super::{
    addresses::address_without_secrets,
    media_type::{declares_json, prefers},
};
use crate::ApiError;

const MEDIA_TYPE: &str = "application/problem+json";

/// Gives the error bodies of the inner layers and of operations the form of problem details, where the client
/// prefers it.
///
/// # Errors
/// Errors of the inner layers.
pub async fn problem_details(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let occurrence = Occurrence::of(request.request());
    let answered = next.call(request).await;
    let Some(occurrence) = occurrence else { return Ok(answered?.map_into_boxed_body()) };
    match answered {
        Ok(response) => {
            let (request, response) = response.map_into_boxed_body().into_parts();
            Ok(ServiceResponse::new(request, translated(response, &occurrence)))
        }
        Err(mut error) => {
            error.add_response_mapper(move |response| translated(response, &occurrence));
            Err(error)
        }
    }
}

/// Error response of a layer outside of [`problem_details`].
#[must_use]
pub fn refused(request: &HttpRequest, refusal: &ApiError) -> HttpResponse {
    let response = refusal.error_response();
    match Occurrence::of(request) {
        Some(occurrence) => translated(response, &occurrence),
        None => response,
    }
}

/// Request whose error becomes a problem.
struct Occurrence {
    /// Address of the request; `None` where it holds a secret.
    instance: Option<String>,
}

impl Occurrence {
    /// `None` when the client does not prefer problem details.
    fn of(request: &HttpRequest) -> Option<Self> {
        prefers(request.headers(), MEDIA_TYPE).then(|| Self { instance: address_without_secrets(request) })
    }
}

fn translated(response: HttpResponse, occurrence: &Occurrence) -> HttpResponse {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || !declares_json(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(body) => body,
        // No error body is made while it is sent.
        Err(body) => return head.set_body(body),
    };
    let Some(problem) = problem(status, &body, occurrence) else { return head.set_body(BoxBody::new(body)) };
    head.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    head.headers_mut().remove(header::CONTENT_LENGTH);
    head.set_body(BoxBody::new(problem.to_string()))
}

/// Problem of an error body; `None` for other JSON.
fn problem(status: StatusCode, body: &[u8], occurrence: &Occurrence) -> Option<Value> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let Refusal { code, message, details } = Refusal::of(&body)?;
    let mut problem = json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": message,
        "code": code,
    });
    if let Some(instance) = &occurrence.instance {
        problem["instance"] = instance.as_str().into();
    }
    if let Some(details) = details {
        problem["details"] = details;
    }
    Some(problem)
}

/// Content of an error body of any form.
struct Refusal<'a> {
    code: String,
    message: &'a str,
    details: Option<Value>,
}

impl<'a> Refusal<'a> {
    fn of(body: &'a Value) -> Option<Self> {
        let text = Value::as_str;
        if let Some(error) = body["error"].as_object() {
            // reference/errors.md#developer-error-body
            let code = text(error.get("code")?)?.to_owned();
            let details = error.get("fields").map(|fields| json!({ "fields": fields }));
            return Some(Self { code, message: text(error.get("message")?)?, details });
        }
        let error = text(&body["error"])?;
        if let Some(code) = text(&body["error_code"]) {
            // reference/errors.md#account-creation
            return Some(Self { code: code.to_ascii_uppercase(), message: error, details: None });
        }
        let details = body.get("details").cloned();
        Some(Self { code: error.to_owned(), message: text(&body["message"])?, details })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{body::to_bytes, http::Method, test::TestRequest, web::Data};

    use super::*;
    use crate::{
        Code,
        http::{Access, Documented, Routes},
    };

    async fn refused_for(accept: &str, refusal: &ApiError) -> (String, Value) {
        let uri = "/v1/roles?limit=500&token=lm_pop_1";
        let mut routes = Routes::default();
        routes.add("/v1/roles", Method::GET, Access::Open, Vec::new(), Documented::default());
        let request = TestRequest::with_uri(uri).insert_header((header::ACCEPT, accept));
        let request = request.app_data(Data::new(routes)).to_http_request();
        let response = refused(&request, refusal);
        assert_eq!(response.status(), refusal.code.status());
        let media_type = response.headers().get(header::CONTENT_TYPE).unwrap().to_str().unwrap().to_owned();
        let body = to_bytes(response.into_body()).await.unwrap();
        (media_type, serde_json::from_slice(&body).unwrap())
    }

    #[actix_web::test]
    async fn problem_has_the_code_and_details_of_the_error() {
        let refusal = ApiError::invalid("limit must be between 1 and 100");
        let (media_type, body) = refused_for("application/problem+json, */*;q=0.1", &refusal).await;
        assert_eq!(media_type, "application/problem+json");
        let expected = json!({
            "type": "about:blank",
            "title": "Bad Request",
            "status": 400,
            "detail": "limit must be between 1 and 100",
            "instance": "/v1/roles?limit=500",
            "code": "VALIDATION_ERROR",
            "details": { "fields": [{ "field": "limit", "message": "limit must be between 1 and 100" }] },
        });
        assert_eq!(body, expected);
        let refusal = ApiError::new(Code::AccountCreationDisabled, "Account creation is currently disabled");
        let (_, body) = refused_for("application/problem+json", &refusal).await;
        assert_eq!(body["code"], "ACCOUNT_CREATION_DISABLED");
        assert_eq!(body["detail"], "Account creation is currently disabled");
        assert!(body.get("details").is_none());
    }

    #[actix_web::test]
    async fn problem_is_only_for_clients_that_prefer_it() {
        let refusal = ApiError::not_found("Role not found");
        for accept in [
            "*/*",
            "application/json",
            "application/json, application/problem+json",
            "application/problem+json;q=0.5, application/json",
            "application/problem+json;q=0",
            "text/html, application/xhtml+xml, */*;q=0.8",
        ] {
            let (media_type, body) = refused_for(accept, &refusal).await;
            assert_eq!(media_type, "application/json", "{accept}");
            assert_eq!(body, refusal.body(), "{accept}");
        }
        for accept in [
            "application/problem+json",
            "application/problem+json, application/json",
            "application/json;q=0.9, application/problem+json",
            "text/html, application/problem+json;q=0.2",
            "application/json;q=0.5, application/problem+json;q=0.8, */*",
        ] {
            assert_eq!(refused_for(accept, &refusal).await.0, "application/problem+json", "{accept}");
        }
    }

    #[test]
    fn problem_is_made_of_error_bodies_only() {
        let occurrence = Occurrence { instance: None };
        let of = |body: Value| problem(StatusCode::CONFLICT, body.to_string().as_bytes(), &occurrence);
        assert_eq!(of(json!({ "status": "unavailable" })), None);
        assert_eq!(of(json!({ "errors": [{ "message": "x" }] })), None);
        assert_eq!(of(json!(["error"])), None);
        let fields = json!([{ "field": "name", "message": "name must not be empty" }]);
        let developer = json!({ "error": {
            "code": "validation_error", "message": "name must not be empty", "status": 422, "fields": fields,
        } });
        let made = of(developer).unwrap();
        assert_eq!((&made["code"], &made["details"]["fields"]), (&json!("validation_error"), &fields));
        assert!(made.get("instance").is_none(), "{made}");
    }
}
