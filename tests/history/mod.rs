//! Stream history: sessions, samples, reports, exports and shared links.

mod admission;
mod counting;
mod exports;
mod list;
mod pdf;
mod reports;
mod reports_api;
mod samples;
mod scene;
mod sessions;
mod shared_reports;
mod shares;
mod stage;
