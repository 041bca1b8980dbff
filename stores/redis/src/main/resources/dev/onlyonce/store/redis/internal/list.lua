-- Looks at the next records. KEYS: shard. ARGV: id, cursor, how many.
-- Returns: microseconds, cursor to go on from, fields and records.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local page = redis.call('hscan', KEYS[1], ARGV[2], 'count', ARGV[3])
return {t[1] * 1000000 + t[2], page[1], page[2]}
