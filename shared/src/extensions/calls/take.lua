-- KEYS: the list. ARGV: the start of every other key, the runtime, how many at most, milliseconds the note is kept.
-- Answers the bodies. A call without a body was withdrawn or has expired.
local bodies = {}
for _ = 1, tonumber(ARGV[3]) do
  local id = redis.call('LPOP', KEYS[1])
  if not id then break end
  local body = redis.call('GETDEL', ARGV[1] .. 'body:' .. id)
  if body then
    redis.call('SET', ARGV[1] .. 'taken:' .. id, ARGV[2], 'PX', ARGV[4])
    bodies[#bodies + 1] = body
  end
end
return bodies
