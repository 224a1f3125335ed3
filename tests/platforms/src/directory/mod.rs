//! Public directories of Twitch, YouTube, Kick and Trovo, with seeded channels that change. While a platform has no
//! seeded channels, its paths are those of the other modules.

mod control;
mod gate;
mod hold;
mod interface;
mod kick;
mod population;
mod random;
mod trovo;
mod twitch;
mod youtube;

use actix_web::{
    HttpResponse,
    guard::{Guard, GuardContext, fn_guard},
    web,
};

pub use gate::{Requests, Storm, StormKind};
pub use hold::HeldRequest;
pub use interface::Seed;
pub use population::{Churn, DirectoryChannel, World};

use crate::{Platform, refusal::Refusal, state::State};

/// Registered before the other modules, whose paths are served here when channels are seeded.
pub(crate) fn configure(routes: &mut web::ServiceConfig) {
    twitch::configure(routes);
    kick::configure(routes);
    trovo::configure(routes);
    youtube::configure(routes);
    control::configure(routes);
}

/// Passes requests to a platform with seeded channels, with one of these parameters in the query.
fn seeded(platform: Platform, parameters: &'static [&'static str]) -> impl Guard {
    fn_guard(move |context| {
        has_channels(context, platform) && parameters.iter().any(|name| has_parameter(context, name))
    })
}

/// Passes requests to a platform with seeded channels, without this parameter in the query.
fn seeded_without(platform: Platform, parameter: &'static str) -> impl Guard {
    fn_guard(move |context| has_channels(context, platform) && !has_parameter(context, parameter))
}

fn has_channels(context: &GuardContext<'_>, platform: Platform) -> bool {
    let state = context.app_data::<web::Data<State>>();
    state.is_some_and(|state| state.lock().directory.population(platform).is_some())
}

fn has_parameter(context: &GuardContext<'_>, name: &str) -> bool {
    let query = context.head().uri.query().unwrap_or_default();
    !name.is_empty() && query.split('&').any(|part| part.split('=').next() == Some(name))
}

/// Values of a parameter.
fn named<'a>(query: &'a [(String, String)], key: &str) -> Vec<&'a str> {
    query.iter().filter(|(name, _)| name == key).map(|(_, value)| value.as_str()).collect()
}

/// First value of a parameter.
fn first<'a>(query: &'a [(String, String)], key: &str) -> Option<&'a str> {
    named(query, key).into_iter().next()
}

type Answer = Result<HttpResponse, Refusal>;
