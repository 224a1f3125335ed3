//! Costs of sockets and daemons while nothing happens, and the connections of all daemons.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use foundation::{daemons::DAEMONS, events::Channel};
use futures::StreamExt;
use stack::{
    Stack,
    measure::{Rounds, private_mib, processor_time, short},
};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{
    chat_traffic::{ChatLoad, Traffic},
    cost_meter::{INGEST, Meter, RUNTIME},
    fan_out::audience,
    table::{Row, Table},
};

/// Time that is measured: the interval of the server's pings.
const WINDOW: Duration = Duration::from_secs(30);
/// Time in which a daemon has started, and its first sweeps are over.
const START_DURATION: Duration = Duration::from_secs(15);
/// Time in which a new socket releases what only its handshake needed.
const SETTLE_DURATION: Duration = Duration::from_secs(2);

/// Opens as many sockets in each round and adds the row. Each needs a file descriptor on both sides.
pub async fn sockets(stack: &Stack, table: &mut Table, rounds: u32, sockets: u32) -> Result<()> {
    let figure = idle_sockets(stack, rounds, sockets).await.context("idle sockets")?;
    table.add(Row::without_bar("Idle socket with one channel", figure));
    Ok(())
}

async fn idle_sockets(stack: &Stack, rounds: u32, sockets: u32) -> Result<String> {
    let token = stack.run("lumio-api", &["admin", "create-system-key", "--label", "idle-sockets"])?;
    let channel = Channel::Chat(Uuid::now_v7()).to_string();
    let alone = used_in_window(stack.api_pid).await?;
    let (mut memory, mut open) = (Rounds::default(), JoinSet::new());
    for _ in 0..rounds {
        let before = private_mib(stack.api_pid)?;
        for mut client in audience(&stack.origin, &token, &channel, sockets as usize).await? {
            // Reading answers the pings.
            open.spawn(async move { while let Some(Ok(_)) = client.next().await {} });
        }
        tokio::time::sleep(SETTLE_DURATION).await;
        memory.add((private_mib(stack.api_pid)? - before) * 1024.0 / f64::from(sockets));
    }
    let (sockets, mut micros) = (rounds * sockets, Rounds::default());
    for _ in 0..rounds {
        let used = used_in_window(stack.api_pid).await?.as_secs_f64() - alone.as_secs_f64();
        micros.add(used * 1e6 / WINDOW.as_secs_f64() / f64::from(sockets));
    }
    ensure!(open.try_join_next().is_none(), "a socket was closed");
    Ok(format!(
        "{}, {} a second, pings included ({sockets} sockets); the API without them {} % of a core",
        memory.summary("KiB of private memory"),
        micros.summary("µs CPU"),
        short(percent_of_core(alone))
    ))
}

async fn used_in_window(pid: u32) -> Result<Duration> {
    let before = processor_time(pid)?;
    tokio::time::sleep(WINDOW).await;
    Ok(processor_time(pid)? - before)
}

fn percent_of_core(used: Duration) -> f64 {
    used.as_secs_f64() * 100.0 / WINDOW.as_secs_f64()
}

/// Starts every daemon in a process of its own, measures them, lets lines pass, and adds the rows.
pub async fn daemons(
    stack: &mut Stack,
    table: &mut Table,
    traffic: &mut Traffic,
    load: ChatLoad,
) -> Result<()> {
    let mut pids = Vec::new();
    for daemon in DAEMONS {
        pids.push((daemon, stack.ensure_worker(daemon)?));
    }
    tokio::time::sleep(START_DURATION).await;
    let mut idle = JoinSet::new();
    for (daemon, pid) in pids {
        idle.spawn(async move { idle_daemon(pid).await.with_context(|| format!("the daemon {daemon}")) });
    }
    let (mut memory, mut share) = (Rounds::default(), Rounds::default());
    while let Some(measured) = idle.join_next().await {
        let (used, mib) = measured??;
        memory.add(mib);
        share.add(percent_of_core(used));
    }
    let figure = format!(
        "{}, {} of a core ({} daemons)",
        memory.summary("MiB of private memory"),
        share.summary("%"),
        DAEMONS.len()
    );
    table.add(Row::without_bar("Idle daemon in a process of its own", figure));
    connections(stack, table, traffic, load).await?;
    // Other parts measure without them.
    for daemon in DAEMONS.into_iter().filter(|daemon| ![INGEST, RUNTIME].contains(daemon)) {
        stack.remove(daemon)?;
    }
    Ok(())
}

/// Processor time of a process in the window, and its private memory afterwards, in MiB.
async fn idle_daemon(pid: u32) -> Result<(Duration, f64)> {
    let used = used_in_window(pid).await?;
    Ok((used, private_mib(pid)?))
}

/// Connections that the API and all daemons hold after lines have passed.
async fn connections(
    stack: &mut Stack,
    table: &mut Table,
    traffic: &mut Traffic,
    load: ChatLoad,
) -> Result<()> {
    let mut meter = Meter::start(stack).await?;
    traffic.send(&mut meter, load).await?;
    let figure = format!("{} of {} processes", meter.connections().await?, DAEMONS.len() + 1);
    table.add(Row::without_bar("Connections of PostgreSQL, 150 lines/s", figure));
    Ok(())
}
