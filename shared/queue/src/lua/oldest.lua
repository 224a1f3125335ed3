-- Finds out when the oldest open job of a queue was added.
--
-- KEYS: stream, delayed set.
-- ARGV: most jobs of each that are looked at. The bound keeps one call short, because Redis serves nobody else meanwhile.
-- Returns milliseconds since 1970; 0 when there is no job, -1 when there are more than are looked at.
local most = tonumber(ARGV[1])
local ready = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', most + 1)
local delayed = redis.call('ZRANGE', KEYS[2], 0, most)
if #ready > most or #delayed > most then return -1 end
local oldest = 0
local function look(envelope)
  -- What is no job goes to the dead letters as soon as a worker meets it.
  local added = tonumber(string.match(envelope or '', '^{"id":"[^"]*","a":%d+,"m":%d+,"t":(%d+)'))
  if added and (oldest == 0 or added < oldest) then oldest = added end
end
for _, entry in ipairs(ready) do look(entry[2][2]) end
for _, envelope in ipairs(delayed) do look(envelope) end
return oldest
