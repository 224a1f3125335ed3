//! The clients of `shared` against the stand-in, and the stand-in against the documented formats.

mod client_faults;
mod client_oauth;
mod client_subscriptions;
mod clients;
mod moderation;
mod oauth;
mod obs;
mod receiver;
mod spotify;
mod stream_elements;
mod webhooks;
mod world;
