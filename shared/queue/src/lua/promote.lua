-- Moves delayed jobs that are due onto the stream.
--
-- KEYS: stream, delayed set. ARGV: highest number of jobs to move. The bound keeps one call short, because
-- Redis serves no other client meanwhile.
-- Returns the number of jobs moved.
--
-- Every worker calls this. One script is one step, so no job is moved twice.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, envelope in ipairs(due) do redis.call('XADD', KEYS[1], '*', 'j', envelope) end
-- The due jobs have the lowest ranks, and no other command can run inside a script.
if #due > 0 then redis.call('ZREMRANGEBYRANK', KEYS[2], 0, #due - 1) end
return #due
