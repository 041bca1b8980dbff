-- Forgets settled records that have expired, and moves those that have been done for long enough
-- into the compact tier; claimed and unknown ones stay.
-- KEYS: shard.
-- ARGV: id, grace in milliseconds, cursor, how many to look at, how many to forget or move, number of
--       buckets or '', milliseconds after which a record moves.
-- Returns: cursor to go on from, looked at, forgotten or moved.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local now = math.floor((t[1] * 1000000 + t[2]) / 1000)
local floor, grace, limit = tonumber(string.sub(found, 18)), tonumber(ARGV[2]), tonumber(ARGV[5])
local count, after = tonumber(ARGV[6]), tonumber(ARGV[7])
local fullBucket = 256

-- Returns the entry that a record becomes and the hour of its end, nil if it stays. It moves if it is DONE and nothing else
-- (no fingerprint, no result), for long enough and for an hour to come: its end is rounded up to the
-- next full one.
local function entryOf(field, record)
  if #record ~= 30 or string.byte(record) ~= 2 then return nil end
  local token, til, span, attempts = struct.unpack('>I7I6I4I2', record, 2)
  local changed = til - span
  if span == 4294967295 then
    changed = token / 1000
  elseif span >= 2147483648 then
    changed = til - (span - 2147483648) * 1000
  end
  if now < changed + after or til < now + 3600000 or attempts > 7 then return nil end
  local hour = math.ceil(til / 3600000)
  local hours = hour - math.floor(token / 3600000000)
  if til == endless then hours, hour = 65535, endlessHour elseif hours < 0 or hours > 65534 then return nil end
  local high = attempts * 32 + math.floor(token / 2 ^ 48)
  return string.sub(field, 4) .. struct.pack('>BI6I2', high, token % 2 ^ 48, hours), hour
end

local buckets, gone, deleted, done, looked, isFull = {}, {}, {}, 0, 0, false

-- Counts something that is forgotten or moved, unless that would be too much.
local function counted()
  isFull = done == limit
  if not isFull then done = done + 1 end
  return not isFull
end

local function forget(field)
  gone[#gone + 1] = field
  deleted[field] = true
end

local function move(field, record)
  if not count or deleted[field] then return end
  local entry, hour = entryOf(field, record)
  if not entry then return end
  local name = bucketOf(field, count)
  local bucket = buckets[name] or redis.call('hget', KEYS[1], name) or ''
  if bucket == '' then bucket = struct.pack('>I4', hour) end
  if entriesIn(bucket) < fullBucket and counted() then
    local first = struct.pack('>I4', math.min(hour, (struct.unpack('>I4', bucket))))
    buckets[name] = first .. string.sub(bucket, firstEntry) .. entry
    forget(field)
  end
end

-- Leaves what has expired out of a bucket, if anything has.
local function thin(name, bucket)
  looked = looked + 1
  if now < endOfFirst(bucket) + grace then return end
  local kept, first = {}, endless
  for at = firstEntry, #bucket, entrySize do
    local token, til = valuesOf(bucket, at)
    if now >= til + grace and counted() then
      if token > floor then floor = token end
    else
      kept[#kept + 1] = entryAt(bucket, at)
      first = math.min(first, til)
    end
  end
  looked = looked + entriesIn(bucket)
  local hour = first == endless and endlessHour or first / 3600000
  buckets[name] = #kept == 0 and '' or struct.pack('>I4', hour) .. table.concat(kept)
end

local page = redis.call('hscan', KEYS[1], ARGV[3], 'count', ARGV[4])
local all, cursor = page[2], page[1]
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if #field == 14 then
    local head, token, til = struct.unpack('>BI7I6', value)
    local state = head % 8
    looked = looked + 1
    if state < 2 or state > 4 or now < til then
      move(field, value)
    elseif now >= til + grace and counted() then
      forget(field)
      if token > floor then floor = token end
    end
  elseif #field == 4 then
    thin(field, buckets[field] or value)
  end
  if isFull then
    cursor = ARGV[3]
    break
  end
end

if next(buckets) or #gone > 0 then
  -- A first write that needs no memory lets the next ones pass at maxmemory.
  redis.call('hdel', KEYS[1], '')
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. string.format(' %.0f', floor))
  for name, bucket in pairs(buckets) do
    if bucket == '' then
      redis.call('hdel', KEYS[1], name)
    else
      redis.call('hset', KEYS[1], name, bucket)
    end
  end
  for from = 1, #gone, 5000 do
    redis.call('hdel', KEYS[1], unpack(gone, from, math.min(from + 4999, #gone)))
  end
end
return {cursor, looked, done}
