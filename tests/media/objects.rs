//! Objects as folders and buckets store them (reference/storage.md#objects).

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use lumio_tests::TestApp;

const MIB: usize = 1024 * 1024;
/// One more than a bucket lists at a time, and deletes at a time.
const PAGE_AND_ONE: usize = 1001;

#[tokio::test]
async fn objects_of_parts_are_read_by_ranges() {
    let app = TestApp::start().await;
    let storage = &app.state.storage;
    // Blocks that are no divisor of a part of 5 MiB, and a last part that is not whole.
    let content: Vec<u8> = (0..16 * MIB).map(|place| (place % 251) as u8).collect();
    let mut writer = storage.writer("parts/one").await.unwrap();
    for block in content.chunks(3 * MIB + 1) {
        writer.write(Bytes::copy_from_slice(block)).await.unwrap();
        assert!(storage.get("parts/one").await.unwrap().is_none(), "there is none until it is finished");
    }
    writer.finish().await.unwrap();
    assert!(storage.get("parts/one").await.unwrap().unwrap() == content);
    for (first, end) in [(0, 1), (5 * MIB - 2, 5 * MIB + 3), (MIB, 15 * MIB), (16 * MIB - 1, 16 * MIB)] {
        let range = u64::try_from(first).unwrap()..u64::try_from(end).unwrap();
        let read = storage.stream_range("parts/one", range).await.unwrap().unwrap();
        let read = read.map_ok(|bytes| bytes.to_vec()).try_concat().await.unwrap();
        assert!(read == content[first..end], "{first}..{end}");
    }
    let outside = u64::try_from(content.len()).unwrap();
    assert!(storage.stream_range("parts/one", outside..outside + 1).await.is_err());
    assert!(storage.stream_range("parts/none", 0..1).await.unwrap().is_none());

    for is_aborted in [true, false] {
        let mut writer = storage.writer("parts/other").await.unwrap();
        writer.write(Bytes::from(vec![1; 6 * MIB])).await.unwrap();
        if is_aborted {
            writer.abort().await.unwrap();
        }
        assert!(storage.get("parts/other").await.unwrap().is_none(), "aborted: {is_aborted}");
    }
    let empty = storage.writer("parts/empty").await.unwrap();
    empty.finish().await.unwrap();
    assert_eq!(storage.get("parts/empty").await.unwrap().unwrap(), Bytes::new());
    app.stop().await;
}

#[tokio::test]
async fn objects_below_a_folder_are_deleted_beyond_a_page() {
    let app = TestApp::start().await;
    let storage = &app.state.storage;
    let keys: Vec<String> = (0..PAGE_AND_ONE).map(|number| format!("accounts/one/{number}/file")).collect();
    let puts = stream::iter(&keys).map(|key| storage.put(key, Bytes::from_static(b"x"))).buffer_unordered(8);
    puts.try_collect::<()>().await.unwrap();
    storage.put("accounts/one2/file", Bytes::from_static(b"stays")).await.unwrap();
    storage.delete(&keys[0]).await.unwrap();
    storage.delete(&keys[0]).await.unwrap();
    storage.put(&keys[0], Bytes::from_static(b"y")).await.unwrap();
    assert_eq!(storage.delete_below("accounts/one").await.unwrap(), PAGE_AND_ONE);
    assert_eq!(storage.delete_below("accounts/one").await.unwrap(), 0);
    assert_eq!(storage.get("accounts/one2/file").await.unwrap().unwrap().as_ref(), b"stays");
    app.stop().await;
}
