//! Calls about many channels. A platform may refuse a call because of one of them, so a refused batch is
//! halved until that channel is found (reference/public-stats.md#refusals).

use platforms::PlatformError;
use shared::Result;

use super::{
    budget::Priority,
    calls::{Calls, NoAnswer},
    credentials::Access,
    hidden::NamedBy,
};

/// Maximum number of calls for one batch, which finds at least four refused channels among a hundred.
const MAX_CALLS: usize = 64;

/// Batch of channels and the answers about them so far.
#[derive(Debug)]
pub(super) struct Batch<'a, T> {
    /// Rows of the answers.
    pub rows: Vec<T>,
    /// Channels whose call was answered, also those that the call did not name because they were opted out.
    pub answered: Vec<&'a str>,
    /// Channels that the platform refuses to report on.
    pub refused: Vec<&'a str>,
    /// Channels for which no call was made.
    pub left: Vec<&'a str>,
    /// Channels of the next calls, the first one last.
    parts: Vec<Vec<&'a str>>,
    calls: usize,
}

impl<'a, T> Batch<'a, T> {
    /// Batch with a call for each part.
    pub fn of_parts(parts: impl DoubleEndedIterator<Item = Vec<&'a str>>) -> Self {
        let parts = parts.filter(|part| !part.is_empty()).rev().collect();
        Self {
            rows: Vec::new(),
            answered: Vec::new(),
            refused: Vec::new(),
            left: Vec::new(),
            parts,
            calls: 0,
        }
    }

    /// Batch with one call for all channels.
    pub fn of(channels: &[&'a str]) -> Self {
        Self::of_parts([channels.to_vec()].into_iter())
    }

    /// Makes the calls, and halves those that the platform refuses. Fails when the first one cannot be made.
    pub async fn run<F>(mut self, request: impl Fn(Vec<&'a str>) -> F) -> Result<Self, NoAnswer>
    where
        F: Future<Output = Result<Option<Vec<T>>, NoAnswer>>,
    {
        while let Some(part) = self.parts.pop() {
            if self.calls == MAX_CALLS {
                self.left.extend(part);
                continue;
            }
            self.calls += 1;
            let answer = request(part.clone()).await;
            self.add(part, answer)?;
        }
        Ok(self)
    }

    fn add(&mut self, part: Vec<&'a str>, answer: Result<Option<Vec<T>>, NoAnswer>) -> Result<(), NoAnswer> {
        match answer {
            Ok(rows) => {
                self.rows.extend(rows.into_iter().flatten());
                self.answered.extend(part);
            }
            Err(NoAnswer::Refused(_)) if part.len() > 1 => {
                let (first, second) = part.split_at(part.len() / 2);
                self.parts.extend([second.to_vec(), first.to_vec()]);
            }
            Err(NoAnswer::Refused(reason)) => {
                tracing::info!(reason, channel = ?part, "a platform refuses to report on a channel");
                self.refused.extend(part);
            }
            // The others are left, too: they would wait as well.
            Err(NoAnswer::Later(_)) if self.calls > 1 => {
                self.left.extend(part);
                self.calls = MAX_CALLS;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Calls {
    /// Makes one call about channels, in parts when the platform refuses it.
    pub async fn batch<'a, T, F>(
        &self,
        priority: Priority,
        named_by: NamedBy,
        channels: &[&'a str],
        make: impl Fn(Access, Vec<&'a str>) -> F,
    ) -> Result<Batch<'a, T>, NoAnswer>
    where
        F: Future<Output = Result<Vec<T>, PlatformError>>,
    {
        let make = &make;
        let request = |part: Vec<&'a str>| async move {
            Box::pin(self.about_all(priority, named_by, &part, make)).await
        };
        Batch::of(channels).run(request).await
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, time::Duration};

    use super::*;

    /// Runs a batch of channels `0` to `99` against a platform that refuses some of them, and that has this
    /// number of calls.
    async fn run(refused: &[&str], calls: usize) -> (Vec<String>, Vec<String>, usize, usize) {
        let names: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let made = RefCell::new(0);
        let answer = |part: Vec<&str>| {
            *made.borrow_mut() += 1;
            if *made.borrow() > calls {
                return Err(NoAnswer::Later(Duration::ZERO));
            }
            if part.iter().any(|name| refused.contains(name)) {
                return Err(NoAnswer::Refused("no".into()));
            }
            Ok(Some(part.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>()))
        };
        let batch = Batch::of(&names).run(|part| std::future::ready(answer(part))).await.unwrap();
        let refused = batch.refused.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(batch.rows.len(), batch.answered.len());
        assert_eq!(batch.answered.len() + batch.refused.len() + batch.left.len(), names.len());
        let left = batch.left.len();
        (batch.rows, refused, left, made.into_inner())
    }

    #[tokio::test]
    async fn run_finds_the_refused_channels_with_a_bounded_number_of_calls() {
        let (rows, refused, left, calls) = run(&[], 100).await;
        assert_eq!((rows.len(), refused.len(), left, calls), (100, 0, 0, 1));
        let (rows, refused, left, calls) = run(&["7", "50", "99"], 100).await;
        assert_eq!((rows.len(), refused, left), (97, vec!["7".into(), "50".into(), "99".into()], 0));
        assert!(calls <= MAX_CALLS, "{calls}");
        let all: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let (rows, refused, left, calls) = run(&all, 100).await;
        assert_eq!((rows.len(), calls), (0, MAX_CALLS));
        assert!(
            refused.len() > 20 && left == 100 - refused.len(),
            "those that were not tried are not refused"
        );
        let (rows, refused, left, _) = run(&["99"], 2).await;
        assert_eq!((rows.len(), refused.len(), left), (50, 0, 50), "the answers before a pause count");
    }
}
