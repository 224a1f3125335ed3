//! Cost of writing to many sockets on this machine: the part of a delivery that no server can avoid. Over the loopback
//! interface it includes the work of the receiving side of the network.

use std::{
    io::{ErrorKind, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use stack::measure::thread_time;
use tokio::io::AsyncReadExt;

use crate::fan_out::Plan;

/// Processor time of one write of a frame of this length, in µs, to as many sockets and at the same pace as in the plan.
pub fn measure(plan: Plan, length: usize) -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut readers = Vec::with_capacity(plan.sockets);
    let mut writers = Vec::with_capacity(plan.sockets);
    for _ in 0..plan.sockets {
        let reader = TcpStream::connect(address)?;
        reader.set_nonblocking(true)?;
        readers.push(reader);
        let (writer, _) = listener.accept()?;
        writer.set_nonblocking(true)?;
        writer.set_nodelay(true)?;
        writers.push(writer);
    }
    let reading = thread::spawn(move || read(readers));
    let writing = thread::spawn(move || write(&writers, plan, &vec![b'x'; length]));
    let cost = writing.join().ok().context("the writer panicked")?;
    reading.join().ok().context("the reader panicked")??;
    cost
}

fn write(sockets: &[TcpStream], plan: Plan, frame: &[u8]) -> Result<f64> {
    let (began, before) = (Instant::now(), thread_time()?);
    let mut written = 0_u32;
    for event in 0..plan.events {
        #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
        let due = Duration::from_secs_f64(event as f64 / plan.events_a_second);
        thread::sleep(due.saturating_sub(began.elapsed()));
        for mut socket in sockets {
            match socket.write(frame) {
                Ok(_) => written += 1,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    ensure!(written > 0, "nothing was written");
    Ok((thread_time()? - before).as_secs_f64() * 1e6 / f64::from(written))
}

/// Reads until the writers have ended.
fn read(sockets: Vec<TcpStream>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let mut readers = tokio::task::JoinSet::new();
        for socket in sockets {
            let mut socket = tokio::net::TcpStream::from_std(socket)?;
            readers.spawn(async move {
                let mut buffer = vec![0; 4096];
                while socket.read(&mut buffer).await? > 0 {}
                std::io::Result::Ok(())
            });
        }
        while let Some(read) = readers.join_next().await {
            read??;
        }
        Ok(())
    })
}
