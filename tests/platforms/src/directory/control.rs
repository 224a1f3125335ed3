//! Control of the directories over HTTP:
//!
//! | Route | Does |
//! |---|---|
//! | `POST /_control/directory` | replaces the channels: `{ platform, channels, live, seed? }` |
//! | `GET /_control/directory?platform=` | requests so far, and numbers of channels |
//! | `POST /_control/directory/churn` | changes random channels: `{ platform, viewers?, on?, off?, renames? }` |
//! | `POST /_control/directory/storm` | `{ platform, storm: { kind, percent, retry_after_secs? } or null }` |

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use serde_json::json;

use super::{
    Answer, Churn, Seed, Storm,
    interface::{self, unseeded},
};
use crate::{Platform, state::State};

#[derive(Debug, Deserialize)]
struct OfPlatform {
    platform: Platform,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChurnBody {
    platform: Platform,
    #[serde(default)]
    viewers: usize,
    #[serde(default)]
    on: usize,
    #[serde(default)]
    off: usize,
    #[serde(default)]
    renames: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StormBody {
    platform: Platform,
    storm: Option<Storm>,
}

pub(super) fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/_control/directory", web::post().to(seed))
        .route("/_control/directory", web::get().to(show))
        .route("/_control/directory/churn", web::post().to(churn))
        .route("/_control/directory/storm", web::post().to(storm));
}

async fn seed(state: web::Data<State>, body: web::Json<Seed>) -> HttpResponse {
    interface::seed(&state, body.into_inner());
    HttpResponse::NoContent().finish()
}

async fn show(state: web::Data<State>, query: web::Query<OfPlatform>) -> Answer {
    let inner = state.lock();
    let population = inner.directory.population(query.platform).ok_or_else(|| unseeded(query.platform))?;
    let live = population.channels.iter().filter(|channel| channel.live.is_some()).count();
    let numbers = json!({ "channels": population.channels.len(), "live": live });
    Ok(HttpResponse::Ok().json(json!({ "requests": population.gate.requests(), "numbers": numbers })))
}

async fn churn(state: web::Data<State>, body: web::Json<ChurnBody>) -> Answer {
    let ChurnBody { platform, viewers, on, off, renames } = body.into_inner();
    let mut inner = state.lock();
    let population = inner.directory.population_mut(platform).ok_or_else(|| unseeded(platform))?;
    population.churn(Churn { viewers, on, off, renames });
    Ok(HttpResponse::NoContent().finish())
}

async fn storm(state: web::Data<State>, body: web::Json<StormBody>) -> Answer {
    let mut inner = state.lock();
    let population = inner.directory.population_mut(body.platform).ok_or_else(|| unseeded(body.platform))?;
    population.gate.set_storm(body.storm);
    Ok(HttpResponse::NoContent().finish())
}
