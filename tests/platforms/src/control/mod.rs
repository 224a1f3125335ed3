//! Control of the stand-in over HTTP, below `/_control`. Bodies and responses are JSON; a refusal is 400 or 404 with
//! `{ "error": … }`.
//!
//! | Route | Does |
//! |---|---|
//! | `GET /_control/environment` | the `LUMIO_…` variables that point here |
//! | `POST /_control/users` | creates a user: `{ platform, id?, login?, display_name?, email?, scopes? }` |
//! | `GET /_control/users?platform=` | lists users |
//! | `POST /_control/tokens` | issues a token: `{ platform, user_id?, client_id?, scopes?, expires_in_secs? }` |
//! | `POST /_control/apps` | registers an application: `{ platform, client_id, client_secret }` |
//! | `POST /_control/revoke` | revokes a token, or with `all` its whole authorisation: `{ platform, token, all? }` |
//! | `POST /_control/rules` | changes refreshing: `{ platform, rotation?, access_token_secs? }` |
//! | `GET /_control/token-calls?platform=` | calls to the token endpoints |
//! | `POST /_control/sign-in` | user of the next authorization pages: `{ platform, user_id }` |
//! | `GET /_control/sent?platform=&since=` | chat messages that were sent at a time or later |
//! | `GET /_control/moderation?platform=` | moderation calls that were made |
//! | `GET /_control/subscriptions` | EventSub and Kick subscriptions |
//! | `POST /_control/fail` | `{ platform, kind, retry_after_secs?, delay_ms?, path? }`, see [`faults`] |
//! | `POST /_control/drop` | the next message is not delivered: `{ platform, reason }` |
//! | `POST /_control/twitch/deliver` | `{ event, to?, options? }`, see [`deliveries`] |
//! | `GET /_control/twitch/redemptions` | redemptions of channel points with their status, oldest first |
//! | `POST /_control/twitch/revoke` | ends an EventSub subscription: `{ id, reason? }` |
//! | `POST /_control/kick/webhook-url` | address of Kick's deliveries: `{ url }` |
//! | `POST /_control/kick/deliver` | `{ event, to?, options? }` |
//! | `/_control/directory…` | channels of the public directories, see `directory/control.rs` |
//! | `POST /_control/reset` | deletes everything but applications and keys |

mod deliveries;
mod faults;
mod records;
mod tokens;

use actix_web::web;
use serde_json::json;

use crate::refusal::Refusal;

pub fn configure(routes: &mut web::ServiceConfig) {
    routes
        .route("/_control/environment", web::get().to(records::environment))
        .route("/_control/users", web::post().to(records::create_user))
        .route("/_control/users", web::get().to(records::list_users))
        .route("/_control/tokens", web::post().to(records::issue_token))
        .route("/_control/apps", web::post().to(tokens::register_app))
        .route("/_control/revoke", web::post().to(tokens::revoke))
        .route("/_control/rules", web::post().to(tokens::change_rules))
        .route("/_control/token-calls", web::get().to(tokens::token_calls))
        .route("/_control/sign-in", web::post().to(records::sign_in))
        .route("/_control/on-air", web::post().to(records::go_live))
        .route("/_control/sent", web::get().to(records::sent))
        .route("/_control/moderation", web::get().to(records::moderation))
        .route("/_control/subscriptions", web::get().to(records::subscriptions))
        .route("/_control/reset", web::post().to(records::reset))
        .route("/_control/fail", web::post().to(faults::fail))
        .route("/_control/drop", web::post().to(faults::drop_message))
        .route("/_control/twitch/deliver", web::post().to(deliveries::twitch))
        .route("/_control/twitch/redemptions", web::get().to(records::redemptions))
        .route("/_control/twitch/revoke", web::post().to(deliveries::revoke_eventsub))
        .route("/_control/kick/webhook-url", web::post().to(deliveries::set_kick_webhook_url))
        .route("/_control/kick/deliver", web::post().to(deliveries::kick));
}

fn bad_request(reason: impl std::fmt::Display) -> Refusal {
    Refusal::new(400, json!({ "error": reason.to_string() }))
}

fn not_found(reason: impl std::fmt::Display) -> Refusal {
    Refusal::new(404, json!({ "error": reason.to_string() }))
}
