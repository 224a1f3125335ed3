//! Address of the client (reference/limits.md#client-address).

use std::net::IpAddr;

use actix_web::HttpRequest;

/// Address of the client: the peer, or the one that the configured number of proxies wrote
/// (reference/limits.md#client-address).
#[must_use]
pub fn client_ip(request: &HttpRequest, trusted_hops: usize) -> Option<IpAddr> {
    let peer = request.peer_addr().map(|address| address.ip());
    if trusted_hops == 0 {
        return peer;
    }
    let forwarded = request.headers().get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
    let chain: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    // Each trusted proxy appended the address that it saw, so the client's is at that position from the end.
    let index = chain.len().checked_sub(trusted_hops);
    index.and_then(|index| chain[index].parse().ok()).or(peer)
}
