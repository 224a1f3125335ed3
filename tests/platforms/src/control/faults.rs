//! Failures on command.

use std::time::Duration;

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use crate::{Failure, Platform, failure::PlannedFailure, state::State};

/// The next call to `platform`, or the next whose path contains `path`, fails `times` times.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailBody {
    platform: Platform,
    kind: Kind,
    #[serde(default = "one")]
    retry_after_secs: u64,
    #[serde(default)]
    delay_ms: u64,
    path: Option<String>,
    #[serde(default = "one_usize")]
    times: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Unauthorized,
    RateLimited,
    ServerError,
    Slow,
    Late,
    Reset,
    Malformed,
    Oversized,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DropBody {
    platform: Platform,
    reason: String,
}

pub async fn fail(state: web::Data<State>, body: web::Json<FailBody>) -> HttpResponse {
    let FailBody { platform, kind, retry_after_secs, delay_ms, path, times } = body.into_inner();
    let failure = match kind {
        Kind::Unauthorized => Failure::Unauthorized,
        Kind::RateLimited => Failure::RateLimited { retry_after: Duration::from_secs(retry_after_secs) },
        Kind::ServerError => Failure::ServerError,
        Kind::Slow => Failure::Slow(Duration::from_millis(delay_ms)),
        Kind::Late => Failure::Late(Duration::from_millis(delay_ms)),
        Kind::Reset => Failure::Reset,
        Kind::Malformed => Failure::Malformed,
        Kind::Oversized => Failure::Oversized,
    };
    let planned = PlannedFailure { platform, failure, path };
    state.lock().failures.extend(std::iter::repeat_n(planned, times));
    HttpResponse::NoContent().finish()
}

pub async fn drop_message(state: web::Data<State>, body: web::Json<DropBody>) -> HttpResponse {
    let DropBody { platform, reason } = body.into_inner();
    state.lock().drops.entry(platform).or_default().push_back(reason);
    HttpResponse::NoContent().finish()
}

fn one() -> u64 {
    1
}

fn one_usize() -> usize {
    1
}
