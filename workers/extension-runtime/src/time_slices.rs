//! Time slices of the processor: handlers wait in line for their share of the threads.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures::future::BoxFuture;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// Line for permits that other lines share. It passes on at most as many at a time as there are permits, so
/// that the first in one line waits for about one time slice of each other line, however many wait there.
#[derive(Debug, Clone)]
pub struct TimeSlices {
    pub(super) line: Arc<Semaphore>,
    pub(super) places: Arc<Semaphore>,
}

/// Permit, and the permit of the first in its line. Released in this order: the next of the same line follows
/// those of other lines that already wait.
type SlicePermit = (OwnedSemaphorePermit, OwnedSemaphorePermit);

/// Work that is polled in time slices.
#[must_use = "it does nothing unless it is polled"]
pub struct TimeSliced<W> {
    time_slices: TimeSlices,
    work: Pin<Box<W>>,
    /// Wait in line for a permit.
    asked: Option<BoxFuture<'static, Result<SlicePermit, AcquireError>>>,
}

/// Runs `work` so that at most as many of the works that share its permits are polled, or woken to be polled,
/// as there are permits. Each line serves in the order of requests. A permit is released whenever the work
/// waits or yields.
pub fn time_sliced<W: Future>(time_slices: TimeSlices, work: W) -> TimeSliced<W> {
    TimeSliced { time_slices, work: Box::pin(work), asked: None }
}

impl TimeSlices {
    /// Returns lines that share this number of permits.
    pub fn lines<const LINES: usize>(places: usize) -> [Self; LINES] {
        let shared = Arc::new(Semaphore::new(places));
        std::array::from_fn(|_| Self { line: Arc::new(Semaphore::new(places)), places: shared.clone() })
    }

    async fn place(self) -> Result<SlicePermit, AcquireError> {
        let first = self.line.acquire_owned().await?;
        Ok((self.places.acquire_owned().await?, first))
    }
}

impl<W> TimeSliced<W> {
    /// Continues in another line.
    pub fn move_to(&mut self, time_slices: TimeSlices) {
        self.asked = None;
        self.time_slices = time_slices;
    }
}

impl<W: Future> Future for TimeSliced<W> {
    type Output = W::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<W::Output> {
        let this = &mut *self;
        let time_slices = &this.time_slices;
        let asked = this.asked.get_or_insert_with(|| Box::pin(time_slices.clone().place()));
        // The semaphores are never closed; without a permit the work continues all the same.
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

    /// Records its name and yields, `times` times.
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
    async fn time_sliced_work_without_a_place_is_not_polled() {
        let ([line], notes) = (TimeSlices::lines(1), Mutex::default());
        let held = line.clone().place().await.unwrap();
        let mut work = time_sliced(line.clone(), spin(1, 1, &notes));
        assert!((&mut work).now_or_never().is_none());
        assert!(notes.lock().unwrap().is_empty());
        drop(held);
        assert_eq!((&mut work).now_or_never(), Some(()));
        assert_eq!((notes.lock().unwrap().len(), line.places.available_permits()), (1, 1));
    }

    #[tokio::test]
    async fn time_sliced_work_yields_to_the_next_in_line() {
        let ([line], notes) = (TimeSlices::lines(1), Mutex::default());
        let held = line.clone().place().await.unwrap();
        let mut first = time_sliced(line.clone(), spin(1, 2, &notes));
        let mut second = time_sliced(line.clone(), spin(2, 2, &notes));
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
    async fn time_sliced_work_of_another_line_waits_for_one_slice() {
        let ([answers, rest], notes) = (TimeSlices::lines(1), Mutex::default());
        let held = rest.clone().place().await.unwrap();
        let mut many: Vec<_> = (1..=3).map(|name| time_sliced(rest.clone(), spin(name, 2, &notes))).collect();
        for wait in &mut many {
            assert!(wait.now_or_never().is_none());
        }
        let mut answer = time_sliced(answers, spin(9, 2, &notes));
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
    async fn time_sliced_work_that_moves_leaves_its_line() {
        let ([answers, rest], notes) = (TimeSlices::lines(1), Mutex::default());
        let held = rest.clone().place().await.unwrap();
        let mut work = time_sliced(answers.clone(), spin(1, 1, &notes));
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
    async fn time_sliced_work_that_waits_or_is_dropped_holds_no_place() {
        let ([line], notes) = (TimeSlices::lines(1), Mutex::default());
        let mut waits = time_sliced(line.clone(), std::future::pending::<()>());
        let mut context = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut waits).poll(&mut context).is_pending());
        assert_eq!(line.places.available_permits(), 1);

        let held = line.clone().place().await.unwrap();
        let mut in_line = time_sliced(line.clone(), spin(1, 1, &notes));
        assert!((&mut in_line).now_or_never().is_none());
        drop(held);
        drop(in_line);
        assert_eq!((line.line.available_permits(), line.places.available_permits()), (1, 1));
    }
}
