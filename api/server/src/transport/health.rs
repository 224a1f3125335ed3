//! Probes (reference/telemetry.md#health).

use std::time::{Duration, Instant};

use actix_web::{
    HttpRequest, HttpResponse, get,
    web::{Data, Json},
};
use api_core::State;
use foundation::db::Databases;
use realtime::Hub;
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use super::index::{self, Link};

/// Longest wait for a dependency before it counts as down.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Time for which a result is returned again. Requests are not counted here, so a flood must not take the
/// connections.
const RESULT_TTL: Duration = Duration::from_secs(1);

/// Last result. Requests that arrive during a probe wait for it.
#[derive(Default)]
pub struct Probes {
    last: Mutex<Option<(Instant, Services)>>,
}

/// Databases that are probed.
pub struct ProbedDatabases(Databases);

impl ProbedDatabases {
    /// Probes these databases.
    #[must_use]
    pub const fn new(databases: Databases) -> Self {
        Self(databases)
    }
}

/// Liveness of the process, with links to the documents that it serves.
#[derive(Serialize, ToSchema)]
struct Liveness {
    /// `ok`
    status: &'static str,
    links: Vec<Link>,
}

/// `{ data: … }`
#[derive(Serialize, ToSchema)]
struct HealthAnswer {
    data: Health,
}

/// State of the process and of its dependencies.
#[derive(Serialize, ToSchema)]
struct Health {
    status: HealthStatus,
    /// `major.minor.patch+commit` (docs/reference/conventions.md#versioning).
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

/// Dependencies of the process.
#[derive(Clone, Copy, Serialize, ToSchema)]
struct Services {
    postgres: Service,
    timescaledb: Service,
    redis: Service,
}

/// One dependency.
#[derive(Clone, Copy, Serialize, ToSchema)]
struct Service {
    status: ServiceStatus,
    /// Time until the response or the timeout.
    latency_ms: u64,
}

/// State of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ServiceStatus {
    Healthy,
    Unhealthy,
}

/// Open sockets of this process, and channels with subscribers.
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

/// Reports that the process lives.
#[utoipa::path(tag = "transport", operation_id = "liveness", responses((status = 200, body = Liveness)))]
#[get("/v1")]
pub async fn liveness(request: HttpRequest, state: Data<State>) -> HttpResponse {
    if index::is_browser(&request) {
        return index::page(&state);
    }
    HttpResponse::Ok().json(Liveness { status: "ok", links: index::links(&state.config.explorers) })
}

/// Reports the state of the process and of its dependencies.
#[utoipa::path(tag = "transport", operation_id = "health", responses((status = 200, body = HealthAnswer)))]
#[get("/v1/health")]
pub async fn health(
    state: Data<State>,
    databases: Data<ProbedDatabases>,
    hub: Data<Hub>,
    probes: Data<Probes>,
) -> Json<HealthAnswer> {
    let services = probes.services(probed(&state, &databases.0)).await;
    let Services { postgres, timescaledb, redis } = services;
    Json(HealthAnswer {
        data: Health {
            status: HealthStatus::of(&[postgres, timescaledb, redis]),
            version: crate::VERSION,
            uptime_seconds: state.started.elapsed().as_secs(),
            services,
            websocket: Sockets { sessions: hub.sessions(), channels: hub.channels() },
        },
    })
}

impl Probes {
    async fn services(&self, probed: impl Future<Output = Services>) -> Services {
        let mut last = self.last.lock().await;
        if let Some((at, services)) = *last
            && at.elapsed() < RESULT_TTL
        {
            return services;
        }
        let services = probed.await;
        *last = Some((Instant::now(), services));
        services
    }
}

async fn probed(state: &State, databases: &Databases) -> Services {
    let (postgres, timescaledb, redis) = tokio::join!(
        probe(databases.postgres.ping()),
        probe(databases.timescaledb.ping()),
        probe(state.redis.ping()),
    );
    Services { postgres, timescaledb, redis }
}

async fn probe(ping: impl Future<Output = shared::Result<()>>) -> Service {
    let began = Instant::now();
    let outcome = tokio::time::timeout(PROBE_TIMEOUT, ping).await;
    let status = match outcome {
        Ok(Ok(())) => ServiceStatus::Healthy,
        Ok(Err(_)) | Err(_) => ServiceStatus::Unhealthy,
    };
    Service { status, latency_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn health_probes_once_for_concurrent_requests() {
        let (probes, times) = (Probes::default(), std::cell::Cell::new(0));
        let up = Service { status: ServiceStatus::Healthy, latency_ms: 1 };
        let ask = || {
            probes.services(async {
                times.set(times.get() + 1);
                tokio::task::yield_now().await;
                Services { postgres: up, timescaledb: up, redis: up }
            })
        };
        tokio::join!(ask(), ask(), ask());
        assert_eq!(times.get(), 1);
    }

    #[test]
    fn health_status_counts_the_healthy_services() {
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
