//! Every integration test, in one binary: linking is what costs. A folder a domain, a file a resource.

mod accounts;
mod billing;
mod bots;
mod community;
mod connections;
mod copyright;
mod corpora;
mod developers;
mod extensions;
mod faults;
mod identity;
mod live;
mod parity;
mod rbac;
mod realtime;
mod refresh;
mod runtime;
mod schema;
mod transport;
