//! Addresses of nodes, with a pause between two attempts to connect to the same one: the client itself makes the next
//! attempt at once when a node refuses it.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use redis::{RedisFuture, io::AsyncDNSResolver};
use tokio::time::Instant;

/// Shortest time between two attempts to connect to a node.
const MIN_CONNECT_INTERVAL: Duration = Duration::from_millis(200);
/// Nodes whose last attempts are remembered.
const MAX_NODES: usize = 10_000;

/// Resolver of the host names of nodes.
#[derive(Default)]
pub struct PacedResolver {
    /// Times of the next attempts.
    next: Mutex<HashMap<(String, u16), Instant>>,
}

impl PacedResolver {
    /// Reserves the next attempt; returns its time.
    fn reserve(&self, host: &str, port: u16) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if next.len() >= MAX_NODES {
            next.retain(|_, at| *at > now);
        }
        let after = next.entry((host.to_owned(), port)).or_insert(now);
        let at = (*after).max(now);
        *after = at + MIN_CONNECT_INTERVAL;
        at
    }
}

impl AsyncDNSResolver for PacedResolver {
    fn resolve<'a, 'b: 'a>(
        &'a self,
        host: &'b str,
        port: u16,
    ) -> RedisFuture<'a, Box<dyn Iterator<Item = SocketAddr> + Send + 'a>> {
        Box::pin(async move {
            tokio::time::sleep_until(self.reserve(host, port)).await;
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
            let addresses: Box<dyn Iterator<Item = SocketAddr> + Send + 'a> = Box::new(addresses.into_iter());
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolver_paces_attempts_to_one_node() {
        let resolver = PacedResolver::default();
        let (first, second) = (resolver.reserve("a", 1), resolver.reserve("a", 1));
        assert_eq!(second, first + MIN_CONNECT_INTERVAL);
        assert!(resolver.reserve("b", 1) < second, "another node");
    }
}
