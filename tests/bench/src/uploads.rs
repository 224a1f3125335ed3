//! Uploads: throughput and processor time of a large file, and the memory that the server takes for it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bytes::Bytes;
use demo::Api;
use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use futures::stream;
use reqwest::{
    Body,
    multipart::{Form, Part},
};
use sha2::{Digest, Sha256};
use stack::{
    Stack,
    measure::{Rounds, peak_mib, processor_time, reset_peak, resident_mib, short, thread_time},
};
use uuid::Uuid;

use crate::table::{Row, Table};

const MIB: usize = 1024 * 1024;
/// Size of the file without another one in the arguments, in MiB.
pub const DEFAULT_MIB: u32 = 200;
/// Largest size of a file that the part measures, in MiB.
pub const MAX_MIB: u32 = 1000;
/// Beginning of an MP4 file: the rest of a video is not read.
const HEAD: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";
/// Time after which an upload has failed.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A file as blocks. Those of the middle are the same memory, so that the client takes little of the machine's.
struct File {
    blocks: Vec<Bytes>,
    size: usize,
}

/// Measures a file of this size and adds the row.
pub async fn run(stack: &Stack, table: &mut Table, rounds: u32, mib: u32) -> Result<()> {
    admit(stack).await?;
    let (mut rate, mut cpu, mut growth, mut hashing) =
        (Rounds::default(), Rounds::default(), Rounds::default(), Rounds::default());
    for round in 0..=rounds {
        // Content that the account has already would not be counted.
        let file = File::new(mib, round)?;
        let blocks = file.blocks.clone();
        let hashed = tokio::task::spawn_blocking(move || hash(&blocks)).await??;
        reset_peak(stack.api_pid)?;
        let (resident, before) = (resident_mib(stack.api_pid)?, processor_time(stack.api_pid)?);
        let took = upload(stack, file).await?;
        // The first one makes connections and warms the allocator.
        if round > 0 {
            let used = processor_time(stack.api_pid)? - before;
            rate.add(f64::from(mib) / took.as_secs_f64());
            cpu.add(used.as_secs_f64() * 1e3 / f64::from(mib));
            hashing.add(hashed.as_secs_f64() * 1e3 / f64::from(mib));
            growth.add(peak_mib(stack.api_pid)? - resident);
        }
    }
    let (work, size) = match mib {
        DEFAULT_MIB => ("Upload of 200 MiB", String::new()),
        _ => ("Upload of a large file", format!("{mib} MiB: ")),
    };
    table.add(Row {
        work,
        figure: format!(
            "{size}{}, {} a MiB ({} times hashing it), peak {} above idle",
            rate.summary("MiB/s"),
            cpu.summary("ms CPU"),
            short(cpu.median() / hashing.median()),
            growth.summary("MiB")
        ),
        bar: "none",
        met: None,
    });
    Ok(())
}

/// Lets the account store such files.
async fn admit(stack: &Stack) -> Result<()> {
    let mut connection = AsyncPgConnection::establish(&stack.environment["DATABASE_URL"]).await?;
    sql_query(
        "INSERT INTO account_limits (account_id, max_storage_bytes, max_upload_size_bytes)
         VALUES ($1, 1::bigint << 40, 1::bigint << 30)
         ON CONFLICT (account_id) DO UPDATE SET max_storage_bytes = EXCLUDED.max_storage_bytes,
            max_upload_size_bytes = EXCLUDED.max_upload_size_bytes",
    )
    .bind::<SqlUuid, _>(stack.account_id.parse::<Uuid>()?)
    .execute(&mut connection)
    .await?;
    Ok(())
}

impl File {
    /// A video of this size, at least one MiB, that differs from those of other rounds.
    fn new(mib: u32, round: u32) -> Result<Self> {
        let block = Bytes::from(vec![b'x'; MIB]);
        let mark = Bytes::copy_from_slice(&round.to_be_bytes());
        let mut blocks = vec![Bytes::from_static(HEAD), mark.clone()];
        blocks.push(block.slice(HEAD.len() + mark.len()..));
        blocks.extend(std::iter::repeat_n(block, usize::try_from(mib)? - 1));
        let size = blocks.iter().map(Bytes::len).sum();
        Ok(Self { blocks, size })
    }
}

/// Processor time of hashing the same bytes: the part of an upload that no server can avoid.
fn hash(blocks: &[Bytes]) -> Result<Duration> {
    let before = thread_time()?;
    let mut hash = Sha256::new();
    blocks.iter().for_each(|block| hash.update(block));
    ensure!(hash.finalize().len() == 32, "an unexpected hash");
    Ok(thread_time()? - before)
}

async fn upload(stack: &Stack, file: File) -> Result<Duration> {
    let size = file.size;
    let body = Body::wrap_stream(stream::iter(file.blocks.into_iter().map(Ok::<_, std::io::Error>)));
    let part = Part::stream_with_length(body, u64::try_from(size)?);
    let part = part.file_name("bench.mp4").mime_str("video/mp4")?;
    let form = Form::new().text("purpose", "other").part("file", part);
    let owner = Api::new(&stack.origin)?.with(&stack.session);
    let began = Instant::now();
    let made = tokio::time::timeout(TIMEOUT, owner.upload("/v1/uploads", form)).await??;
    let took = began.elapsed();
    ensure!(made["data"]["size_bytes"] == size, "the server stored {}", made["data"]["size_bytes"]);
    Ok(took)
}
