//! Probes (specification A §4.1).

use std::time::{Duration, Instant};

use actix_web::{
    HttpResponse, get,
    web::{Data, Json},
};
use api_core::State;
use realtime::Hub;
use serde::Serialize;
use utoipa::ToSchema;

/// Longest wait for a dependency before it counts as down.
const PATIENCE: Duration = Duration::from_secs(2);

/// `{ data: … }`
#[derive(Serialize, ToSchema)]
struct HealthAnswer {
    data: Health,
}

/// How the process and what it depends on are.
#[derive(Serialize, ToSchema)]
struct Health {
    status: HealthStatus,
    /// `major.minor.patch+commit` (C §13).
    version: &'static str,
    uptime_seconds: u64,
    services: Services,
    websocket: Sockets,
}

/// All up, some up, none up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum HealthStatus {
    Healthy,
    Degraded,
    Unhealthy,
}

/// What the process depends on.
#[derive(Serialize, ToSchema)]
struct Services {
    postgres: Service,
    timescaledb: Service,
    redis: Service,
}

/// One dependency.
#[derive(Clone, Copy, Serialize, ToSchema)]
struct Service {
    status: ServiceStatus,
    /// Time until the answer, or until it was given up.
    latency_ms: u64,
}

/// Whether a dependency answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ServiceStatus {
    Healthy,
    Unhealthy,
}

/// Open sockets of this process and channels that they listen to.
#[derive(Serialize, ToSchema)]
struct Sockets {
    sessions: usize,
    channels: usize,
}

impl HealthStatus {
    fn of(services: &[Service]) -> Self {
        let up = services.iter().filter(|service| service.status == ServiceStatus::Healthy).count();
        match up {
            0 => Self::Unhealthy,
            up if up == services.len() => Self::Healthy,
            _ => Self::Degraded,
        }
    }
}

/// Whether the process answers at all.
#[utoipa::path(tag = "transport", operation_id = "liveness", responses((status = 200, description = "Alive.")))]
#[get("/v1")]
pub async fn liveness() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({ "status": "ok" }))
}

/// How the process and what it depends on are.
#[utoipa::path(tag = "transport", operation_id = "health", responses((status = 200, body = HealthAnswer)))]
#[get("/v1/health")]
pub async fn health(state: Data<State>, hub: Data<Hub>) -> Json<HealthAnswer> {
    let (postgres, timescaledb, redis) = tokio::join!(
        probe(state.databases.postgres.ping()),
        probe(state.databases.timescaledb.ping()),
        probe(state.redis.ping()),
    );
    Json(HealthAnswer {
        data: Health {
            status: HealthStatus::of(&[postgres, timescaledb, redis]),
            version: crate::VERSION,
            uptime_seconds: state.started.elapsed().as_secs(),
            services: Services { postgres, timescaledb, redis },
            websocket: Sockets { sessions: hub.sessions(), channels: hub.channels() },
        },
    })
}

async fn probe(ping: impl Future<Output = shared::Result<()>>) -> Service {
    let began = Instant::now();
    let outcome = tokio::time::timeout(PATIENCE, ping).await;
    let status = match outcome {
        Ok(Ok(())) => ServiceStatus::Healthy,
        Ok(Err(_)) | Err(_) => ServiceStatus::Unhealthy,
    };
    Service { status, latency_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_counts_what_is_up() {
        let service = |up: bool| Service {
            status: if up { ServiceStatus::Healthy } else { ServiceStatus::Unhealthy },
            latency_ms: 1,
        };
        let status = |up: [bool; 3]| HealthStatus::of(&up.map(service));
        assert_eq!(status([true, true, true]), HealthStatus::Healthy);
        assert_eq!(status([true, false, true]), HealthStatus::Degraded);
        assert_eq!(status([false, false, true]), HealthStatus::Degraded);
        assert_eq!(status([false, false, false]), HealthStatus::Unhealthy);
    }
}
