//! The part of a file with a sound that a decoder gets (reference/media.md#bounds-of-sounds): it is small before the
//! audio, and nothing is left to remove from it.

use std::{fs::File, io::Write};

use media::files::audio::{AudioFormat, readable};

/// Bytes before the audio: the headers of an OGG file with one page for the largest codebooks.
const MAX_HEAD_BYTES: usize = 62_000;
/// Bytes behind which a file is too short for a tag.
const MIN_FILE_BYTES: usize = 10;

/// The input is a file.
pub fn check(input: &[u8]) {
    let Some(format) = AudioFormat::of(input) else { return };
    let Ok(part) = readable(&file(input), format) else { return };
    assert!(part.head.len() <= MAX_HEAD_BYTES, "{} bytes before the audio", part.head.len());
    let from = usize::try_from(part.from).expect("a place in memory");
    let whole = [&part.head[..], input.get(from..).unwrap_or_default()].concat();
    let again = readable(&file(&whole), format);
    match format {
        AudioFormat::Wav => assert_eq!(whole, input),
        AudioFormat::Mp3 if whole.len() < MIN_FILE_BYTES => assert!(again.is_err()),
        AudioFormat::Mp3 => assert_eq!((again.expect("a file").from, part.head.len()), (0, 0)),
        AudioFormat::Ogg | AudioFormat::Flac => {
            assert_eq!(AudioFormat::of(&whole), Some(format));
            let again = again.expect("headers that were accepted");
            assert_eq!((&again.head, again.from), (&part.head, part.head.len() as u64));
        }
    }
}

fn file(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(content).expect("a file takes bytes");
    file
}
