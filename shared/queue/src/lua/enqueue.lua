-- Adds jobs, each at most once for its idempotency key.
--
-- KEYS: stream, delayed set, then one key for every job that has an idempotency key.
-- ARGV: highest number of jobs in the queue, then five values for each job: its envelope, its id, its delay
--       in milliseconds (0 = now), the index in KEYS of its idempotency key (0 = none), that key's lifetime
--       in milliseconds.
-- Returns one number for each job: 1 = added, 0 = another job holds the key.
--
-- Setting the key and adding the job must be one step. If the process died between two, either the job would
-- be lost behind a key that is never freed, or it would be added twice.
local limit, jobs = tonumber(ARGV[1]), (#ARGV - 1) / 5
if redis.call('XLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2]) + jobs > limit then
  return redis.error_reply('FULL the queue holds as many jobs as it may')
end

-- Delays count from this server's clock, so that the clocks of producers and workers need not agree.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local added = {}
for i = 2, #ARGV, 5 do
  local envelope, id, delay, key = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local taken, own = false, false
  if key > 0 and not redis.call('SET', KEYS[key], id, 'NX', 'PX', ARGV[i + 4]) then
    taken = true
    -- The same id means that this very call came before and only its reply was lost: the job exists.
    own = redis.call('GET', KEYS[key]) == id
  end
  if not taken then
    if delay > 0 then
      redis.call('ZADD', KEYS[2], now + delay, envelope)
    else
      redis.call('XADD', KEYS[1], '*', 'j', envelope)
    end
  end
  added[#added + 1] = (taken and not own) and 0 or 1
end
return added
