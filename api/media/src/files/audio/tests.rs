use std::io::Write;

use api_core::Code;

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
        (AudioFormat::Wav, [&b"RIFF\xff\xff\xff\xffWAVE"[..], &title, &wav(16_000, 16_000)[12..]].concat()),
    ] {
        assert!(check(&file(&content), format).is_err(), "{format:?}");
        assert!(decode(&file(&content), format).is_err(), "{format:?}");
    }
}

#[test]
fn decode_of_a_sound_whose_next_packet_is_too_far_away_finds_no_length() {
    let junk = vec![0x55; 0x40_0000];
    let content = [MP3, &junk, MP3].concat();
    check(&file(&content), AudioFormat::Mp3).unwrap();
    assert_eq!(decode(&file(&content), AudioFormat::Mp3).unwrap(), Decoded::default());
}

#[test]
fn decode_of_a_file_that_cannot_be_read_is_an_error_of_the_server() {
    let named = tempfile::NamedTempFile::new().unwrap();
    let unreadable = File::options().write(true).open(named.path()).unwrap();
    for format in [AudioFormat::Mp3, AudioFormat::Wav, AudioFormat::Ogg, AudioFormat::Flac] {
        let checked = check(&unreadable, format).unwrap_err();
        let decoded = decode(&unreadable, format).unwrap_err();
        let expected = Code::InternalServerError;
        assert_eq!((checked.code, decoded.code), (expected, expected), "{format:?}");
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
