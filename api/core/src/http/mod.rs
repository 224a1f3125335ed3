//! Parts of REST: envelopes, bodies, credentials, rate limits and headers
//! (reference/conventions.md#envelopes).

mod addresses;
mod authenticate;
mod body;
mod body_deadline;
pub(crate) mod browser;
mod caught;
mod client_ip;
mod conditional;
mod deprecated;
mod envelope;
mod forwarded;
mod idempotency;
mod media_type;
pub mod metering;
mod origin;
mod parse_error;
mod part_links;
mod problem;
mod rate_key;
mod rate_limit;
mod request_log;
mod route_groups;
mod routes;
mod service_config;
mod stored_file;
mod streamed;
mod tagged;
mod verdict;

pub(crate) use addresses::is_credential;
pub use authenticate::{POPOUT_COOKIE, authenticate, count_guess, presented};
pub use body::{Input, JsonBody, LenientQuery, MAX_JSON_BYTES, QueryOf, parse, path_uuid, read};
pub use body_deadline::{body_deadline, unreadable};
pub use caught::caught;
pub use client_ip::client_ip;
pub use conditional::{answer_conditionally, holds};
pub use deprecated::announce_deprecations;
pub use envelope::{
    Collection, Enveloped, KeyLinks, ListLinks, Listed, PageMeta, PagedLinks, SelfLink, Success, created,
    created_key, links_before, listed, listed_before, paged, paged_by_cursor, paged_by_cursor_and_own_limit,
    single,
};
pub use foundation::permits::{Permit, SharedPermits};
pub use idempotency::idempotency;
pub use media_type::{declares_json, prefers};
pub use origin::is_listed as is_listed_origin;
pub use part_links::{Linked, PartLinks, more_before};
pub use problem::{problem_details, refused};
pub use rate_key::{rate_key, rate_key_of};
pub use rate_limit::{Present, RateLimiter, Tier, WINDOW_SECS};
pub use request_log::{HttpMetrics, RequestId, observe};
pub use routes::{Access, Documented, Route, Routes, route_of};
pub use service_config::ServiceConfig;
pub use stored_file::{Caching, Sandbox, StoredFile, is_open_to_all, open_to_all};
pub use streamed::{BodyParts, ListPages, streamed_json, streamed_list};
pub use tagged::{tagged, tagged_part};
pub use verdict::{Policy, Verdict};
