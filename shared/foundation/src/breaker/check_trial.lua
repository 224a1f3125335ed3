-- KEYS: state, failures, count of the window (if any). ARGV: now, pause and time of a trial in milliseconds, lifetime of
-- the count in seconds. Ends the script with { 0, 0, 0 } when the call is refused.
local failures = 0
local opened = tonumber(redis.call('HGET', KEYS[1], 'opened') or '')
if opened then
  failures = 1
  local now = tonumber(ARGV[1])
  if now - opened < tonumber(ARGV[2]) then return { 0, 0, 0 } end
  local trial = tonumber(redis.call('HGET', KEYS[1], 'trial') or '')
  if trial and now - trial < tonumber(ARGV[3]) then return { 0, 0, 0 } end
  redis.call('HSET', KEYS[1], 'trial', ARGV[1])
end
