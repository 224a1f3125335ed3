//! Nodes of a cluster and the slots that each has.

use std::collections::HashMap;

use redis::{
    ConnectionAddr, ConnectionInfo, ErrorKind, RedisError, RedisResult, Value, cluster_routing::Slot,
};

/// Servers that have keys.
#[derive(Clone)]
pub struct Topology {
    masters: Vec<ConnectionInfo>,
    /// Indexes of the masters by slot; `None` for one server.
    slots: Option<HashMap<Slot, usize>>,
}

impl Topology {
    /// Returns the topology of one server.
    pub(crate) fn one(server: ConnectionInfo) -> Self {
        Self { masters: vec![server], slots: None }
    }

    /// Reads the reply to `CLUSTER SLOTS`. `seed` has the credentials, and the host of a node that does not know its
    /// own.
    pub(crate) fn read(reply: Value, seed: &ConnectionInfo) -> RedisResult<Self> {
        let (mut masters, mut slots) = (Vec::<ConnectionInfo>::new(), HashMap::new());
        let ranges: Vec<Vec<Value>> = redis::from_redis_value(reply)?;
        for range in ranges {
            let mut range = range.into_iter();
            let (Some(start), Some(end), Some(master)) = (range.next(), range.next(), range.next()) else {
                return Err(malformed());
            };
            let (start, end): (u16, u16) = (redis::from_redis_value(start)?, redis::from_redis_value(end)?);
            let address = address(master, seed)?;
            let known = masters.iter().position(|master| *master.addr() == address);
            let index = known.unwrap_or_else(|| {
                masters.push(seed.clone().set_addr(address));
                masters.len() - 1
            });
            slots.extend((start..=end).filter_map(Slot::new).map(|slot| (slot, index)));
        }
        Ok(Self { masters, slots: Some(slots) })
    }

    /// Servers that have keys.
    #[must_use]
    pub fn masters(&self) -> &[ConnectionInfo] {
        &self.masters
    }

    /// For each master the first of numbered keys that it has. A master with few slots may have none.
    #[must_use]
    pub fn key_of_each_master(&self, key: impl Fn(usize) -> String) -> Vec<String> {
        const MAX_NUMBER: usize = 16384;
        let mut keys: HashMap<usize, String> = HashMap::new();
        for name in (0..MAX_NUMBER).map(key) {
            if keys.len() == self.masters.len() {
                break;
            }
            if let Some(master) = self.index_of(&name) {
                keys.entry(master).or_insert(name);
            }
        }
        keys.into_values().collect()
    }

    /// Server that has a key.
    ///
    /// # Errors
    /// No master has the slot of the key.
    pub fn node_of(&self, key: &str) -> RedisResult<ConnectionInfo> {
        let node = self.index_of(key).and_then(|index| self.masters.get(index));
        node.cloned()
            .ok_or_else(|| RedisError::from((ErrorKind::ClusterConnectionNotFound, "a slot has no master")))
    }
}

impl Topology {
    fn index_of(&self, key: &str) -> Option<usize> {
        match &self.slots {
            Some(slots) => slots.get(&Slot::for_key(key)).copied(),
            None => Some(0),
        }
    }
}

/// Reads `[host, port, id, …]`.
fn address(node: Value, seed: &ConnectionInfo) -> RedisResult<ConnectionAddr> {
    let node: Vec<Value> = redis::from_redis_value(node)?;
    let mut node = node.into_iter();
    let (Some(host), Some(port)) = (node.next(), node.next()) else { return Err(malformed()) };
    let host: Option<String> = redis::from_redis_value(host)?;
    let port: u16 = redis::from_redis_value(port)?;
    let host = host.filter(|host| !host.is_empty() && host != "?").or_else(|| match seed.addr() {
        ConnectionAddr::Tcp(host, _) => Some(host.clone()),
        _ => None,
    });
    Ok(ConnectionAddr::Tcp(host.ok_or_else(malformed)?, port))
}

fn malformed() -> RedisError {
    RedisError::from((ErrorKind::UnexpectedReturnType, "the reply to CLUSTER SLOTS is malformed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redis::IntoConnectionInfo;

    fn node(host: Value, port: i64) -> Value {
        Value::Array(vec![host, Value::Int(port), Value::BulkString(b"id".to_vec())])
    }

    #[test]
    fn topology_knows_the_master_of_each_slot() {
        let host = |name: &str| Value::BulkString(name.as_bytes().to_vec());
        let reply = Value::Array(vec![
            Value::Array(vec![Value::Int(0), Value::Int(8000), node(host("a"), 1), node(host("r"), 9)]),
            Value::Array(vec![Value::Int(8001), Value::Int(16382), node(Value::Nil, 2)]),
        ]);
        let seed = "redis://:p@seed:7000".into_connection_info().unwrap();
        let topology = Topology::read(reply, &seed).unwrap();
        assert_eq!(topology.masters().len(), 2);
        let of = |key: &str| topology.node_of(key).map(|node| node.addr().to_string());
        // Slots of the keys: 3168 and 12182.
        assert_eq!(of("d{b}").unwrap(), "a:1");
        assert_eq!(of("foo").unwrap(), "seed:2");
        assert_eq!(topology.node_of("foo").unwrap().redis_settings().password(), Some("p"));
        let keys = topology.key_of_each_master(|number| format!("key:{number}"));
        let mut nodes: Vec<String> = keys.iter().map(|key| of(key).unwrap()).collect();
        nodes.sort();
        assert_eq!(nodes, ["a:1", "seed:2"]);
    }

    #[test]
    fn topology_without_a_master_of_a_slot_is_an_error_for_its_keys() {
        let seed = "redis://seed".into_connection_info().unwrap();
        let topology = Topology::read(Value::Array(Vec::new()), &seed).unwrap();
        assert!(topology.node_of("foo").is_err());
        assert!(Topology::read(Value::Array(vec![Value::Array(Vec::new())]), &seed).is_err());
    }
}
