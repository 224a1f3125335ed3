//! Probes (specification A §4.1).

use std::time::{Duration, Instant};

use actix_web::{
    HttpRequest, HttpResponse, get,
    web::{Data, Json},
};
use api_core::State;
use realtime::Hub;
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use super::index::{self, Link};

/// Longest wait for a dependency before it counts as down.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// How long what was found is answered again: nobody is counted here, so a flood must not take the connections.
const FRESH: Duration = Duration::from_secs(1);

/// What was found last. Requests that come while something is being found out wait for it.
#[derive(Default)]
pub struct Probes {
    last: Mutex<Option<(Instant, Services)>>,
}

/// The process answers, and what else it serves.
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
#[utoipa::path(tag = "transport", operation_id = "liveness", responses((status = 200, body = Liveness)))]
#[get("/v1")]
pub async fn liveness(request: HttpRequest, state: Data<State>) -> HttpResponse {
    if index::is_browser(&request) {
        return index::page(&state);
    }
    HttpResponse::Ok().json(Liveness { status: "ok", links: index::links(&state.config.explorers) })
}

/// How the process and what it depends on are.
#[utoipa::path(tag = "transport", operation_id = "health", responses((status = 200, body = HealthAnswer)))]
#[get("/v1/health")]
pub async fn health(state: Data<State>, hub: Data<Hub>, probes: Data<Probes>) -> Json<HealthAnswer> {
    let services = probes.services(probed(&state)).await;
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
            && at.elapsed() < FRESH
        {
            return services;
        }
        let services = probed.await;
        *last = Some((Instant::now(), services));
        services
    }
}

async fn probed(state: &State) -> Services {
    let (postgres, timescaledb, redis) = tokio::join!(
        probe(state.databases.postgres.ping()),
        probe(state.databases.timescaledb.ping()),
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
    async fn a_flood_probes_once() {
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
