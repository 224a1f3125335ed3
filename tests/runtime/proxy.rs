//! A proxy between the worker and a server that can be closed or slowed down.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{self, AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
};

/// Forwards connections while it is open; closing it cuts them all.
#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    open: Arc<watch::Sender<bool>>,
    delay: Arc<watch::Sender<Duration>>,
}

impl Proxy {
    pub async fn to(target: watch::Receiver<Option<SocketAddr>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (open, is_open) = watch::channel(true);
        let (delay, delayed) = watch::channel(Duration::ZERO);
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let target = *target.borrow();
                if let (true, Some(target)) = (*is_open.borrow(), target) {
                    tokio::spawn(pass_on(socket, target, is_open.clone(), delayed.clone()));
                }
            }
        });
        Self { address, open: Arc::new(open), delay: Arc::new(delay) }
    }

    pub fn shut(&self) {
        self.open.send_replace(false);
    }

    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Delays the bytes of the server.
    pub fn delay(&self, delay: Duration) {
        self.delay.send_replace(delay);
    }
}

async fn pass_on(
    socket: TcpStream,
    target: SocketAddr,
    mut is_open: watch::Receiver<bool>,
    delay: watch::Receiver<Duration>,
) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (mut from_worker, to_worker) = socket.into_split();
    let (from_server, mut to_server) = server.into_split();
    tokio::select! {
        _ = io::copy(&mut from_worker, &mut to_server) => {}
        _ = slowly(from_server, to_worker, delay) => {}
        _ = is_open.wait_for(|open| !open) => {}
    }
}

async fn slowly(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    delay: watch::Receiver<Duration>,
) -> io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let length = from.read(&mut bytes).await?;
        if length == 0 {
            return Ok(());
        }
        let pause = *delay.borrow();
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        to.write_all(&bytes[..length]).await?;
    }
}
