//! How REST speaks: envelopes, bodies, credentials, rate limits and headers (specification A §2.1, C §1).

mod authenticate;
mod body;
mod body_deadline;
pub(crate) mod browser;
mod envelope;
mod forwarded;
mod origin;
mod parse_error;
mod rate_limit;
mod request_log;
mod routes;
mod tagged;

pub use authenticate::{POPOUT_COOKIE, authenticate, client_ip, count_guess, presented, rate_key_of};
pub use body::{Input, JSON_LIMIT, JsonBody, LenientQuery, QueryOf, parse, path_uuid, read};
pub use body_deadline::{body_deadline, unreadable};
pub use envelope::{
    Collection, Enveloped, KeyLinks, ListLinks, Listed, PageMeta, PagedLinks, SelfLink, Success, created,
    created_key, links_before, listed, listed_before, more_before, paged, single,
};
pub use origin::is_listed as is_listed_origin;
pub use rate_limit::{Policy, RateLimiter, Tier, Verdict, rate_key};
pub use request_log::{HttpMetrics, RequestId, observe};
pub use routes::{Access, Route, Routes};
pub use tagged::tagged;
