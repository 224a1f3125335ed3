//! Connections whose statements are sent as text with each execution (reference/storage.md#connection-poolers).
//!
//! A pooler that shares connections by transaction may send two transactions of a client to two server processes. A
//! statement that was prepared on one of them is unknown to the other, or another one has its name. The client
//! prepares its statements all the same, and a layer below it rewrites the messages: each batch prepares the text
//! anew as the unnamed statement of the process that executes it. This costs parsing and planning, and no round trip.

mod incoming;
mod outgoing;
mod session;
mod stream;

use std::io;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::{Client, Config, NoTls, config::Host};
use tokio_util::either::Either;

use self::stream::InlineStream;
use super::driver::{ConnectError, Driver};

const DEFAULT_PORT: u16 = 5432;

/// Connects to the one host of a configuration.
pub(super) async fn connect(host: &Config) -> Result<(Client, Driver), ConnectError> {
    let stream = InlineStream::new(open(host).await.map_err(ConnectError::Network)?);
    let rewriting = stream.rewriting();
    let (client, connection) = host.connect_raw(stream, NoTls).await.map_err(ConnectError::Postgres)?;
    // The messages before have another form.
    rewriting.begin();
    let driver: Driver = Box::pin(connection);
    Ok((client, driver))
}

/// Opens the socket with the settings of the configuration.
async fn open(host: &Config) -> io::Result<Either<TcpStream, UnixStream>> {
    let port = host.get_ports().first().copied().unwrap_or(DEFAULT_PORT);
    let stream = match (host.get_hostaddrs().first(), host.get_hosts().first()) {
        (Some(address), _) => TcpStream::connect((*address, port)).await?,
        (None, Some(Host::Tcp(name))) => TcpStream::connect((name.as_str(), port)).await?,
        (None, Some(Host::Unix(folder))) => {
            let socket = UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await?;
            return Ok(Either::Right(socket));
        }
        (None, None) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "the URL names no host")),
    };
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(host.get_tcp_user_timeout().copied())?;
    if host.get_keepalives() {
        let mut keepalive = TcpKeepalive::new().with_time(host.get_keepalives_idle());
        if let Some(interval) = host.get_keepalives_interval() {
            keepalive = keepalive.with_interval(interval);
        }
        socket.set_tcp_keepalive(&keepalive)?;
    }
    Ok(Either::Left(stream))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use bytes::BytesMut;

    use super::{incoming::Incoming, outgoing::Outgoing, session::Session};

    /// Both directions of a connection. Bytes come in pieces of one.
    #[derive(Default)]
    struct Wire {
        session: Session,
        outgoing: Outgoing,
        incoming: Incoming,
    }

    fn message(kind: u8, parts: &[&str]) -> Vec<u8> {
        let body = parts.concat();
        let mut message = vec![kind];
        message.extend(u32::try_from(body.len() + 4).unwrap().to_be_bytes());
        message.extend(body.into_bytes());
        message
    }

    /// Messages by their kind and the text of their body, with `|` for each zero.
    fn listed(bytes: &[u8]) -> Vec<String> {
        let (mut bytes, mut all) = (VecDeque::from(bytes.to_vec()), Vec::new());
        while let Some(kind) = bytes.pop_front() {
            let length: Vec<u8> = bytes.drain(..4).collect();
            let length = u32::from_be_bytes(length.try_into().unwrap());
            let body: Vec<u8> = bytes.drain(..usize::try_from(length).unwrap() - 4).collect();
            let body = String::from_utf8(body).unwrap().replace('\0', "|");
            all.push(format!("{}{body}", char::from(kind)));
        }
        all
    }

    impl Wire {
        fn send(&mut self, messages: &[Vec<u8>]) -> Vec<String> {
            let mut out = BytesMut::new();
            for byte in messages.concat() {
                self.outgoing.rewrite(&[byte], &mut self.session, &mut out).unwrap();
            }
            listed(&out)
        }

        fn receive(&mut self, kinds: &str) -> Vec<String> {
            let mut out = BytesMut::new();
            let body = |kind| if kind == 'D' { "row" } else { "" };
            for kind in kinds.chars() {
                for byte in message(u8::try_from(kind).unwrap(), &[body(kind)]) {
                    self.incoming.rewrite(&[byte], &mut self.session, &mut out).unwrap();
                }
            }
            listed(&out)
        }

        /// Prepares a statement, as the client does: it describes it in the same batch.
        fn prepare(&mut self, name: &str, text: &str) -> Vec<String> {
            self.send(&[
                message(b'P', &[name, "\0", text, "\0types"]),
                message(b'D', &["S", name, "\0"]),
                message(b'S', &[]),
            ])
        }

        fn execute(&mut self, name: &str) -> Vec<String> {
            self.send(&[
                message(b'B', &["\0", name, "\0values"]),
                message(b'E', &["\0rows"]),
                message(b'S', &[]),
            ])
        }
    }

    #[test]
    fn inline_statements_are_prepared_in_each_batch() {
        let mut wire = Wire::default();
        assert_eq!(wire.prepare("s1", "SELECT 1"), ["P|SELECT 1|types", "DS|", "S"]);
        assert_eq!(wire.receive("1tTZ"), ["1", "t", "T", "Z"]);
        for _ in 0..2 {
            assert_eq!(wire.execute("s1"), ["P|SELECT 1|types", "B||values", "E|rows", "S"]);
            assert_eq!(wire.receive("12DDCZ"), ["2", "Drow", "Drow", "C", "Z"], "its reply is not expected");
        }
        // Two batches on their way at a time.
        wire.prepare("s2", "SELECT 2");
        wire.execute("s1");
        assert_eq!(wire.receive("1tTZ12CZ"), ["1", "t", "T", "Z", "2", "C", "Z"]);
        // A statement that the batch has prepared itself, and one of another name.
        let [bind, sync] = [message(b'B', &["\0", "s3", "\0"]), message(b'S', &[])];
        let [prepare, other] =
            [message(b'P', &["s3", "\0", "SELECT 3", "\0"]), message(b'B', &["\0", "s2", "\0"])];
        let sent = wire.send(&[prepare, bind, other, sync]);
        assert_eq!(sent, ["P|SELECT 3|", "B||", "P|SELECT 2|types", "B||", "S"]);
        assert_eq!(wire.receive("1212Z"), ["1", "2", "2", "Z"]);
        assert_eq!(wire.session.sizes(), (3, 0));
    }

    #[test]
    fn inline_statements_end_with_their_closing_or_a_failed_preparation() {
        let mut wire = Wire::default();
        wire.prepare("s1", "SELECT 1");
        wire.receive("1tTZ");
        wire.prepare("s2", "SELEC");
        assert_eq!(wire.receive("EZ"), ["E", "Z"]);
        assert_eq!(wire.session.sizes(), (1, 0), "it was not prepared");
        // The table of the statement is gone: the added preparation fails.
        wire.execute("s1");
        assert_eq!(wire.receive("EZ"), ["E", "Z"]);
        wire.execute("s1");
        assert_eq!(wire.receive("12CZ"), ["2", "C", "Z"]);
        let closed = wire.send(&[message(b'C', &["S", "s1", "\0"]), message(b'S', &[])]);
        assert_eq!(closed, ["CS|", "S"]);
        assert_eq!(wire.receive("3Z"), ["3", "Z"]);
        assert_eq!(wire.session.sizes(), (0, 0));
        // Messages without a statement of ours pass unchanged.
        let unknown = wire.execute("s1");
        assert_eq!(unknown, ["B|s1|values", "E|rows", "S"]);
        wire.receive("EZ");
        let query = message(b'Q', &["BEGIN\0"]);
        assert_eq!(wire.send(&[query, message(b'H', &[])]), ["QBEGIN|", "H"]);
        assert_eq!(wire.receive("CZ"), ["C", "Z"]);
        assert!(
            Outgoing::default().rewrite(b"P\0\0\0\x03", &mut wire.session, &mut BytesMut::new()).is_err()
        );
    }
}
