//! Cut of a pipeline by hash slot.
//!
//! Slots and not nodes: a slot that another node has taken over refuses all commands of its part, so that the part can be
//! sent again without repeating one. While its keys are still being moved, a part may fail or be repeated. Parts for the
//! same node share its connection and leave together.

use std::collections::HashMap;

use futures::future::try_join_all;
use redis::{
    Arg, Cmd, ErrorKind, Pipeline, RedisError, RedisResult, Value, aio::ConnectionLike,
    cluster_async::ClusterConnection, cluster_routing::Slot,
};

/// Commands with several keys, which the client itself cuts by slot.
const SEVERAL_KEYS: [&[u8]; 4] = [b"DEL", b"EXISTS", b"MGET", b"UNLINK"];

/// Sends the parts at once and returns the replies in the order of the commands.
pub async fn run_in_parts(connection: &ClusterConnection, commands: &Pipeline) -> RedisResult<Vec<Value>> {
    let indexed: Vec<(usize, &Cmd)> = commands.cmd_iter().enumerate().collect();
    let parts = by_slot(indexed, |(_, command)| slot(command));
    let answers = try_join_all(parts.into_iter().map(|part| run_part(connection.clone(), part))).await?;
    let mut all = vec![Value::Nil; commands.len()];
    for (index, answer) in answers.into_iter().flatten() {
        if let Some(place) = all.get_mut(index) {
            *place = answer;
        }
    }
    Ok(all)
}

async fn run_part(
    mut connection: ClusterConnection,
    part: Vec<(usize, &Cmd)>,
) -> RedisResult<Vec<(usize, Value)>> {
    if let [(index, command)] = part.as_slice() {
        return Ok(vec![(*index, connection.req_packed_command(command).await?)]);
    }
    let mut pipeline = Pipeline::with_capacity(part.len());
    for (_, command) in &part {
        pipeline.add_command((*command).clone());
    }
    let answers = connection.req_packed_commands(&pipeline, 0, part.len()).await?;
    if answers.len() != part.len() {
        return Err(RedisError::from((
            ErrorKind::UnexpectedReturnType,
            "a part of a pipeline has too few replies",
        )));
    }
    Ok(part.into_iter().map(|(index, _)| index).zip(answers).collect())
}

/// Groups items by slot, in their order. Each item without a slot is a group of its own.
pub fn by_slot<T>(items: Vec<T>, slot: impl Fn(&T) -> Option<Slot>) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut places: HashMap<Slot, usize> = HashMap::new();
    for item in items {
        let place = slot(&item).map(|slot| *places.entry(slot).or_insert(groups.len()));
        match place.and_then(|place| groups.get_mut(place)) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

/// Returns the slot of a command; `None` when it has no key or several.
fn slot(command: &Cmd) -> Option<Slot> {
    let mut arguments = command.args_iter().map(|argument| match argument {
        Arg::Simple(bytes) => bytes,
        _ => b"".as_slice(),
    });
    let name = arguments.next()?.to_ascii_uppercase();
    match name.as_slice() {
        // EVALSHA sha1 numkeys key …
        b"EVAL" | b"EVALSHA" => arguments.nth(2),
        name if SEVERAL_KEYS.contains(&name) => None,
        _ => arguments.next(),
    }
    .map(Slot::for_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(commands: &[&str]) -> Vec<Vec<usize>> {
        let commands: Vec<Cmd> = commands
            .iter()
            .map(|text| {
                let mut words = text.split(' ');
                let mut command = redis::cmd(words.next().unwrap());
                for word in words {
                    command.arg(word);
                }
                command
            })
            .collect();
        let indexed = commands.iter().enumerate().collect();
        let parts = by_slot(indexed, |(_, command): &(usize, &Cmd)| slot(command));
        parts.into_iter().map(|part| part.into_iter().map(|(index, _)| index).collect()).collect()
    }

    #[test]
    fn pipeline_parts_hold_the_commands_of_a_slot_in_order() {
        let parts = groups(&["INCR a:{x}", "EVALSHA f00 1 b:{y} 1", "EXPIRE a:{x} 5", "GET b:{y}"]);
        assert_eq!(parts, [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn pipeline_parts_are_single_commands_with_several_keys() {
        assert_eq!(groups(&["MGET {x}a {y}b", "EXISTS {x}a {y}b", "GET {x}a"]), [vec![0], vec![1], vec![2]]);
    }
}
