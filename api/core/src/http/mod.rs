//! How REST speaks: envelopes, bodies, credentials, rate limits and headers (specification A §2.1, C §1).

mod authenticate;
mod body;
pub(crate) mod browser;
mod envelope;
mod rate_limit;
mod request_log;
mod routes;
mod tagged;

pub use authenticate::{POPOUT_COOKIE, authenticate, client_ip, guessing, presented, rate_key_of};
pub use body::{Input, JSON_LIMIT, JsonBody, QueryOf, parse, path_uuid, read};
pub use envelope::{
    Collection, Enveloped, KeyLinks, ListLinks, Listed, PageMeta, PagedLinks, SelfLink, Success, created,
    listed, paged, single,
};
pub use rate_limit::{RateLimiter, Tier, Verdict, rate_key};
pub use request_log::{HttpMetrics, RequestId, observe};
pub use routes::{Access, Route, Routes};
pub use tagged::tagged;
