//! Uploads: throughput and processor time of a large file, and the memory that the server takes for it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use demo::Api;
use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use reqwest::multipart::{Form, Part};
use sha2::{Digest, Sha256};
use stack::{
    Stack,
    measure::{Rounds, peak_mib, processor_time, reset_peak, resident_mib, short, thread_time},
};
use uuid::Uuid;

use crate::table::{Row, Table};

const MIB: usize = 1024 * 1024;
const FILE_MIB: u32 = 200;
/// Beginning of an MP4 file: the rest of a video is not read.
const HEAD: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";
/// Time after which an upload has failed.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Measures and adds the row.
pub async fn run(stack: &Stack, table: &mut Table, rounds: u32) -> Result<()> {
    admit(stack).await?;
    let mut file = file()?;
    let (mut rate, mut cpu, mut growth, mut hashing) =
        (Rounds::default(), Rounds::default(), Rounds::default(), Rounds::default());
    for round in 0..=rounds {
        // Content that the account has already would not be counted.
        let end = file.len() - size_of::<u32>();
        file[end..].copy_from_slice(&round.to_be_bytes());
        let content = file.clone();
        let hashed = tokio::task::spawn_blocking(move || hash(&content)).await??;
        reset_peak(stack.api_pid)?;
        let (resident, before) = (resident_mib(stack.api_pid)?, processor_time(stack.api_pid)?);
        let took = upload(stack, file.clone()).await?;
        // The first one makes connections and warms the allocator.
        if round > 0 {
            let used = processor_time(stack.api_pid)? - before;
            rate.add(f64::from(FILE_MIB) / took.as_secs_f64());
            cpu.add(used.as_secs_f64() * 1e3 / f64::from(FILE_MIB));
            hashing.add(hashed.as_secs_f64() * 1e3 / f64::from(FILE_MIB));
            growth.add(peak_mib(stack.api_pid)? - resident);
        }
    }
    table.add(Row {
        work: "Upload of 200 MiB",
        figure: format!(
            "{}, {} a MiB ({} times hashing it), peak {} above idle",
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

fn file() -> Result<Vec<u8>> {
    let mut file = vec![b'x'; usize::try_from(FILE_MIB)? * MIB];
    file[..HEAD.len()].copy_from_slice(HEAD);
    Ok(file)
}

/// Processor time of hashing the same bytes: the part of an upload that no server can avoid.
fn hash(content: &[u8]) -> Result<Duration> {
    let before = thread_time()?;
    ensure!(Sha256::digest(content).len() == 32, "an unexpected hash");
    Ok(thread_time()? - before)
}

async fn upload(stack: &Stack, content: Vec<u8>) -> Result<Duration> {
    let size = content.len();
    let part = Part::bytes(content).file_name("bench.mp4").mime_str("video/mp4")?;
    let form = Form::new().text("purpose", "other").part("file", part);
    let owner = Api::new(&stack.origin)?.with(&stack.session);
    let began = Instant::now();
    let made = tokio::time::timeout(TIMEOUT, owner.upload("/v1/uploads", form)).await??;
    let took = began.elapsed();
    ensure!(made["data"]["size_bytes"] == size, "the server stored {}", made["data"]["size_bytes"]);
    Ok(took)
}
