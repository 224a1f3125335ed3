//! Sounds that state more than they hold, or more than memory holds (reference/media.md#bounds-of-sounds).

use lumio_tests::{Answer, Caller, TestApp};

use super::{TONE, memory::Peak, send, unclaimed_count, used};

const MP3: &[u8] = include_bytes!("../fixtures/media/tone.mp3");
const OGG: &[u8] = include_bytes!("../fixtures/media/tone.ogg");
const FLAC: &[u8] = include_bytes!("../fixtures/media/tone.flac");
const NO_SOUND: &str = "file must be an MP3, WAV, OGG or FLAC sound";
/// Memory that the check of a sound may take, with the requests of the test, in KiB.
const MAX_GROWTH_KIB: i64 = 64 * 1024;

async fn add_sound(caller: &Caller, content: &[u8]) -> Answer {
    send(caller, "/v1/sounds", &[("file", Some("horn"), content)]).await
}

async fn add_upload(caller: &Caller, content: &[u8]) -> Answer {
    let fields = [("purpose", None, b"alert_sound".as_slice()), ("file", Some("horn"), content)];
    send(caller, "/v1/uploads", &fields).await
}

async fn duration_of(caller: &Caller, content: &[u8]) -> i64 {
    let created = add_sound(caller, content).await;
    created.expect(201)["data"]["duration_ms"].as_i64().expect("a decoded sound")
}

/// The fixture with other headers behind the first page: comments, and codebooks.
fn ogg(comments: &[u8], setup: &[u8]) -> Vec<u8> {
    let mut lacing = Vec::new();
    for packet in [comments, setup] {
        lacing.extend(vec![255; packet.len() / 255]);
        lacing.push(u8::try_from(packet.len() % 255).unwrap());
    }
    let (mut ogg, mut rest, mut is_open) = (OGG[..58].to_vec(), [comments, setup].concat(), false);
    for (number, lacing) in (1_u32..).zip(lacing.chunks(255)) {
        let behind = rest.split_off(lacing.iter().map(|length| usize::from(*length)).sum());
        let mut page = [&b"OggS\0"[..], &[u8::from(is_open)], &[0; 8], &OGG[14..18]].concat();
        page.extend([&number.to_le_bytes()[..], &[0; 4], &[u8::try_from(lacing.len()).unwrap()]].concat());
        page.extend([lacing, &rest].concat());
        let checksum = checksum(&page);
        page[22..26].copy_from_slice(&checksum.to_le_bytes());
        ogg.extend(page);
        (rest, is_open) = (behind, lacing.last() == Some(&255));
    }
    [&ogg[..], &OGG[2640..]].concat()
}

fn checksum(page: &[u8]) -> u32 {
    let bit = |sum: u32, _| (sum << 1) ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 };
    page.iter().fold(0, |sum, byte| (0..8).fold(sum ^ (u32::from(*byte) << 24), bit))
}

fn comments_of_ogg(comments: &[u8], count: u32) -> Vec<u8> {
    [&b"\x03vorbis\0\0\0\0"[..], &count.to_le_bytes(), comments, &[1]].concat()
}

/// A header of OGG with codebooks that are alike: their codewords have one length, and their vectors, if they have any,
/// the value zero alone.
fn codebooks(number: u32, dimensions: u32, length: u32, entries: u32, has_vectors: bool) -> Vec<u8> {
    let entry_bits = u32::BITS - entries.leading_zeros();
    let mut book = vec![(0x56_4342, 24), (dimensions, 16), (entries, 24), (1, 1), (length - 1, 5)];
    book.extend([(entries, entry_bits), (u32::from(has_vectors), 4)]);
    if has_vectors {
        book.extend([(0, 32), (0, 32), (0, 4), (0, 1), (0, 1)]);
    }
    let books = book.repeat(usize::try_from(number).unwrap());
    let mut header = b"\x05vorbis".to_vec();
    let mut bits = 0;
    for (value, width) in [(number - 1, 8)].into_iter().chain(books) {
        for bit in 0..width {
            if bits % 8 == 0 {
                header.push(0);
            }
            *header.last_mut().unwrap() |= u8::try_from((value >> bit) & 1).unwrap() << (bits % 8);
            bits += 1;
        }
    }
    header
}

/// The fixture with a block of metadata instead of its own ones.
fn flac(kind: u8, block: &[u8]) -> Vec<u8> {
    let length = u32::try_from(block.len()).unwrap().to_be_bytes();
    [&FLAC[..42], &[kind | 0x80], &length[1..], block, &FLAC[8304..]].concat()
}

#[tokio::test]
async fn create_sound_refuses_codebooks_that_exceed_memory() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    assert_eq!(duration_of(&owner, &ogg(&comments_of_ogg(b"", 0), &OGG[164..2640])).await, 500);
    let stored = (used(&app, owner.account_id).await, unclaimed_count(&app).await);
    let peak = Peak::begin();
    for setup in [
        // 4 GiB of vectors, and 32 GiB of tables.
        codebooks(256, 31, 17, 131_072, true),
        codebooks(256, 1, 17, 131_072, false),
        // The largest that the decoder gets. It finds no end of the header.
        codebooks(19, 13, 12, 4096, true),
        codebooks(31, 1, 12, 4096, false),
    ] {
        assert!(setup.len() < 6000, "{} bytes", setup.len());
        let content = ogg(&comments_of_ogg(b"", 0), &setup);
        for answer in [add_sound(&owner, &content).await, add_upload(&owner, &content).await] {
            assert_eq!(answer.status, 400, "{}", answer.text);
            answer.refused("VALIDATION_ERROR", NO_SOUND);
        }
    }
    let grown = peak.grown();
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB more than before");
    assert_eq!((used(&app, owner.account_id).await, unclaimed_count(&app).await), stored);
    app.stop().await;
}

#[tokio::test]
async fn create_sound_takes_metadata_of_any_size_in_little_memory() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let plain = duration_of(&owner, MP3).await;
    let peak = Peak::begin();
    let cover = b"\xff\xd8\xff\xe0".repeat(512 * 1024);
    // A tag of 2 MiB and its size in bytes of seven bits.
    let tag = [&b"ID3\x04\0\0\x01\0\0\x0aAPIC\x01\0\0\0\0\0"[..], &cover].concat();
    assert_eq!(duration_of(&owner, &[&tag[..], MP3].concat()).await, plain);

    let tiny = b"\x01\0\0\0=".repeat(1_000_000);
    let of_flac = [&[0; 4][..], &1_000_000_u32.to_le_bytes(), &tiny].concat();
    assert_eq!(duration_of(&owner, &flac(4, &of_flac)).await, 500);
    assert_eq!(duration_of(&owner, &ogg(&comments_of_ogg(&tiny, 1_000_000), &OGG[164..2640])).await, 500);
    let picture = [&[0; 28][..], &u32::try_from(cover.len()).unwrap().to_be_bytes(), &cover].concat();
    assert_eq!(duration_of(&owner, &flac(6, &picture)).await, 500);

    let grown = peak.grown();
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB more than before");
    app.stop().await;
}

#[tokio::test]
async fn create_sound_counts_what_is_there_and_not_what_a_header_states() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    // A WAV and a FLAC that state hours.
    let mut wav = TONE.to_vec();
    wav[4..8].fill(0xff);
    wav[40..44].copy_from_slice(&0x7fff_0000_u32.to_le_bytes());
    assert_eq!(duration_of(&owner, &wav).await, 500);
    wav.truncate(44 + 4000);
    assert_eq!(duration_of(&owner, &wav).await, 250);
    let mut flac = FLAC.to_vec();
    flac[22..26].fill(0x7f);
    assert_eq!(duration_of(&owner, &flac).await, 500);
    // An MP3 whose first frame states the length of one frame.
    let mut frame = [&MP3[..4], &[0; 9], b"Info\0\0\0\x01\0\0\0\x01"].concat();
    frame.resize(288, 0);
    assert_eq!(duration_of(&owner, &[&frame[..], MP3].concat()).await, duration_of(&owner, MP3).await);
    app.stop().await;
}
