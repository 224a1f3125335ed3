//! Places for work that runs or waits in a process, with a share for each holder
//! (reference/limits.md#concurrent-work-of-a-process).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foundation::db::Holder;

/// Places of one kind of work.
pub(crate) struct Places {
    max: usize,
    max_of_holder: usize,
    /// Number of places of each holder who has one.
    taken: Mutex<HashMap<Holder, usize>>,
}

/// Place of a holder, until it is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    holder: Holder,
}

impl Places {
    /// Creates free places.
    pub fn new(max: usize, max_of_holder: usize) -> Arc<Self> {
        Arc::new(Self { max, max_of_holder, taken: Mutex::default() })
    }

    /// Takes a place; `None` when all are taken, or all that one holder may have.
    pub fn take(self: &Arc<Self>, holder: Holder) -> Option<Place> {
        let mut taken = self.taken();
        let all: usize = taken.values().sum();
        let of_holder = taken.get(&holder).copied().unwrap_or_default();
        if all >= self.max || of_holder >= self.max_of_holder {
            return None;
        }
        taken.insert(holder.clone(), of_holder + 1);
        Some(Place { places: Arc::clone(self), holder })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Holder, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        match taken.get_mut(&self.holder) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.holder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_bound_for_each_holder_and_for_all() {
        let places = Places::new(5, 2);
        let of = |name: &str| places.take(Holder::Address(name.to_owned()));
        let first = [of("a").unwrap(), of("a").unwrap()];
        assert!(of("a").is_none());
        let others = [of("b").unwrap(), of("b").unwrap(), of("c").unwrap()];
        assert!(of("d").is_none(), "all are taken");
        drop(first);
        drop((of("a").unwrap(), of("d").unwrap()));
        drop(others);
        assert!(places.taken().is_empty());
    }
}
