//! Connections that end without saying so.

use std::{
    fs,
    time::{Duration, Instant},
};

use lumio_tests::{SocketRequest, TestApp, is_slow};

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

/// C §11.4: a ping every 30 s, the end after 75 s without a sign of life. Takes that long, so only the slow tests do.
#[tokio::test]
async fn a_client_that_says_nothing_is_asked_twice_and_then_let_go() {
    const PING: [u8; 2] = [0x89, 0];
    const GOING_AWAY: [u8; 2] = 1001_u16.to_be_bytes();
    if !is_slow() {
        return;
    }
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (mut silent, mut answering) = (socket(&app, &owner).await, socket(&app, &owner).await);
    for client in [&mut silent, &mut answering] {
        client.subscribe(&format!("chat:{}", owner.account_id)).await;
    }
    let begun = Instant::now();
    let (heard, ()) = tokio::join!(
        async {
            let heard = silent.bytes(2 * PING.len() + 4, Duration::from_secs(120)).await;
            (heard, begun.elapsed())
        },
        async {
            // Whoever reads answers pings.
            while begun.elapsed() < Duration::from_secs(80) {
                assert_eq!(answering.frame_within(Duration::from_secs(1)).await, None);
            }
            answering.is_quiet().await;
        }
    );
    let (heard, lasted) = heard;
    assert!(lasted >= Duration::from_secs(74), "{lasted:?}");
    assert_eq!((&heard[..2], &heard[2..4]), (&PING[..], &PING[..]));
    assert_eq!((heard[4], &heard[6..8]), (0x88, &GOING_AWAY[..]), "{heard:x?}");
}
