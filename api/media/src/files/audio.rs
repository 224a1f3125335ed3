//! Format, length and peaks of a sound, by decoding it (reference/media.md#peaks).

use std::{
    fs::File,
    io::{Seek, SeekFrom},
    time::{Duration, Instant},
};

use api_core::{ApiError, Result};
use symphonia::core::{
    codecs::audio::{AudioDecoder, AudioDecoderOptions},
    errors::Error,
    formats::{
        FormatId, FormatOptions, FormatReader, TrackType,
        probe::Hint,
        well_known::{FORMAT_ID_FLAC, FORMAT_ID_MP3, FORMAT_ID_OGG, FORMAT_ID_WAVE},
    },
    io::MediaSourceStream,
    meta::MetadataOptions,
};

/// Number of peaks of a sound (reference/media.md#peaks).
pub(crate) const PEAKS: usize = 256;
/// Length up to which a sound is decoded (reference/media.md#peaks).
const MAX_DECODED_SECONDS: u64 = 30 * 60;
/// Processor time up to which a sound is decoded (reference/media.md#peaks).
const DECODE_TIMEOUT: Duration = Duration::from_secs(3);
/// Frames of which one peak is kept while the length is unknown.
const BLOCK_FRAMES: usize = 1024;
/// Packets that are tried to find out whether a file is a sound.
const MAX_TRIED_PACKETS: usize = 16;

/// Format of a sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AudioFormat {
    Mp3,
    Wav,
    Ogg,
    Flac,
}

/// Result of decoding a sound.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Decoded {
    /// Length in milliseconds; `None` when the whole sound was not decoded.
    pub duration_ms: Option<i64>,
    /// Peaks from 0 to 1; `None` when the whole sound was not decoded.
    pub waveform: Option<Vec<f64>>,
}

impl AudioFormat {
    /// Format of a file that begins with these bytes; `None` for any other file.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some(Self::Wav),
            [b'O', b'g', b'g', b'S', ..] => Some(Self::Ogg),
            [b'f', b'L', b'a', b'C', ..] => Some(Self::Flac),
            [b'I', b'D', b'3', ..] => Some(Self::Mp3),
            // First frame: layer III of any version.
            [0xff, second, ..] if second & 0xe6 == 0xe2 && second & 0x18 != 0x08 => Some(Self::Mp3),
            _ => None,
        }
    }

    /// Content type of responses with the sound.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Mp3 => "audio/mpeg",
            Self::Wav => "audio/wav",
            Self::Ogg => "audio/ogg",
            Self::Flac => "audio/flac",
        }
    }

    const fn id(self) -> FormatId {
        match self {
            Self::Mp3 => FORMAT_ID_MP3,
            Self::Wav => FORMAT_ID_WAVE,
            Self::Ogg => FORMAT_ID_OGG,
            Self::Flac => FORMAT_ID_FLAC,
        }
    }
}

/// An opened sound. The decoder is `None` for a codec that cannot be decoded here, such as Opus.
struct Opened {
    reader: Box<dyn FormatReader>,
    track: u32,
    decoder: Option<Box<dyn AudioDecoder>>,
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
    let (began, mut samples, mut peaks) = (Instant::now(), Vec::new(), Peaks::default());
    loop {
        match next(&mut opened, &mut samples) {
            Step::Frames { channels, rate } => peaks.add(&samples, channels, rate),
            Step::Skipped => {}
            Step::Undecodable => return Ok(Decoded::default()),
            Step::End => break,
        }
        if peaks.seconds() > MAX_DECODED_SECONDS || began.elapsed() > DECODE_TIMEOUT {
            return Ok(Decoded::default());
        }
    }
    peaks.finish().ok_or_else(not_a_sound)
}

fn open(file: &File, format: AudioFormat) -> Result<Opened> {
    let mut file = file.try_clone().map_err(ApiError::internal)?;
    file.seek(SeekFrom::Start(0)).map_err(ApiError::internal)?;
    let source = MediaSourceStream::new(Box::new(file), Default::default());
    let reader = symphonia::default::get_probe()
        .probe(&Hint::new(), source, FormatOptions::default(), MetadataOptions::default())
        .map_err(|_other| not_a_sound())?;
    if reader.format_info().format != format.id() {
        return Err(not_a_sound());
    }
    let track = reader.default_track(TrackType::Audio).ok_or_else(not_a_sound)?;
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let parameters = parameters.ok_or_else(not_a_sound)?;
    let decoder =
        symphonia::default::get_codecs().make_audio_decoder(parameters, &AudioDecoderOptions::default()).ok();
    Ok(Opened { track: track.id, decoder, reader })
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
        Ok(decoded) if decoded.frames() > 0 => {
            decoded.copy_to_vec_interleaved(samples);
            Step::Frames { channels: decoded.num_planes().max(1), rate: decoded.spec().rate() }
        }
        Ok(_) | Err(Error::IoError(_) | Error::DecodeError(_)) => Step::Skipped,
        Err(_) => Step::End,
    }
}

/// Peaks of blocks, and the length so far.
#[derive(Default)]
struct Peaks {
    blocks: Vec<f32>,
    frames: u64,
    /// Frames of the last block.
    filled: usize,
    rate: u32,
}

impl Peaks {
    fn add(&mut self, samples: &[f32], channels: usize, rate: u32) {
        self.rate = rate;
        for frame in samples.chunks_exact(channels) {
            let peak = frame.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
            match self.blocks.last_mut() {
                Some(block) if self.filled < BLOCK_FRAMES => *block = block.max(peak),
                _ => {
                    self.blocks.push(peak);
                    self.filled = 0;
                }
            }
            self.filled += 1;
            self.frames += 1;
        }
    }

    fn seconds(&self) -> u64 {
        self.frames / u64::from(self.rate.max(1))
    }

    /// Length and peaks; `None` for no frames at all.
    fn finish(self) -> Option<Decoded> {
        if self.frames == 0 || self.rate == 0 {
            return None;
        }
        let duration_ms = i64::try_from(self.frames * 1000 / u64::from(self.rate)).ok();
        let of = |place: usize| {
            let (from, to) = (place * self.blocks.len() / PEAKS, (place + 1) * self.blocks.len() / PEAKS);
            let blocks = &self.blocks[from..to.max(from + 1)];
            let peak = blocks.iter().fold(0.0_f32, |peak, block| peak.max(*block)).min(1.0);
            (f64::from(peak) * 1000.0).round() / 1000.0
        };
        Some(Decoded { duration_ms, waveform: Some((0..PEAKS).map(of).collect()) })
    }
}

fn not_a_sound() -> ApiError {
    ApiError::invalid("file must be an MP3, WAV, OGG or FLAC sound")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

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

    fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
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
        assert_eq!(decode(&file(&lying), AudioFormat::Wav).unwrap().duration_ms, Some(500));
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
