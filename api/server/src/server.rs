//! Runs the application: listeners, background tasks and an orderly end.

use std::{
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use actix_http::{HttpService, Protocol};
use actix_server::Server;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::{
    dev::{AppConfig, ServerHandle},
    rt::net::TcpStream,
};
use anyhow::Context;
use api_core::State;
use foundation::{
    db::Databases,
    readiness::{Readiness, Watch},
    telemetry,
};
use realtime::{Connection, Hub};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::{app, daemons, gauges, tasks};

/// Longest wait for requests in progress when the process stops.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
const HEADERS_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// Longest wait for a client to end a connection that is being closed.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// A running server. It stops on [`Running::stop`]; dropping it cuts requests in progress.
pub struct Running {
    /// Address of the public listener.
    pub address: SocketAddr,
    /// Address of the internal listener.
    pub metrics_address: SocketAddr,
    readiness: Readiness,
    hub: Hub,
    handle: ServerHandle,
    server: JoinHandle<std::io::Result<()>>,
    tasks: JoinSet<()>,
    stop: CancellationToken,
}

/// Starts listening and returns. `databases` are those of the state, for probes, gauges and background tasks.
/// Requests are served by threads of the server and by the caller's tokio
/// runtime.
///
/// # Errors
/// An error when an address cannot be bound.
pub async fn start(state: State, databases: Databases) -> anyhow::Result<Running> {
    let config = &state.config.http;
    let listener = bind(config.bind)?;
    let metrics_listener = bind(config.metrics_bind)?;
    let (address, metrics_address) = (listener.local_addr()?, metrics_listener.local_addr()?);
    let hub = Hub::start(state.clone())?;
    let parts = app::Parts::new(state.clone(), databases.clone(), hub.clone())?;
    gauges::register(&state, databases.clone(), &hub, parts.documents())?;
    let server = serve(parts, listener, config.threads)?;
    let handle = server.handle();
    let server = tokio::spawn(server);

    let stop = CancellationToken::new();
    let mut tasks = tasks::start(&state, databases, &stop);
    let (metrics, readiness) = (state.metrics.clone(), state.readiness.clone());
    let watch = Watch::new(&state.config, state.redis.clone(), readiness.clone(), &metrics)?;
    tasks.spawn(watch.run(stop.clone()));
    tasks.spawn(daemons::count(&state, stop.clone())?);
    tasks.spawn(telemetry::serve_metrics(metrics_listener, metrics, readiness.clone(), stop.clone())?);
    tracing::info!(%address, %metrics_address, version = crate::VERSION, "listening");
    Ok(Running { address, metrics_address, readiness, hub, handle, server, tasks, stop })
}

impl Running {
    /// Waits until the listener or a background task ends, which none of them does before [`Running::stop`].
    /// Returns an error that names the one that ended. An orderly stop is not possible then.
    pub async fn failed(&mut self) -> anyhow::Error {
        first_end(&mut self.server, &mut self.tasks).await
    }

    /// Stops accepting, lets requests in progress end within 20 seconds, closes sockets so that clients
    /// reconnect elsewhere, and writes data that is still in memory.
    ///
    /// # Errors
    /// An error when the listener ended with one.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.readiness.drain();
        tokio::join!(self.handle.stop(true), self.hub.shutdown(DRAIN_TIMEOUT));
        self.server.await.context("the listener's task")?.context("the listener")?;
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.context("a background task")?;
        }
        tracing::info!("stopped");
        Ok(())
    }
}

/// The job of `HttpServer`, with an own type of connection.
fn serve(parts: app::Parts, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
    let address = listener.local_addr()?;
    let server = Server::build().workers(workers).shutdown_timeout(DRAIN_TIMEOUT.as_secs()).disable_signals();
    let stopping = server.graceful_shutdown_signal();
    let http = move || {
        let stopping = stopping.clone();
        let app = app::build(parts.clone())
            .into_factory()
            .map_err(|error: actix_web::Error| error.error_response());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(HEADERS_TIMEOUT)
            .client_disconnect_timeout(SHUTDOWN_TIMEOUT)
            .keep_alive(IDLE_TIMEOUT)
            .local_addr(address)
            .on_connect_ext(Connection::introduce)
            .finish(map_config(app, |()| AppConfig::default()));
        fn_service(async |stream: TcpStream| {
            let connection = Connection::new(stream);
            let peer = connection.peer();
            Ok((connection, Protocol::Http1, peer))
        })
        .and_then(http)
    };
    Ok(server.listen("http", listener, http)?.run())
}

async fn first_end(server: &mut JoinHandle<std::io::Result<()>>, tasks: &mut JoinSet<()>) -> anyhow::Error {
    let ended = tokio::select! {
        ended = server => match ended {
            Ok(Ok(())) => Ok("the listener"),
            Ok(Err(error)) => Err(anyhow::Error::new(error).context("the listener")),
            Err(error) => Err(anyhow::Error::new(error).context("the listener's task")),
        },
        Some(ended) = tasks.join_next() => match ended {
            Ok(()) => Ok("a background task"),
            Err(error) => Err(anyhow::Error::new(error).context("a background task")),
        },
    };
    ended.map_or_else(|error| error, |what| anyhow::anyhow!("{what} ended without a request to stop"))
}

fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address).with_context(|| format!("{address} cannot be listened on"))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn first_end_names_the_task_that_ended() {
        let endless = || tokio::spawn(std::future::pending::<std::io::Result<()>>());
        let mut tasks = JoinSet::new();
        let mut failing = tokio::spawn(async { Err(std::io::Error::other("broken")) });
        let error = first_end(&mut failing, &mut tasks).await;
        assert_eq!(format!("{error:#}"), "the listener: broken");

        tasks.spawn(std::future::ready(()));
        let error = first_end(&mut endless(), &mut tasks).await;
        assert_eq!(error.to_string(), "a background task ended without a request to stop");

        tasks.spawn(async { panic!("broken") });
        let error = first_end(&mut endless(), &mut tasks).await;
        assert!(format!("{error:#}").contains("panicked"), "{error:#}");
    }
}
