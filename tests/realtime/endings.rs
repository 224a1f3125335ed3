//! Connections that end without a close frame.

use std::{
    fs,
    time::{Duration, Instant},
};

use lumio_tests::{SocketRequest, TestApp, is_slow};

use super::socket;

/// Number of the server's connections whose client has closed and which the server still holds.
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
async fn endings_without_a_close_frame_leave_no_connection_behind() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let port = app.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    for _ in 0..20 {
        // Neither a close frame nor an end of HTTP, as with a killed process.
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

/// A ping every 30 s, the end after 75 s without a sign of life (reference/realtime.md#heartbeat). Runs only with the
/// slow tests, because it takes that long.
#[tokio::test]
async fn endings_follow_two_unanswered_pings() {
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
            // A client that reads also answers pings.
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
