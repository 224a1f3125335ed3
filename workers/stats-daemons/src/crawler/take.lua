-- KEYS: bucket, pause, failures in a row. ARGV: size of the bucket, tokens of a minute, tokens that must remain.
-- Takes a token. Returns the milliseconds until there is one, or 0, and the failures in a row.
local failures = tonumber(redis.call('GET', KEYS[3]) or '0')
local pause = redis.call('PTTL', KEYS[2])
if pause > 0 then return { pause, failures } end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local size, per_minute = tonumber(ARGV[1]), tonumber(ARGV[2])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local passed = math.max(0, now - (tonumber(state[2] or '') or now))
local tokens = math.min(size, (tonumber(state[1] or '') or size) + passed * per_minute / 60000)
local missing = 1 + tonumber(ARGV[3]) - tokens
if missing > 0 then return { math.max(1, math.ceil(missing * 60000 / per_minute)), failures } end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens - 1), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(size * 60000 / per_minute) + 1000)
return { 0, failures }
