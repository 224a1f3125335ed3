-- Returns the time at which the oldest open job of a queue was added.
--
-- KEYS: stream, delayed set. ARGV: highest number of jobs of each that are checked. The bound keeps one call
-- short, because Redis serves no other client meanwhile.
-- Returns milliseconds since 1970; 0 when there is no job, -1 when there are more than are checked.
local most = tonumber(ARGV[1])
local ready = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', most + 1)
local delayed = redis.call('ZRANGE', KEYS[2], 0, most)
if #ready > most or #delayed > most then return -1 end
local oldest = 0
local function look(envelope)
  -- An entry that is no job becomes a dead letter as soon as a worker reads it.
  local added = tonumber(string.match(envelope or '', '^{"id":"[^"]*","a":%d+,"m":%d+,"t":(%d+)'))
  if added and (oldest == 0 or added < oldest) then oldest = added end
end
for _, entry in ipairs(ready) do look(entry[2][2]) end
for _, envelope in ipairs(delayed) do look(envelope) end
return oldest
