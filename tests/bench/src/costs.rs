//! Costs of a chat line, a reply and a read for each process and store, of idle sockets and idle daemons: the figures
//! that the chapter on scale computes with (docs/operators/scaling.md).

use std::{array, thread::available_parallelism};

use anyhow::Result;
use serde_json::json;
use stack::{Stack, measure::short, text};

use crate::{
    chat_traffic::{CHANNELS, ChatLoad, Kind, Traffic},
    cost_meter::{Figures, INGEST, Meter, PROCESSES, RUNTIME, STORES, TABLES},
    creators::Creators,
    idle_costs,
    table::{Row, Table},
    tools::{Load, wrk},
};

const LINES_A_SECOND: u32 = 150;
const FEW_LINES_A_SECOND: u32 = 40;
const THREADS: &str = "LUMIO_WORKER_THREADS";

/// Amounts of work.
#[derive(Debug, Clone, Copy)]
pub struct Amounts {
    pub rounds: u32,
    /// Seconds of chat, and of reads, in a round.
    pub seconds: u32,
    /// Sockets that a round adds.
    pub sockets: u32,
}

impl Amounts {
    pub const FULL: Self = Self { rounds: 5, seconds: 20, sockets: 1_000 };
    pub const QUICK: Self = Self { rounds: 3, seconds: 4, sockets: 1_000 };
}

/// Measures and adds the rows.
pub async fn run(stack: &mut Stack, table: &mut Table, amounts: Amounts) -> Result<()> {
    let mut meter = Meter::start(stack).await?;
    let mut traffic = Traffic::new(Creators::new(stack)?).await?;
    let line = lines(&mut traffic, &mut meter, table, amounts).await?;
    reads(stack, &mut meter, table, amounts).await?;
    threads(stack, &mut traffic, table, amounts, line).await?;
    idle_costs::sockets(stack, table, amounts.rounds, amounts.sockets).await?;
    idle_costs::daemons(stack, table, &mut traffic, plain(LINES_A_SECOND, amounts)).await
}

const fn plain(lines_a_second: u32, amounts: Amounts) -> ChatLoad {
    ChatLoad { kind: Kind::Plain, lines_a_second, seconds: amounts.seconds }
}

/// Lines without and with a reply in turn; returns the microseconds of one without.
async fn lines(traffic: &mut Traffic, meter: &mut Meter, table: &mut Table, amounts: Amounts) -> Result<f64> {
    let [mut line, mut few, mut command, mut handler] = array::from_fn(|_| Figures::new(PROCESSES));
    let (mut stores, mut tables) = (Figures::new(STORES), Figures::new(TABLES));
    let load = plain(LINES_A_SECOND, amounts);
    let count = f64::from(load.lines());
    for _ in 0..amounts.rounds {
        let (before, after) = traffic.measure(meter, load).await?;
        let without = after.micros_since(&before, count);
        line.add(without);
        stores.add(after.stores_since(&before, count));
        tables.add(after.bytes_since(&before, count));
        for (kind, reply) in [(Kind::Command, &mut command), (Kind::Handler, &mut handler)] {
            let (before, after) = traffic.measure(meter, ChatLoad { kind, ..load }).await?;
            let with = after.micros_since(&before, count);
            reply.add(array::from_fn(|at| with[at] - without[at]));
        }
        let slow = plain(FEW_LINES_A_SECOND, amounts);
        let (before, after) = traffic.measure(meter, slow).await?;
        few.add(after.micros_since(&before, f64::from(slow.lines())));
    }
    let over = format!("({count} lines a round over {CHANNELS} channels)");
    let figure = format!("{} {over}", line.summary());
    table.add(Row::without_bar("Chat line, delivery to stored and published, 150 lines/s", figure));
    table.add(Row::without_bar("… at 40 lines/s", few.summary()));
    table.add(Row::without_bar("… work of the stores, 150 lines/s", stores.summary()));
    table.add(Row::without_bar("… bytes of the tables, indexes included, 150 lines/s", tables.summary()));
    table.add(Row::without_bar("Reply of a command, in addition to its line", command.summary()));
    table.add(Row::without_bar("Reply of a handler, in addition to its line", handler.summary()));
    Ok(line.last().median())
}

/// Reads of a list with one row.
async fn reads(stack: &Stack, meter: &mut Meter, table: &mut Table, amounts: Amounts) -> Result<()> {
    let session = stack.session_of("costs_reader").await?;
    let key = json!({ "label": "costs", "permissions": ["apikeys:read"] });
    let key = text(&stack.post("/v1/api-keys", &session, key).await?, "/data/key")?;
    let url = format!("{}/v1/api-keys", stack.origin);
    let load = Load { url: &url, token: &key, body: None, seconds: amounts.seconds.into() };
    wrk(&Load { seconds: 1, ..load })?;
    let mut read = Figures::new(PROCESSES);
    for _ in 0..amounts.rounds {
        let before = meter.read().await?;
        let requests = wrk(&load)? * f64::from(amounts.seconds);
        read.add(meter.read().await?.micros_since(&before, requests));
    }
    table.add(Row::without_bar("Authenticated REST read, by process", read.summary()));
    Ok(())
}

/// The same lines while each daemon has as many threads as the machine has processors, which is the default. Ends these
/// daemons.
async fn threads(
    stack: &mut Stack,
    traffic: &mut Traffic,
    table: &mut Table,
    amounts: Amounts,
    with_one: f64,
) -> Result<()> {
    end_daemons(stack)?;
    let one = stack.environment.insert(THREADS.into(), "0".into());
    let mut meter = Meter::start(stack).await?;
    let (mut line, load) = (Figures::new(PROCESSES), plain(LINES_A_SECOND, amounts));
    for _ in 0..amounts.rounds {
        let (before, after) = traffic.measure(&mut meter, load).await?;
        line.add(after.micros_since(&before, f64::from(load.lines())));
    }
    end_daemons(stack)?;
    stack.environment.extend(one.map(|one| (THREADS.to_owned(), one)));
    let figure = format!(
        "{}, {} times that with one ({} processors)",
        line.last().summary("µs in all"),
        short(line.last().median() / with_one),
        available_parallelism()?
    );
    table.add(Row::without_bar("Chat line, a thread of each daemon for each processor, 150 lines/s", figure));
    Ok(())
}

fn end_daemons(stack: &mut Stack) -> Result<()> {
    stack.remove(INGEST)?;
    stack.remove(RUNTIME)
}
