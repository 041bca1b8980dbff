-- OnlyOnce, schema 1, PostgreSQL. Text is for display only where it says so; times are milliseconds since 1970.

CREATE TABLE IF NOT EXISTS {claim} (
  scope       text COLLATE "C" NOT NULL,
  k           bytea    NOT NULL,           -- the bytes of the key, at most 1,024
  token       bigint   NOT NULL,
  state       smallint NOT NULL,           -- 1 claimed, 2 done, 3 failed, 4 released
  attempt     integer  NOT NULL,
  lapse       smallint NOT NULL,           -- 1 take, 2 park
  request     bigint   NOT NULL,           -- of the claim
  stamp       bigint   NOT NULL,           -- of the statement that wrote last
  expected    bigint,                      -- the token that the claim expected, if any
  until_ms    bigint   NOT NULL,           -- claimed: end of the lease; released: not before
  expires_ms  bigint   NOT NULL,           -- settled: reads as absent from then on
  created_ms  bigint   NOT NULL,
  updated_ms  bigint   NOT NULL,
  fingerprint bytea,
  result_kind smallint NOT NULL,           -- 0 none, 1 value, 2 not kept
  result_type bytea,                       -- UTF-8
  result      bytea,
  checkpoint  bytea,
  owner       text     NOT NULL,           -- for display
  key_text    text     NOT NULL,           -- for display
  PRIMARY KEY (scope, k)
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS {position} (
  consumer text COLLATE "C" NOT NULL,
  source   bytea  NOT NULL,                -- UTF-8
  epoch    bigint NOT NULL,
  next     bigint NOT NULL,
  PRIMARY KEY (consumer, source)
);

CREATE TABLE IF NOT EXISTS {meta} (
  id          smallint PRIMARY KEY CHECK (id = 1),
  version     integer NOT NULL,
  token_floor bigint  NOT NULL             -- no token that was forgotten is larger
);

INSERT INTO {meta} (id, version, token_floor)
  SELECT 1, 1, 0 WHERE NOT EXISTS (SELECT 1 FROM {meta});
