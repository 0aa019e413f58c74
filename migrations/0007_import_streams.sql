-- Marks that tell whether a resumed import sends the same lines, sealed with an API key (docs/adr/0031-marks-of-lines.md). Null:
-- recorded by a version before this one.
alter table import_chunks add column line_marks bytea;
-- Sealed bytes do not compress.
alter table import_chunks alter column line_marks set storage external;

-- The digests before were not keyed, and lines may hold passwords in plain text. A change of the type writes the table anew,
-- so that the files of the old one, and with them the digests, are removed at once. Imports that left digests cannot be resumed;
-- they can be rolled back.
alter table import_chunks alter column digests drop not null;
alter table import_chunks alter column digests type bytea using null::bytea;
-- Instances of the version before may still write some until they are restarted; each instance of this one clears them.
create index import_chunks_with_digests on import_chunks (import_id) where digests is not null;

-- What the lines of dry runs would have made of users, so that the lines after them see it. A dry run holds no transaction open
-- while nothing arrives. Unlogged: a crash empties both tables, and the dry run, which finds its session gone, says so and ends.
create unlogged table dry_run_sessions (
  session bigint primary key,
  -- When the last chunk was decided. One whose instance was killed is removed after a while.
  used_at timestamptz not null default now()
);
create unlogged table dry_run_logins (
  session bigint not null,
  kind text collate "C" not null,
  key text collate "C" not null,
  state text not null,
  primary key (session, key, kind)
);
