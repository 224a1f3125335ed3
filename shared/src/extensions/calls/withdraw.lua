-- KEYS: the list, the call's body, the note of who has it. ARGV: id. Answers 1 when nobody has had it.
if redis.call('EXISTS', KEYS[3]) == 1 then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('LREM', KEYS[1], 1, ARGV[1])
return 1
