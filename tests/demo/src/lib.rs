//! The main use of Lumio as a client: signing in, becoming a developer, installing an extension, automating a channel,
//! following the effects.

mod api;
mod automation;
mod bundle;
mod connect;
mod operator;
mod programme;
mod socket;
mod stand_in;
mod steps;
mod surfaces;
mod team;

pub use api::{Api, fields, text};
pub use bundle::archive;
pub use connect::connect;
pub use socket::Socket;
pub use stand_in::{PlatformUser, Receiver, StandIn};
pub use steps::{Creator, Demo, Installed, exchange, result, step};
pub use surfaces::start_browser;
