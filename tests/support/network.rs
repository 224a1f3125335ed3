//! A network between two parties that can be slow, silent or cut.

use std::{
    net::SocketAddr,
    sync::Arc,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};
use url::Url;

/// Condition of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weather {
    /// Everything passes at once.
    Fair,
    /// Every piece is delayed by this time, each way.
    Slow(Duration),
    /// Connections stay open and are accepted, and nothing passes, as with an unreachable peer.
    Silent,
    /// Connections are reset and refused.
    Cut,
}

/// A listener on a free port that passes connections on to one address.
pub struct Network {
    address: SocketAddr,
    weather: watch::Sender<Weather>,
    taken: Arc<AtomicUsize>,
}

impl Network {
    /// A network to the server of a URL.
    pub async fn to(url: &str) -> Self {
        let url = Url::parse(url).expect("a URL");
        let port = url.port_or_known_default().expect("a port");
        Self::to_address(format!("{}:{port}", url.host_str().expect("a host"))).await
    }

    async fn to_address(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (weather, of_connections) = watch::channel(Weather::Fair);
        let taken = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&taken);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                count.fetch_add(1, Relaxed);
                tokio::spawn(connection(client, target.clone(), of_connections.clone()));
            }
        });
        Self { address, weather, taken }
    }

    /// The URL that leads through this network.
    #[must_use]
    pub fn url(&self, url: &str) -> String {
        let mut url = Url::parse(url).expect("a URL");
        url.set_host(Some("127.0.0.1")).expect("a host may be set");
        url.set_port(Some(self.address.port())).expect("a port may be set");
        url.to_string()
    }

    pub fn set_weather(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }

    /// Connections that were taken so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.taken.load(Relaxed)
    }
}

async fn connection(client: TcpStream, target: String, mut weather: watch::Receiver<Weather>) {
    let of_pieces = [weather.clone(), weather.clone()];
    let passing = async move {
        // Behind a silent network the connection to the other side is not opened.
        let [mut there, back] = of_pieces;
        passable(&mut there).await?;
        let server = TcpStream::connect(target).await.ok()?;
        let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
            (client.into_split(), server.into_split());
        // One direction may end before the other.
        tokio::join!(
            pieces(&mut from_client, &mut to_server, there),
            pieces(&mut from_server, &mut to_client, back)
        );
        Some(())
    };
    tokio::select! {
        _ = passing => {}
        _ = weather.wait_for(|weather| *weather == Weather::Cut) => {}
    }
}

/// Waits until a piece may pass.
async fn passable(weather: &mut watch::Receiver<Weather>) -> Option<()> {
    let now = *weather.wait_for(|weather| *weather != Weather::Silent).await.ok()?;
    if let Weather::Slow(delay) = now {
        tokio::time::sleep(delay).await;
    }
    Some(())
}

async fn pieces(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut weather: watch::Receiver<Weather>,
) {
    let mut piece = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        if passable(&mut weather).await.is_none() || to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
    // The end passes like other bytes; when the other side is gone there is no receiver.
    if passable(&mut weather).await.is_some() {
        let _is_gone = to.shutdown().await.is_err();
    }
}
