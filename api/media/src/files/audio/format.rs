//! Formats of sounds, by their first bytes (reference/media.md#types).

use symphonia::{
    core::formats::{
        FormatId,
        probe::Probe,
        well_known::{FORMAT_ID_FLAC, FORMAT_ID_MP3, FORMAT_ID_OGG, FORMAT_ID_WAVE},
    },
    default::formats::{FlacReader, MpaReader, OggReader, WavReader},
};

/// Format of a sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AudioFormat {
    /// MPEG audio, layer III.
    Mp3,
    /// RIFF WAVE.
    Wav,
    /// OGG with Vorbis, Opus or FLAC.
    Ogg,
    /// FLAC without OGG.
    Flac,
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

    /// Name of the format in the library.
    pub(super) const fn id(self) -> FormatId {
        match self {
            Self::Mp3 => FORMAT_ID_MP3,
            Self::Wav => FORMAT_ID_WAVE,
            Self::Ogg => FORMAT_ID_OGG,
            Self::Flac => FORMAT_ID_FLAC,
        }
    }

    /// A probe for this format alone: the content of one format may name another one later on.
    pub(super) fn probe(self) -> Probe {
        let mut probe = Probe::new();
        match self {
            Self::Mp3 => probe.register_format::<MpaReader<'_>>(),
            Self::Wav => probe.register_format::<WavReader<'_>>(),
            Self::Ogg => probe.register_format::<OggReader<'_>>(),
            Self::Flac => probe.register_format::<FlacReader<'_>>(),
        }
        probe
    }
}
