-- OnlyOnce, from schema 1 to schema 2, PostgreSQL.

CREATE TABLE IF NOT EXISTS {event} (
  scope       text COLLATE "C" NOT NULL,
  k           bytea    NOT NULL,
  token       bigint   NOT NULL,
  state       smallint NOT NULL,
  attempt     integer  NOT NULL,
  lapse       smallint NOT NULL,
  request     bigint   NOT NULL,
  stamp       bigint   NOT NULL,
  until_ms    bigint   NOT NULL,
  expires_ms  bigint   NOT NULL,
  created_ms  bigint   NOT NULL,
  updated_ms  bigint   NOT NULL,
  fingerprint bytea,
  result_kind smallint NOT NULL,
  result_type bytea,
  result      bytea,                       -- of a failed key: why
  owner       text     NOT NULL,
  PRIMARY KEY (scope, k, token, state)
);

CREATE INDEX IF NOT EXISTS {event}_updated ON {event} (updated_ms);

ALTER TABLE {meta} ADD COLUMN IF NOT EXISTS history_ms bigint DEFAULT 0 NOT NULL;

-- It names the new column, so that it fails where that is missing.
UPDATE {meta} SET version = 2, history_ms = 0 WHERE version = 1;
