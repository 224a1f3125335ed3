-- KEYS: pause, failures in a row, count of the window (if any). ARGV: now, pause and an unused time in milliseconds,
-- lifetime of the count in seconds. Ends the script with { 0, 0, 0 } when the call is refused.
if redis.call('EXISTS', KEYS[1]) == 1 then return { 0, 0, 0 } end
local failures = redis.call('LLEN', KEYS[2])
