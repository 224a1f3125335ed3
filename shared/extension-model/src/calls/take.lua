-- Takes a call from the list, unless another runtime has. KEYS: the list, the call's body, the id of the runtime that takes
-- it. ARGV: id, the runtime, milliseconds that its id is kept. Returns 1 when the call was in the list, and its body; none
-- when the call was withdrawn or has expired.
if redis.call('LREM', KEYS[1], 1, ARGV[1]) == 0 then
  return { 0, false }
end
local body = redis.call('GETDEL', KEYS[2])
if body then
  redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3])
end
return { 1, body }
