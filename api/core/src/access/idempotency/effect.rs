//! Effects that are one transaction of the primary database, which an operation under a claim commits itself.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::keyed::Keyed;

/// Effect that was begun, and that happens with the commit of one transaction. When this is dropped without
/// [`Self::complete`], the transaction was rolled back: nothing happened. After it, only a failed commit leaves open if
/// the effect happened, so that it stays begun.
#[must_use = "the effect is undone when this is dropped"]
pub struct TransactionEffect {
    keyed: Option<Arc<Keyed>>,
    is_complete: AtomicBool,
}

impl TransactionEffect {
    /// Begins the effect of a request, which may have a key.
    pub(super) fn begin(keyed: Option<Arc<Keyed>>) -> Self {
        if let Some(keyed) = &keyed {
            keyed.begin_effect();
        }
        Self { keyed, is_complete: AtomicBool::new(false) }
    }

    /// Records that the transaction has done everything, and that its commit is next.
    pub fn complete(&self) {
        self.is_complete.store(true, Ordering::SeqCst);
    }
}

impl Drop for TransactionEffect {
    fn drop(&mut self) {
        if let Some(keyed) = &self.keyed
            && !self.is_complete.load(Ordering::SeqCst)
        {
            keyed.undo_effect();
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn transaction_effect_is_undone_unless_it_was_complete() {
        let keyed = Arc::new(Keyed::of(&TestRequest::default().to_http_request(), None));
        let begin = || TransactionEffect::begin(Some(Arc::clone(&keyed)));
        let effect = begin();
        assert!(keyed.has_effect());
        drop(effect);
        assert!(!keyed.has_effect(), "it was rolled back");
        begin().complete();
        assert!(keyed.has_effect());
        drop(begin());
        assert!(keyed.has_effect(), "an earlier effect stays");
    }
}
