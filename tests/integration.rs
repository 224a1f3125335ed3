//! Every integration test, in one binary: linking is what costs. A folder a domain, a file a resource.

mod accounts;
mod billing;
mod identity;
mod live;
mod runtime;
mod realtime;
mod schema;
mod transport;
