//! Readiness (reference/telemetry.md#readiness).

use actix_web::{HttpResponse, get, http::StatusCode, web::Data};
use api_core::State;
use foundation::readiness::Reason;
use serde::Serialize;
use utoipa::ToSchema;

/// `{ data: … }`
#[derive(Serialize, ToSchema)]
struct ReadinessAnswer {
    data: ReadinessReport,
}

/// Readiness of the process.
#[derive(Serialize, ToSchema)]
struct ReadinessReport {
    status: ReadinessStatus,
    /// Empty when it is ready.
    reasons: Vec<UnreadyReason>,
}

/// State of the readiness.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ReadinessStatus {
    Ready,
    Unready,
}

/// Reason why the process is not ready. The cause in words is in the log and on the internal listener only,
/// because it may name hosts.
#[derive(Serialize, ToSchema)]
struct UnreadyReason {
    /// `postgres`, `timescaledb`, `redis` or `process`.
    subject: &'static str,
    /// `starting`, `unreachable`, `refused`, `schema_outdated` or `draining`.
    code: &'static str,
}

impl From<Reason> for UnreadyReason {
    fn from(reason: Reason) -> Self {
        Self { subject: reason.subject, code: reason.code.as_str() }
    }
}

/// Reports whether the process can serve.
///
/// 503 while the process starts or stops, a store is unreachable or refuses, or a schema is older than the
/// program.
#[utoipa::path(
    tag = "transport",
    operation_id = "readiness",
    responses(
        (status = 200, description = "Ready.", body = ReadinessAnswer),
        (status = 503, description = "Not ready, with the reasons.", body = ReadinessAnswer),
    )
)]
#[get("/ready")]
pub async fn readiness(state: Data<State>) -> HttpResponse {
    let reasons: Vec<UnreadyReason> =
        state.readiness.reasons().into_iter().map(UnreadyReason::from).collect();
    let (status, code) = if reasons.is_empty() {
        (ReadinessStatus::Ready, StatusCode::OK)
    } else {
        (ReadinessStatus::Unready, StatusCode::SERVICE_UNAVAILABLE)
    };
    HttpResponse::build(code).json(ReadinessAnswer { data: ReadinessReport { status, reasons } })
}
