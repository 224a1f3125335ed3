//! Stream history: sessions, reports, their exports, shared links and the shared page
//! (reference/history.md#sessions).

mod admission;
mod download;
pub mod export;
mod objects;
pub mod page;
mod passwords;
pub mod reports;
mod right;
pub mod sessions;
pub mod shared_links;
pub mod shared_reports;

use api_core::{access::AnyOperation, http::ServiceConfig};

pub use download::Download;
pub use objects::{
    StreamReport, StreamReportBroadcast, StreamReportCategory, StreamReportChatter, StreamReportEmote,
    StreamReportGif, StreamReportMarker, StreamReportMarkerType, StreamReportModeration, StreamReportTip,
    StreamReportTotals, StreamReportTrack, StreamSample, StreamSession, StreamSessionType,
};
pub use right::Right;

/// Every operation of this domain, by resource.
pub static OPERATIONS: &[&[&dyn AnyOperation]] = &[
    sessions::OPERATIONS,
    reports::OPERATIONS,
    shared_links::OPERATIONS,
    shared_reports::OPERATIONS,
    page::OPERATIONS,
];

/// Routes that need a credential.
pub fn routes(config: &mut ServiceConfig<'_>) {
    sessions::rest::routes(config);
    reports::rest::routes(config);
    shared_links::rest::routes(config);
}

/// Routes that need no credential.
pub fn public_routes(config: &mut ServiceConfig<'_>) {
    shared_reports::rest::public_routes(config);
}

/// Routes that neither need nor read a credential.
pub fn page_routes(config: &mut ServiceConfig<'_>) {
    page::rest::page_routes(config);
}
