-- Removes consumers that will not come back.
--
-- KEYS: stream, workers.
-- ARGV: group, leaving consumer ('' = none), milliseconds of silence after which any other is removed.
-- Returns the number of consumers removed.
--
-- Every start of a worker creates a new consumer, so without this the list would only grow. A consumer that
-- still holds entries is kept: removing it would drop them from the list that others claim from. Removing one
-- that only waits does no harm, since it comes back with its next job.
redis.call('ZREM', KEYS[2], ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local removed = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #flat, 2 do consumer[flat[i]] = flat[i + 1] end
  if consumer.pending == 0 and (consumer.name == ARGV[2] or consumer.idle > tonumber(ARGV[3])) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    removed = removed + 1
  end
end
return removed
