-- Takes jobs that did not succeed off the stream and moves each to its next place.
--
-- KEYS: stream, delayed set, dead letters.
-- ARGV: group, consumer, number of dead letters to keep, then four values for each job: entry id, verdict
--       ('retry', 'bury' or 'back'), envelope, and the delay in milliseconds (retry) or the error (bury).
-- Returns the number of jobs moved.
--
-- An entry that the consumer no longer owns is left as it is. Its lease expired and another worker has the
-- job, so moving it would make two jobs of one. For the same reason a repeated call does no harm.
local group, consumer, kept = ARGV[1], ARGV[2], ARGV[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local moved = 0
for i = 4, #ARGV, 4 do
  local id, verdict, envelope, last = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if #redis.call('XPENDING', KEYS[1], group, id, id, 1, consumer) == 1 then
    redis.call('XACK', KEYS[1], group, id)
    redis.call('XDEL', KEYS[1], id)
    if verdict == 'retry' then
      redis.call('ZADD', KEYS[2], now + tonumber(last), envelope)
    elseif verdict == 'bury' then
      redis.call('XADD', KEYS[3], 'MAXLEN', '~', kept, '*', 'j', envelope, 'e', last)
    else
      redis.call('XADD', KEYS[1], '*', 'j', envelope)
    end
    moved = moved + 1
  end
end
return moved
