//! Messages of HTTP/1.1, as the servers of the tests read them.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// Next message with its body, whose length the head names. `None`: the connection is closed.
pub async fn message(socket: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    let (mut message, mut length) = (Vec::new(), 0_usize);
    loop {
        let begin = message.len();
        socket.read_until(b'\n', &mut message).await.ok().filter(|bytes| *bytes > 0)?;
        let line = String::from_utf8_lossy(&message[begin..]).to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let head = message.len();
    message.resize(head + length, 0);
    socket.read_exact(&mut message[head..]).await.ok()?;
    Some(message)
}
