//! What belongs to no domain (specification A §4.1; C §1, §2.4, §12): discovery, limits, headers, metrics, the console.

mod bodies;
mod configuration;
mod console;
mod conventions;
mod deployment;
mod discovery;
mod graphql;
mod headers;
mod hostile;
mod metrics;
mod programs;
mod proxies;
mod readiness;
mod requests;
