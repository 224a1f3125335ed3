-- Counts the jobs and workers of a queue, at one moment.
--
-- KEYS: stream, delayed set, dead letters, workers.
-- ARGV: group, milliseconds of silence after which a worker no longer counts.
-- Returns ready, running, delayed, dead, workers.
local running = 0
if redis.call('EXISTS', KEYS[1]) == 1 then
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
    local group = {}
    for i = 1, #flat, 2 do group[flat[i]] = flat[i + 1] end
    if group.name == ARGV[1] then running = group.pending end
  end
end
local time = redis.call('TIME')
local silent = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2]
local workers = redis.call('ZCOUNT', KEYS[4], '(' .. silent, '+inf')
local ready = math.max(redis.call('XLEN', KEYS[1]) - running, 0)
return { ready, running, redis.call('ZCARD', KEYS[2]), redis.call('XLEN', KEYS[3]), workers }
