-- What the scripts know of the compact tier; it stands before those that look into it. A bucket is
-- a string: the hour before which no entry ends (4), and entries of 20 bytes: 11 of the record's
-- field, attempts (upper 3 bits of 1) and token (the other 53 bits of 7), hours kept (2).
-- See docs/formats/redis.md.
local entrySize, firstEntry, endless, endlessHour = 20, 5, 281474976710655, 4294967295

-- Returns the time before which no entry of a bucket ends.
local function endOfFirst(bucket)
  local hour = struct.unpack('>I4', bucket)
  return hour == endlessHour and endless or hour * 3600000
end

-- Returns how many entries a bucket has.
local function entriesIn(bucket)
  return (#bucket - firstEntry + 1) / entrySize
end

-- Returns the field of the bucket in which the entry of a record is, if it has one.
local function bucketOf(field, buckets)
  return struct.pack('>I4', math.floor(struct.unpack('>I3', field) * buckets / 2 ^ 24))
end

-- Returns where in a bucket the entry of a record begins, nil if it is not there.
local function entryIn(bucket, field)
  local tail = string.sub(field, 4)
  local at = string.find(bucket, tail, firstEntry, true)
  while at and at % entrySize ~= firstEntry do at = string.find(bucket, tail, at + 1, true) end
  return at
end

-- Returns token, end and attempts of an entry; the end is a full hour.
local function valuesOf(bucket, at)
  local high, low, hours = struct.unpack('>BI6I2', bucket, at + 11)
  local token, attempts = high % 32 * 2 ^ 48 + low, math.floor(high / 32)
  if hours == 65535 then return token, endless, attempts end
  return token, (math.floor(token / 3600000000) + hours) * 3600000, attempts
end

-- Returns an entry as it is.
local function entryAt(bucket, at)
  return string.sub(bucket, at, at + entrySize - 1)
end

-- Returns the record that an entry stands for: DONE, changed at its token's time. Its request id is
-- out of the keyed hash, so that it is nobody's.
local function recordAt(bucket, at)
  local token, til, attempts = valuesOf(bucket, at)
  return struct.pack('>BI7I6I4I2I2', 2, token, til, 4294967295, attempts, 0)
    .. string.sub(bucket, at, at + 7)
end

-- Looks into the tier, if there are buckets, for the records that are missing, of the fields from an
-- argument on, and puts what is read of their entries in their places. Returns what takeOut needs.
local function lookUp(records, from, count, buckets, read)
  local tier = {buckets = {}, bucketOf = {}, changed = {}}
  if not buckets then return tier end
  local names = {}
  for i = 1, count do
    if not records[i] then names[#names + 1] = bucketOf(ARGV[from + i - 1], buckets) end
  end
  if #names == 0 then return tier end
  local found, n = redis.call('hmget', KEYS[1], unpack(names)), 0
  for i = 1, count do
    if not records[i] then
      n = n + 1
      local field, bucket = ARGV[from + i - 1], found[n]
      local at = bucket and entryIn(bucket, field)
      if at then
        records[i] = read(bucket, at)
        tier.buckets[names[n]] = bucket
        tier.bucketOf[field] = names[n]
      end
    end
  end
  return tier
end

-- Takes the entry of a field out of its bucket, if it has one: its record is written instead.
local function takeOut(tier, field)
  local name = tier.bucketOf[field]
  if not name then return end
  local bucket = tier.buckets[name]
  local at = entryIn(bucket, field)
  tier.bucketOf[field] = nil
  tier.buckets[name] = string.sub(bucket, 1, at - 1) .. string.sub(bucket, at + entrySize)
  tier.changed[name] = true
end

-- Adds the buckets that have changed to what is written.
local function addChanged(tier, writes, written)
  for name in pairs(tier.changed) do
    writes[written + 1] = name
    writes[written + 2] = tier.buckets[name]
    written = written + 2
  end
  return written
end
