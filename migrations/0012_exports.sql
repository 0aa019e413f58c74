-- Exports of all users, with their hashes (docs/adr/0045-export.md): who took them, when, and how many.

create table exports (
  export_id uuid primary key,
  -- Name of the API key.
  key_name text collate "C" not null,
  started_at timestamptz not null default now(),
  -- Null: it is running, or its instance was killed.
  ended_at timestamptz,
  -- Number of users that were sent. Null unless all were.
  users bigint,
  -- SHA-256 of all lines. Null unless all were sent.
  sha256 bytea
);
