//! Tests of the transport: discovery, limits, headers, metrics, the console
//! (reference/conventions.md#discovery-routes).

mod bodies;
mod configuration;
mod console;
mod conventions;
mod discovery;
mod doctor;
mod graphql;
mod handbook;
mod headers;
mod hostile;
mod metrics;
mod problems;
mod programs;
mod proxies;
mod readiness;
mod requests;
mod traces;
