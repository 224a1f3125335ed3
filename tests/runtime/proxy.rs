//! A door between the worker and a server, to be shut.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// Passes connections on while it is open; shutting it cuts them all.
#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    open: Arc<watch::Sender<bool>>,
}

impl Proxy {
    pub async fn to(target: watch::Receiver<Option<SocketAddr>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (open, is_open) = watch::channel(true);
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let target = *target.borrow();
                if let (true, Some(target)) = (*is_open.borrow(), target) {
                    tokio::spawn(pass_on(socket, target, is_open.clone()));
                }
            }
        });
        Self { address, open: Arc::new(open) }
    }

    pub fn shut(&self) {
        self.open.send_replace(false);
    }

    pub fn open(&self) {
        self.open.send_replace(true);
    }
}

async fn pass_on(mut socket: TcpStream, target: SocketAddr, mut is_open: watch::Receiver<bool>) {
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    tokio::select! {
        _ = copy_bidirectional(&mut socket, &mut server) => {}
        _ = is_open.wait_for(|open| !open) => {}
    }
}
