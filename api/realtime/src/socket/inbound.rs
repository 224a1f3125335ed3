//! Decoding of the bytes of a client. The bounds hold before anything is buffered: a frame whose header
//! declares too much is refused by the header.

use actix_http::ws::{Codec, Frame};
use actix_web::{dev::Payload, web::BytesMut};
use actix_ws::{Item, ProtocolError};
use bytes::Bytes;
use futures::StreamExt;

use crate::protocol::{Closing, MAX_MESSAGE_BYTES};

/// Part of a client's stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A whole text.
    Text(String),
    /// A frame of an incomplete text.
    Part,
    /// A ping with its payload.
    Ping(Bytes),
    /// A pong.
    Pong,
    /// A close frame.
    Closed,
    /// A violation of the protocol, which closes the socket.
    Violation(Closing),
    /// The connection has ended.
    Gone,
}

/// The stream of a client.
pub struct Inbound {
    payload: Payload,
    decoder: Decoder,
}

impl Inbound {
    /// Stream of an upgraded request.
    pub fn new(payload: Payload) -> Self {
        Self { payload, decoder: Decoder::new() }
    }

    /// Next message. It is cancel-safe: a call that is dropped early loses nothing.
    pub async fn next(&mut self) -> Received {
        loop {
            if let Some(received) = self.decoder.decode() {
                return received;
            }
            match self.payload.next().await {
                Some(Ok(bytes)) => self.decoder.feed(&bytes),
                Some(Err(_)) | None => return Received::Gone,
            }
        }
    }
}

/// Decoder of buffered bytes.
pub struct Decoder {
    buffer: BytesMut,
    codec: Codec,
    /// Beginning of a message in parts.
    parts: Option<BytesMut>,
}

impl Decoder {
    /// Decoder with an empty buffer.
    #[expect(
        clippy::new_without_default,
        reason = "a decoder belongs to a connection, nothing has one by default"
    )]
    pub fn new() -> Self {
        Self { buffer: BytesMut::new(), codec: Codec::new().max_size(MAX_MESSAGE_BYTES), parts: None }
    }

    /// Appends bytes that arrived.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Number of bytes that wait for the rest of their message.
    pub fn buffered(&self) -> usize {
        self.buffer.len() + self.parts.as_ref().map_or(0, BytesMut::len)
    }

    /// Next whole frame of the buffer; `None` when there is none, and after a violation.
    pub fn decode(&mut self) -> Option<Received> {
        if declared_length(&self.buffer).is_some_and(|length| length > MAX_MESSAGE_BYTES as u64) {
            return Some(Received::Violation(Closing::TooLarge));
        }
        match next_frame(&mut self.codec, &mut self.buffer) {
            Ok(frame) => frame.map(|frame| self.take(frame)),
            Err(ProtocolError::Overflow) => Some(Received::Violation(Closing::TooLarge)),
            Err(_) => Some(Received::Violation(Closing::ProtocolError)),
        }
    }

    fn take(&mut self, frame: Frame) -> Received {
        match frame {
            Frame::Text(text) => utf8(text),
            Frame::Ping(data) => Received::Ping(data),
            Frame::Pong(_) => Received::Pong,
            Frame::Close(_) => Received::Closed,
            Frame::Binary(_) | Frame::Continuation(Item::FirstBinary(_)) => {
                Received::Violation(Closing::BinaryFrame)
            }
            Frame::Continuation(Item::FirstText(part)) => {
                self.parts = Some(BytesMut::from(&part[..]));
                Received::Part
            }
            Frame::Continuation(Item::Continue(part)) => self.extend(&part, false),
            Frame::Continuation(Item::Last(part)) => self.extend(&part, true),
        }
    }

    fn extend(&mut self, part: &[u8], is_last: bool) -> Received {
        let mut parts = self.parts.take().unwrap_or_default();
        if parts.len() + part.len() > MAX_MESSAGE_BYTES {
            return Received::Violation(Closing::TooLarge);
        }
        parts.extend_from_slice(part);
        if is_last {
            return utf8(parts.freeze());
        }
        self.parts = Some(parts);
        Received::Part
    }
}

fn next_frame(codec: &mut Codec, buffer: &mut BytesMut) -> Result<Option<Frame>, ProtocolError> {
    use tokio_util::codec::Decoder as _;
    codec.decode(buffer)
}

fn utf8(text: Bytes) -> Received {
    match String::from_utf8(text.into()) {
        Ok(text) => Received::Text(text),
        Err(_) => Received::Violation(Closing::InvalidText),
    }
}

/// Payload length that the header at the start of the buffer declares (RFC 6455, section 5.2); `None` while
/// the header is incomplete. The codec waits for the whole frame before it checks the length.
fn declared_length(buffer: &[u8]) -> Option<u64> {
    match buffer.get(1)? & 0x7f {
        126 => Some(u16::from_be_bytes(buffer.get(2..4)?.try_into().ok()?).into()),
        127 => Some(u64::from_be_bytes(buffer.get(2..10)?.try_into().ok()?)),
        short => Some(short.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_http::ws::{OpCode, Parser};

    fn decoder(frames: &[(&[u8], OpCode, bool)]) -> Decoder {
        let mut decoder = Decoder::new();
        for (payload, code, last) in frames {
            Parser::write_message(&mut decoder.buffer, payload, *code, *last, true);
        }
        decoder
    }

    #[test]
    fn inbound_text_arrives_whole_or_in_parts() {
        let mut decoder = decoder(&[
            (b"one", OpCode::Text, true),
            (b"t", OpCode::Text, false),
            (b"?", OpCode::Ping, true),
            (b"w", OpCode::Continue, false),
            (b"o", OpCode::Continue, true),
        ]);
        let received: Vec<Received> = std::iter::from_fn(|| decoder.decode()).collect();
        let text = |text: &str| Received::Text(text.to_owned());
        let ping = Received::Ping(Bytes::from_static(b"?"));
        assert_eq!(received, [text("one"), Received::Part, ping, Received::Part, text("two")]);
    }

    #[test]
    fn inbound_bytes_may_arrive_one_by_one() {
        let whole = decoder(&[(b"text", OpCode::Text, true)]).buffer;
        let mut decoder = Decoder::new();
        for byte in &whole[..whole.len() - 1] {
            decoder.buffer.extend_from_slice(&[*byte]);
            assert_eq!(decoder.decode(), None);
        }
        decoder.buffer.extend_from_slice(&whole[whole.len() - 1..]);
        assert_eq!(decoder.decode(), Some(Received::Text("text".into())));
    }

    #[test]
    fn inbound_messages_have_at_most_64_kib_in_one_frame_or_many() {
        let largest = vec![b'x'; MAX_MESSAGE_BYTES];
        let text = String::from_utf8(largest.clone()).unwrap();
        assert_eq!(decoder(&[(&largest, OpCode::Text, true)]).decode(), Some(Received::Text(text)));
        let more = vec![b'x'; MAX_MESSAGE_BYTES + 1];
        let too_large = Some(Received::Violation(Closing::TooLarge));
        assert_eq!(decoder(&[(&more, OpCode::Text, true)]).decode(), too_large);
        let parts = [(&largest[..], OpCode::Text, false), (b"x", OpCode::Continue, true)];
        let mut decoder = decoder(&parts);
        assert_eq!((decoder.decode(), decoder.decode()), (Some(Received::Part), too_large));
    }

    #[test]
    fn inbound_frame_that_is_too_large_is_refused_by_its_header() {
        for header in [&[0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1][..], &[0x81, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0]] {
            let mut decoder = Decoder::new();
            decoder.buffer.extend_from_slice(header);
            assert_eq!(decoder.decode(), Some(Received::Violation(Closing::TooLarge)));
        }
    }

    #[test]
    fn inbound_frames_other_than_valid_text_are_violations() {
        let violation = |closing| Some(Received::Violation(closing));
        assert_eq!(decoder(&[(b"x", OpCode::Binary, true)]).decode(), violation(Closing::BinaryFrame));
        assert_eq!(decoder(&[(b"x", OpCode::Binary, false)]).decode(), violation(Closing::BinaryFrame));
        assert_eq!(decoder(&[(b"\xff", OpCode::Text, true)]).decode(), violation(Closing::InvalidText));
        assert_eq!(decoder(&[(b"x", OpCode::Continue, true)]).decode(), violation(Closing::ProtocolError));
        assert_eq!(
            decoder(&[(&[b'x'; 126], OpCode::Ping, true)]).decode(),
            violation(Closing::ProtocolError)
        );
        let mut unmasked = Decoder::new();
        Parser::write_message(&mut unmasked.buffer, b"x", OpCode::Text, true, false);
        assert_eq!(unmasked.decode(), violation(Closing::ProtocolError));
        // Reserved bits, and a control frame in parts.
        for header in [[0xc1, 0x81], [0xa1, 0x81], [0x91, 0x81], [0x09, 0x81], [0x08, 0x80]] {
            let mut decoder = Decoder::new();
            decoder.feed(&[&header[..], &[0, 0, 0, 0, b'x']].concat());
            assert_eq!(decoder.decode(), violation(Closing::ProtocolError), "{header:x?}");
        }
        // A message inside of a message.
        for within in [OpCode::Text, OpCode::Binary] {
            let mut decoder = decoder(&[(b"x", OpCode::Text, false), (b"x", within, true)]);
            assert_eq!(decoder.decode(), Some(Received::Part));
            assert!(matches!(decoder.decode(), Some(Received::Violation(_))), "{within:?}");
        }
    }

    #[test]
    fn inbound_never_panics_on_random_bytes() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..20_000 {
            let mut decoder = Decoder::new();
            for _ in 0..24 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                decoder.buffer.extend_from_slice(&state.to_le_bytes()[..(state % 5) as usize]);
                if matches!(decoder.decode(), Some(Received::Violation(_))) {
                    break;
                }
            }
        }
    }
}
