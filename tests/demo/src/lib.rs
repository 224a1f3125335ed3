//! The main use of Lumio as a client: signing in, installing an extension, following its effects.

mod api;
mod bundle;
mod connect;
mod operator;
mod socket;
mod stand_in;
mod steps;
mod surfaces;
mod team;

pub use api::{Api, text};
pub use bundle::archive;
pub use connect::connect;
pub use socket::Socket;
pub use stand_in::{PlatformUser, Receiver, StandIn};
pub use steps::{Creator, Demo, Installed, exchange};
