-- Looks at records. KEYS: shard. ARGV: id, whether a field may repeat, fields. Returns: microseconds, records.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
return {t[1] * 1000000 + t[2], redis.call('hmget', KEYS[1], unpack(ARGV, 3))}
