//! Format, length and peaks of a sound, by decoding it (reference/media.md#peaks).
//!
//! The library that decodes gets no file as it came: a small one can state comments and codebooks that need more memory
//! than the machine has, and a large one can keep it searching (reference/media.md#bounds-of-sounds).
//!
//! - `format`: formats by the first bytes.
//! - `flac`, `id3`, `ogg` and `page`: the part of a file without comments, pictures and tags.
//! - `vorbis`: the memory that the codebooks of a stream take.
//! - `source`: the file as the library reads it, within bounds of bytes and time.
//! - `peaks`: length and peaks of decoded samples.

mod flac;
mod format;
mod id3;
mod ogg;
mod page;
mod peaks;
mod source;
mod vorbis;

use std::{fs::File, io, sync::Arc, time::Duration};

use api_core::{ApiError, Result};
use symphonia::{
    core::{
        codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions},
        errors::Error,
        formats::{FormatOptions, FormatReader, TrackType, probe::Hint},
        io::MediaSourceStream,
        meta::MetadataOptions,
        packet::Packet,
    },
    default::get_codecs,
};

pub use format::AudioFormat;
use peaks::Peaks;
pub use source::Readable;
use source::{Bounds, Source};

/// Length up to which a sound is decoded (reference/media.md#peaks).
const MAX_DECODED_SECONDS: u64 = 30 * 60;
/// Time up to which a sound is opened and decoded (reference/media.md#peaks).
const DECODE_TIMEOUT: Duration = Duration::from_secs(3);
/// Packets that are tried to find out whether a file is a sound.
const MAX_TRIED_PACKETS: usize = 16;

/// Result of decoding a sound.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Decoded {
    /// Length in milliseconds; `None` when the whole sound was not decoded.
    pub duration_ms: Option<i64>,
    /// Peaks from 0 to 1; `None` when the whole sound was not decoded.
    pub waveform: Option<Vec<f64>>,
}

/// An opened sound. The decoder is `None` for a codec that cannot be decoded here, such as Opus.
struct Opened {
    reader: Box<dyn FormatReader>,
    track: u32,
    decoder: Option<Box<dyn AudioDecoder>>,
    bounds: Arc<Bounds>,
}

/// Checks that a file is a sound of a format: it has an audio track whose first packets can be decoded.
///
/// # Errors
/// 400 for any other file; 500 when the file cannot be read.
pub(super) fn check(file: &File, format: AudioFormat) -> Result<()> {
    within_bounds(|bounds| try_packets(open(file, format, bounds)?))
}

fn try_packets(mut opened: Opened) -> Result<()> {
    for _ in 0..MAX_TRIED_PACKETS {
        match next(&mut opened, &mut Vec::new()) {
            Step::Frames { .. } | Step::Undecodable => return Ok(()),
            Step::Skipped => {}
            Step::End => break,
        }
    }
    Err(not_a_sound())
}

/// Decodes a sound for its length and its peaks. It takes time; call it where it blocks no request of others.
///
/// # Errors
/// 400 for a file that is no sound of the format; 500 when the file cannot be read.
pub(crate) fn decode(file: &File, format: AudioFormat) -> Result<Decoded> {
    within_bounds(|bounds| decode_packets(open(file, format, bounds)?))
}

fn decode_packets(mut opened: Opened) -> Result<Decoded> {
    let (mut samples, mut peaks, mut is_whole) = (Vec::new(), Peaks::default(), true);
    while is_whole {
        match next(&mut opened, &mut samples) {
            Step::Frames { channels, rate } => peaks.add(&samples, channels, rate),
            Step::Skipped => {}
            Step::Undecodable => return Ok(Decoded::default()),
            Step::End => break,
        }
        is_whole = peaks.seconds() <= MAX_DECODED_SECONDS;
    }
    // The library takes the end of the time, and of the bytes of a step, for the end of the file.
    is_whole &= !opened.bounds.are_exceeded();
    let decoded = peaks.finish().ok_or_else(not_a_sound)?;
    Ok(if is_whole { decoded } else { Decoded::default() })
}

/// Runs work on a sound within bounds that begin now. A file that cannot be read is an error of the server, whatever
/// the library takes it for.
fn within_bounds<T>(work: impl FnOnce(Arc<Bounds>) -> Result<T>) -> Result<T> {
    let bounds = Arc::new(Bounds::new(DECODE_TIMEOUT));
    let done = work(Arc::clone(&bounds));
    match bounds.failure() {
        Some(kind) => Err(ApiError::internal(kind)),
        None => done,
    }
}

/// Finds the part of a file with a sound that the library reads.
///
/// # Errors
/// A file that is malformed before the audio, or states more than the bounds of sounds allow.
pub fn readable(file: &File, format: AudioFormat) -> io::Result<Readable> {
    match format {
        AudioFormat::Mp3 => id3::readable(file),
        AudioFormat::Wav => Ok(Readable { head: Vec::new(), from: 0 }),
        AudioFormat::Ogg => ogg::readable(file),
        AudioFormat::Flac => flac::readable(file),
    }
}

fn open(file: &File, format: AudioFormat, bounds: Arc<Bounds>) -> Result<Opened> {
    // Only a WAV has chunks that are skipped before its audio.
    let is_seekable = format == AudioFormat::Wav;
    let source = readable(file, format)
        .and_then(|readable| Source::new(file, readable, is_seekable, Arc::clone(&bounds)))
        .map_err(unreadable)?;
    let source = MediaSourceStream::new(Box::new(source), Default::default());
    let reader = format
        .probe()
        .probe(&Hint::new(), source, FormatOptions::default(), MetadataOptions::default())
        .map_err(|_other| not_a_sound())?;
    if reader.format_info().format != format.id() {
        return Err(not_a_sound());
    }
    let track = reader.default_track(TrackType::Audio).ok_or_else(not_a_sound)?;
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let decoder = decoder(parameters.ok_or_else(not_a_sound)?)?;
    Ok(Opened { track: track.id, decoder, reader, bounds })
}

/// Decoder of a track; `None` for a codec without one.
fn decoder(parameters: &AudioCodecParameters) -> Result<Option<Box<dyn AudioDecoder>>> {
    let codecs = get_codecs();
    if codecs.get_audio_decoder(parameters.codec).is_none() {
        return Ok(None);
    }
    let options = AudioDecoderOptions::default().gapless(false);
    codecs.make_audio_decoder(parameters, &options).map(Some).map_err(|_malformed| not_a_sound())
}

/// Result of reading a packet.
enum Step {
    /// Samples were decoded.
    Frames { channels: usize, rate: u32 },
    /// The packet is of another track or damaged.
    Skipped,
    /// The packet is of a codec that cannot be decoded here.
    Undecodable,
    /// There is no further packet.
    End,
}

/// Reads a packet, and replaces the samples by its own.
fn next(opened: &mut Opened, samples: &mut Vec<f32>) -> Step {
    if opened.bounds.has_elapsed() {
        return Step::End;
    }
    opened.bounds.begin_step();
    let packet = match opened.reader.next_packet() {
        Ok(Some(packet)) => packet,
        // A file that is cut off ends early.
        Ok(None) | Err(_) => return Step::End,
    };
    if packet.track_id != opened.track {
        return Step::Skipped;
    }
    let Some(decoder) = &mut opened.decoder else { return Step::Undecodable };
    match decoder.decode(&packet) {
        Ok(decoded) => {
            decoded.copy_to_vec_interleaved(samples);
            let (channels, rate) = (decoded.num_planes().max(1), decoded.spec().rate());
            trim(samples, channels, &packet);
            if samples.is_empty() { Step::Skipped } else { Step::Frames { channels, rate } }
        }
        Err(Error::IoError(_) | Error::DecodeError(_)) => Step::Skipped,
        Err(_) => Step::End,
    }
}

/// Removes the frames that an encoder added before the sound and behind it. A packet that would have none left counts
/// as a whole: the end that the file states is wrong.
fn trim(samples: &mut Vec<f32>, channels: usize, packet: &Packet) {
    let frames = samples.len() / channels;
    let [start, end] = [packet.trim_start, packet.trim_end]
        .map(|stated| usize::try_from(stated.get()).unwrap_or(usize::MAX));
    if end < frames {
        samples.truncate((frames - end) * channels);
    }
    let start = start.saturating_mul(channels).min(samples.len());
    samples.drain(..start);
}

fn malformed(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// Refusal of a file whose beginning is malformed, or error of a file that cannot be read.
fn unreadable(error: io::Error) -> ApiError {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => not_a_sound(),
        _ => ApiError::internal(error),
    }
}

fn not_a_sound() -> ApiError {
    ApiError::invalid("file must be an MP3, WAV, OGG or FLAC sound")
}

#[cfg(test)]
mod tests;
