//! The routes of all platforms and of the control API on one listener.

use std::{io, net::TcpListener, sync::Arc, time::Duration};

use actix_web::{App, HttpServer, dev::Server, middleware::from_fn, web};

use crate::{
    control, directory, discord, failure, kick, spotify, state::State, trovo, trovo_chat, twitch, youtube,
    youtube_live,
};

/// Maximum size of a request body; webhooks go out, so nothing large comes in.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// Sends webhooks.
#[derive(Debug, Clone)]
pub struct Webhooks {
    pub client: reqwest::Client,
}

impl Webhooks {
    /// A client that follows no redirects and uses no proxy.
    pub fn new() -> reqwest::Result<Self> {
        let client =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
        Ok(Self { client })
    }
}

/// Time after which an idle connection is closed: longer than clients keep one, as a request that meets the end of its
/// connection fails.
const KEEP_ALIVE: Duration = Duration::from_secs(120);

/// A server on the listener, not yet running.
pub fn server(listener: TcpListener, state: Arc<State>, webhooks: Webhooks) -> io::Result<Server> {
    let app = move || {
        App::new()
            .app_data(web::Data::from(Arc::clone(&state)))
            .app_data(web::Data::new(webhooks.clone()))
            .app_data(web::PayloadConfig::new(MAX_BODY_BYTES))
            .app_data(web::JsonConfig::default().limit(MAX_BODY_BYTES))
            .wrap(from_fn(failure::fail_on_command))
            .configure(directory::configure)
            .configure(twitch::configure)
            .configure(youtube::configure)
            .configure(youtube_live::configure)
            .configure(kick::configure)
            .configure(trovo::configure)
            .configure(trovo_chat::configure)
            .configure(spotify::configure)
            .configure(discord::configure)
            .configure(crate::stream_elements::configure)
            .configure(crate::people::configure)
            .configure(crate::emotes::configure)
            .configure(control::configure)
    };
    let server = HttpServer::new(app)
        .workers(1)
        .keep_alive(KEEP_ALIVE)
        .on_connect(failure::remember_connection)
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}
