-- Takes the open counts as a batch, or the batch that was taken and not removed yet. KEYS: open counts; their id; batch;
-- its id. ARGV: id for open counts without one. Returns the id of the batch; false when there are no counts.
local id = redis.call('GET', KEYS[4])
if id then
  return id
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return false
end
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('SET', KEYS[2], ARGV[1])
end
redis.call('RENAME', KEYS[1], KEYS[3])
redis.call('RENAME', KEYS[2], KEYS[4])
return redis.call('GET', KEYS[4])
