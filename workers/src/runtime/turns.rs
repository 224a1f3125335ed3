//! Taking turns on the processor.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures::future::BoxFuture;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// A line for places that other lines share. It sends no more on at a time than there are places, so that whoever is
/// first in one waits for about one turn of each other line, however many stand there.
#[derive(Debug, Clone)]
pub struct Turns {
    pub(super) line: Arc<Semaphore>,
    pub(super) places: Arc<Semaphore>,
}

/// A place, and that of the first in its line. Given back in this order: the next of the same line comes after those of
/// others who wait for the place already.
type Place = (OwnedSemaphorePermit, OwnedSemaphorePermit);

/// Work that takes turns with other work, whenever it is polled.
#[must_use = "it does nothing unless it is polled"]
pub struct InTurns<W> {
    turns: Turns,
    work: Pin<Box<W>>,
    /// In line for a place.
    asked: Option<BoxFuture<'static, Result<Place, AcquireError>>>,
}

/// Runs `work` so that of all that shares its places no more than these are polled at once, or wake up to be. Each line
/// takes its turns in the order in which they ask. A place is given back whenever the work waits or gives way.
pub fn in_turns<W: Future>(turns: Turns, work: W) -> InTurns<W> {
    InTurns { turns, work: Box::pin(work), asked: None }
}

impl Turns {
    /// Lines that share so many places.
    pub fn lines<const LINES: usize>(places: usize) -> [Self; LINES] {
        let shared = Arc::new(Semaphore::new(places));
        std::array::from_fn(|_| Self { line: Arc::new(Semaphore::new(places)), places: shared.clone() })
    }

    async fn place(self) -> Result<Place, AcquireError> {
        let first = self.line.acquire_owned().await?;
        Ok((self.places.acquire_owned().await?, first))
    }
}

impl<W> InTurns<W> {
    /// Goes on in another line.
    pub fn move_to(&mut self, turns: Turns) {
        self.asked = None;
        self.turns = turns;
    }
}

impl<W: Future> Future for InTurns<W> {
    type Output = W::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<W::Output> {
        let this = &mut *self;
        let turns = &this.turns;
        let asked = this.asked.get_or_insert_with(|| Box::pin(turns.clone().place()));
        // They are never closed; without a place the work goes on all the same.
        let _place = ready!(asked.as_mut().poll(cx)).ok();
        this.asked = None;
        this.work.as_mut().poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, sync::Mutex, task::Waker};

    use futures::FutureExt;

    use super::*;

    /// Notes its name and gives way, so many times.
    async fn spin(name: usize, times: usize, notes: &Mutex<Vec<usize>>) {
        let mut left = times;
        poll_fn(|cx| {
            notes.lock().unwrap().push(name);
            left -= 1;
            if left == 0 {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    #[tokio::test]
    async fn work_without_a_place_is_not_polled() {
        let ([line], notes) = (Turns::lines(1), Mutex::default());
        let held = line.clone().place().await.unwrap();
        let mut work = in_turns(line.clone(), spin(1, 1, &notes));
        assert!((&mut work).now_or_never().is_none());
        assert!(notes.lock().unwrap().is_empty());
        drop(held);
        assert_eq!((&mut work).now_or_never(), Some(()));
        assert_eq!((notes.lock().unwrap().len(), line.places.available_permits()), (1, 1));
    }

    #[tokio::test]
    async fn what_gives_way_lets_the_next_in_line_go_before_it() {
        let ([line], notes) = (Turns::lines(1), Mutex::default());
        let held = line.clone().place().await.unwrap();
        let mut first = in_turns(line.clone(), spin(1, 2, &notes));
        let mut second = in_turns(line.clone(), spin(2, 2, &notes));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        drop(held);
        assert!((&mut second).now_or_never().is_none(), "not before the one that asked first");
        assert!((&mut first).now_or_never().is_none(), "it gave way");
        assert!((&mut first).now_or_never().is_none(), "and is in line again");
        assert_eq!(*notes.lock().unwrap(), [1]);
        assert!((&mut second).now_or_never().is_none());
        assert!((&mut first).now_or_never().is_some());
        assert!((&mut second).now_or_never().is_some());
        assert_eq!(*notes.lock().unwrap(), [1, 2, 1, 2]);
        assert_eq!((line.line.available_permits(), line.places.available_permits()), (1, 1));
    }

    #[tokio::test]
    async fn however_many_stand_in_one_line_the_first_of_another_waits_for_one_turn() {
        let ([answers, rest], notes) = (Turns::lines(1), Mutex::default());
        let held = rest.clone().place().await.unwrap();
        let mut many: Vec<_> = (1..=3).map(|name| in_turns(rest.clone(), spin(name, 2, &notes))).collect();
        for wait in &mut many {
            assert!(wait.now_or_never().is_none());
        }
        let mut answer = in_turns(answers, spin(9, 2, &notes));
        assert!((&mut answer).now_or_never().is_none());
        drop(held);
        for wait in &mut many {
            assert!(wait.now_or_never().is_none(), "they asked before, and the answer is next");
        }
        assert!((&mut answer).now_or_never().is_none(), "it gave way");
        assert!((&mut answer).now_or_never().is_none(), "to one of the others");
        assert!((&mut many[1]).now_or_never().is_none());
        assert!((&mut many[0]).now_or_never().is_none(), "it gave way");
        assert!((&mut many[1]).now_or_never().is_none(), "not to the next of its own line");
        assert_eq!((&mut answer).now_or_never(), Some(()));
        assert_eq!(*notes.lock().unwrap(), [9, 1, 9]);
    }

    #[tokio::test]
    async fn what_moves_to_another_line_leaves_its_own() {
        let ([answers, rest], notes) = (Turns::lines(1), Mutex::default());
        let held = rest.clone().place().await.unwrap();
        let mut work = in_turns(answers.clone(), spin(1, 1, &notes));
        assert!((&mut work).now_or_never().is_none());
        assert_eq!(answers.line.available_permits(), 0);
        work.move_to(rest.clone());
        assert_eq!(answers.line.available_permits(), 1);
        assert!((&mut work).now_or_never().is_none());
        drop(held);
        assert_eq!((&mut work).now_or_never(), Some(()));
        assert_eq!((rest.line.available_permits(), rest.places.available_permits()), (1, 1));
    }

    #[tokio::test]
    async fn what_waits_for_something_else_holds_no_place_nor_what_is_dropped_in_line() {
        let ([line], notes) = (Turns::lines(1), Mutex::default());
        let mut waits = in_turns(line.clone(), std::future::pending::<()>());
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut waits).poll(&mut context).is_pending());
        assert_eq!(line.places.available_permits(), 1);

        let held = line.clone().place().await.unwrap();
        let mut in_line = in_turns(line.clone(), spin(1, 1, &notes));
        assert!((&mut in_line).now_or_never().is_none());
        drop(held);
        drop(in_line);
        assert_eq!((line.line.available_permits(), line.places.available_permits()), (1, 1));
    }
}
