-- Reads the store's settings, or writes them if there are none and some are given.
-- KEYS: meta. ARGV: name, value, name, value, ... Returns all names and values.
if #ARGV > 0 and redis.call('exists', KEYS[1]) == 0 then
  redis.call('hset', KEYS[1], unpack(ARGV))
end
return redis.call('hgetall', KEYS[1])
