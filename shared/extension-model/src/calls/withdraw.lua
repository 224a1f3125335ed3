-- Withdraws a call. KEYS: the list, the call's body, the id of the runtime that took it. ARGV: id. Returns 1
-- when no runtime has taken it.
if redis.call('EXISTS', KEYS[3]) == 1 then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('LREM', KEYS[1], 1, ARGV[1])
return 1
