-- Looks at the next records, one group at a time: what the server keeps in one bucket. A cursor is
-- never asked for more than its group, so that it means the same when the server grows its table.
-- KEYS: shard. ARGV: id, cursor, how many, the length of the fields that are wanted: records or buckets.
-- Returns: microseconds, cursor to go on from, each group's cursor and its fields and what they hold.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local most, length = tonumber(ARGV[3]), tonumber(ARGV[4])
local cursor, groups, entries, asked = ARGV[2], {}, 0, 0
repeat
  local group = redis.call('hscan', KEYS[1], cursor, 'count', 1)
  local wanted, all = {}, group[2]
  for i = 1, #all, 2 do
    if #all[i] == length then
      wanted[#wanted + 1] = all[i]
      wanted[#wanted + 1] = all[i + 1]
    end
  end
  if #wanted > 0 then
    groups[#groups + 1] = cursor
    groups[#groups + 1] = wanted
    entries = entries + #wanted / 2
  end
  cursor = group[1]
  asked = asked + 1
until cursor == '0' or entries >= most or asked >= 4 * most
return {t[1] * 1000000 + t[2], cursor, groups}
