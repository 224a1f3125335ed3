//! Whom to tell of a weakness (specification C §1).

use actix_web::{HttpResponse, get, web::Data};
use api_core::State;

#[get("/.well-known/security.txt")]
pub async fn security_txt(state: Data<State>) -> HttpResponse {
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(state.config.http.security_txt.clone())
}
