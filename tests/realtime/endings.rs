//! Connections that end without saying so.

use std::{fs, time::Duration};

use lumio_tests::{SocketRequest, TestApp};

use super::socket;

/// Connections of the server whose client is gone and which the server still holds.
fn half_closed(port: u16) -> usize {
    const CLOSE_WAIT: &str = "08";
    let table = fs::read_to_string("/proc/net/tcp").expect("the kernel's table");
    let local = format!(":{port:04X}");
    table
        .lines()
        .filter(|line| {
            let mut fields = line.split_whitespace().skip(1);
            fields.next().is_some_and(|address| address.ends_with(&local))
                && fields.nth(1) == Some(CLOSE_WAIT)
        })
        .count()
}

#[tokio::test]
async fn a_client_that_is_gone_leaves_no_connection_behind() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let port = app.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    for _ in 0..20 {
        // Neither a close frame nor an end of HTTP: the process is simply gone.
        drop(SocketRequest::to(app.url()).connect().await);
        drop(socket(&app, &owner).await);
    }
    for _ in 0..100 {
        if half_closed(port) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{} connections of clients that are gone are still held", half_closed(port));
}
