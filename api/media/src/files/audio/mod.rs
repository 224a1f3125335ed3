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
/// 400 for any other file.
pub(super) fn check(file: &File, format: AudioFormat) -> Result<()> {
    let mut opened = open(file, format)?;
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
/// 400 for a file that is no sound of the format.
pub(crate) fn decode(file: &File, format: AudioFormat) -> Result<Decoded> {
    let mut opened = open(file, format)?;
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
    // The library takes the end of the time for the end of the file.
    is_whole &= !opened.bounds.has_elapsed();
    let decoded = peaks.finish().ok_or_else(not_a_sound)?;
    Ok(if is_whole { decoded } else { Decoded::default() })
}

/// Finds the part of a file with a sound that the library reads.
///
/// # Errors
/// When the file is malformed before the audio, or states more than the bounds of sounds allow.
pub fn readable(file: &File, format: AudioFormat) -> io::Result<Readable> {
    match format {
        AudioFormat::Mp3 => id3::readable(file),
        AudioFormat::Wav => Ok(Readable { head: Vec::new(), from: 0 }),
        AudioFormat::Ogg => ogg::readable(file),
        AudioFormat::Flac => flac::readable(file),
    }
}

fn open(file: &File, format: AudioFormat) -> Result<Opened> {
    let bounds = Arc::new(Bounds::new(DECODE_TIMEOUT));
    // Only a WAV has chunks that are skipped before its audio.
    let is_seekable = format == AudioFormat::Wav;
    let source = readable(file, format)
        .and_then(|readable| Source::new(file, readable, is_seekable, Arc::clone(&bounds)))
        .map_err(|_malformed| not_a_sound())?;
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

fn not_a_sound() -> ApiError {
    ApiError::invalid("file must be an MP3, WAV, OGG or FLAC sound")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{peaks::PEAKS, *};

    pub(super) const MP3: &[u8] = include_bytes!("../../../../../tests/fixtures/media/tone.mp3");
    pub(super) const OGG: &[u8] = include_bytes!("../../../../../tests/fixtures/media/tone.ogg");
    pub(super) const OPUS: &[u8] = include_bytes!("../../../../../tests/fixtures/media/tone.opus");
    pub(super) const FLAC: &[u8] = include_bytes!("../../../../../tests/fixtures/media/tone.flac");

    /// A WAV with 16 bits a sample whose second half is silent.
    fn wav(frames: u32, rate: u32) -> Vec<u8> {
        let data: Vec<u8> = (0..frames)
            .flat_map(|frame| if frame < frames / 2 { i16::MAX / 2 } else { 0 }.to_le_bytes())
            .collect();
        let size = u32::try_from(data.len()).unwrap();
        [
            b"RIFF",
            &(36 + size).to_le_bytes()[..],
            b"WAVEfmt ",
            &16_u32.to_le_bytes(),
            &[1, 0, 1, 0],
            &rate.to_le_bytes(),
            &(rate * 2).to_le_bytes(),
            &[2, 0, 16, 0],
            b"data",
            &size.to_le_bytes(),
            &data,
        ]
        .concat()
    }

    pub(super) fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    /// An ID3v2 tag.
    pub(super) fn id3_tag(content: &[u8]) -> Vec<u8> {
        let size = [21, 14, 7, 0].map(|shift| u8::try_from((content.len() >> shift) & 0x7f).unwrap());
        [&b"ID3\x04\0\0"[..], &size, content].concat()
    }

    fn milliseconds(content: &[u8], format: AudioFormat) -> Option<i64> {
        decode(&file(content), format).unwrap().duration_ms
    }

    #[test]
    fn decode_finds_length_and_peaks() {
        let decoded = decode(&file(&wav(48_000, 16_000)), AudioFormat::Wav).unwrap();
        assert_eq!(decoded.duration_ms, Some(3000));
        let peaks = decoded.waveform.unwrap();
        assert_eq!((peaks.len(), peaks[0], peaks[100], peaks[255]), (PEAKS, 0.5, 0.5, 0.0));
        // Fewer blocks than peaks.
        let short = decode(&file(&wav(100, 8000)), AudioFormat::Wav).unwrap();
        assert_eq!((short.duration_ms, short.waveform.unwrap().len()), (Some(12), PEAKS));
    }

    #[test]
    fn decode_counts_what_is_there_and_not_what_the_header_states() {
        let mut lying = wav(16_000, 16_000);
        lying.truncate(44 + 16_000);
        assert_eq!(milliseconds(&lying, AudioFormat::Wav), Some(500));

        let mut lying = FLAC.to_vec();
        lying[22..26].copy_from_slice(&[0x7f; 4]);
        assert_eq!(milliseconds(&lying, AudioFormat::Flac), Some(500));

        // A frame that states the length as one frame. Its layer has nine bytes of side information.
        let stated = [&b"Info"[..], &1_u32.to_be_bytes(), &1_u32.to_be_bytes()].concat();
        let mut frame = [&MP3[..4], &[0; 9], &stated].concat();
        frame.resize(288, 0);
        assert_eq!(MP3[288..290], MP3[..2], "the length of a frame");
        let honest = milliseconds(MP3, AudioFormat::Mp3).unwrap();
        assert!(honest >= 500, "{honest}");
        assert_eq!(milliseconds(&[&frame[..], MP3].concat(), AudioFormat::Mp3), Some(honest));
    }

    #[test]
    fn decode_begins_behind_tags_of_any_size() {
        let cover = id3_tag(&b"\xff\xd8\xff\xe0".repeat(512 * 1024));
        let content = [&cover[..], &id3_tag(b"text"), MP3].concat();
        check(&file(&content), AudioFormat::Mp3).unwrap();
        let expected = decode(&file(MP3), AudioFormat::Mp3).unwrap();
        assert_eq!(decode(&file(&content), AudioFormat::Mp3).unwrap(), expected);
    }

    #[test]
    fn decode_searches_a_bounded_part_of_a_file() {
        let junk = vec![0x55; 0x40_0000];
        let title = [&b"INFOINAM"[..], &0x40_0000_u32.to_le_bytes(), &junk].concat();
        let title = [&b"LIST"[..], &0x40_000c_u32.to_le_bytes(), &title].concat();
        for (format, content) in [
            (AudioFormat::Mp3, [&id3_tag(b"text")[..], &junk, MP3].concat()),
            (AudioFormat::Flac, [&FLAC[..8304], &junk, &FLAC[8304..]].concat()),
            // The library keeps the title of a WAV.
            (
                AudioFormat::Wav,
                [&b"RIFF\xff\xff\xff\xffWAVE"[..], &title, &wav(16_000, 16_000)[12..]].concat(),
            ),
        ] {
            assert!(check(&file(&content), format).is_err(), "{format:?}");
            assert!(decode(&file(&content), format).is_err(), "{format:?}");
        }
    }

    #[test]
    fn decode_skips_large_chunks_of_a_wav() {
        let sound = wav(16_000, 16_000);
        let chunk = [&b"junk"[..], &0x40_0000_u32.to_le_bytes(), &vec![0x55; 0x40_0000]].concat();
        let content = [&b"RIFF\xff\xff\xff\xffWAVE"[..], &chunk, &sound[12..]].concat();
        assert_eq!(milliseconds(&content, AudioFormat::Wav), Some(1000));
    }

    #[test]
    fn trim_removes_what_an_encoder_added() {
        use symphonia::core::units::{Duration, Timestamp};

        for (start, end, expected) in [
            (0, 0, &[1.0, 1.5, 2.0, 2.5, 3.0, 3.5][..]),
            (1, 0, &[2.0, 2.5, 3.0, 3.5]),
            (1, 1, &[2.0, 2.5]),
            (0, 2, &[1.0, 1.5]),
            // An end before the packet.
            (0, 3, &[1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
            (1, 100, &[2.0, 2.5, 3.0, 3.5]),
            (3, 0, &[]),
            (100, 1, &[]),
        ] {
            let mut packet = Packet::new(0, Timestamp::ZERO, Duration::ZERO, Vec::<u8>::new());
            (packet.trim_start, packet.trim_end) = (Duration::new(start), Duration::new(end));
            let mut samples = vec![1.0, 1.5, 2.0, 2.5, 3.0, 3.5];
            trim(&mut samples, 2, &packet);
            assert_eq!(samples, expected, "{start} and {end}");
        }
    }

    #[test]
    fn check_refuses_what_only_begins_like_a_sound() {
        for (format, content) in [
            (AudioFormat::Mp3, [&b"ID3\x04\0\0\0\0\0\0"[..], &[0x55; 4000]].concat()),
            (AudioFormat::Mp3, [&b"\xff\xfb\x90\x64"[..], &[0; 4000]].concat()),
            (AudioFormat::Wav, b"RIFF\xff\xff\0\0WAVEjunk".to_vec()),
            (AudioFormat::Ogg, [&b"OggS\0\x02"[..], &[0; 4000]].concat()),
            (AudioFormat::Flac, b"fLaC\0\0\0\x22".to_vec()),
            (AudioFormat::Mp3, wav(16_000, 16_000)),
            (AudioFormat::Wav, Vec::new()),
        ] {
            assert!(
                check(&file(&content), format).is_err(),
                "{format:?} {:?}",
                &content[..content.len().min(12)]
            );
            assert!(decode(&file(&content), format).is_err());
        }
        assert!(check(&file(&wav(16_000, 16_000)), AudioFormat::Wav).is_ok());
    }
}
