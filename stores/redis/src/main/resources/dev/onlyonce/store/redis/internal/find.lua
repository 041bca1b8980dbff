-- Looks at records.
-- KEYS: shard. ARGV: id, whether a field may repeat, number of buckets or '', fields.
-- Returns: microseconds, records; an entry of the compact tier for those that are in it.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local records = redis.call('hmget', KEYS[1], unpack(ARGV, 4))
lookUp(records, 4, #ARGV - 3, tonumber(ARGV[3]), entryAt)
return {t[1] * 1000000 + t[2], records}
