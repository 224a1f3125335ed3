-- Second part of a script that admits: counts the admitted call. Returns: 1, the count with it, failures.
local count = 0
if KEYS[3] then
  count = redis.call('INCR', KEYS[3])
  if count == 1 then
    redis.call('EXPIRE', KEYS[3], ARGV[4])
  end
end
return { 1, count, failures }
