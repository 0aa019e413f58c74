-- Imports that find users by their external id (docs/adr/0042-matching-by-external-id.md).

alter table imports add column match_by text collate "C" not null default 'login' check (match_by in ('login', 'externalId'));
-- System or installation that the lines come from, whose external ids they have. Null: it has no name.
alter table imports add column source text collate "C";
-- The command line derived the ids of its imports from the name of the system.
update imports set source = substring(import_id from '^([!-~]+)-[0-9a-f]{20}(?:[.-].*)?$') where not dry_run;

-- When an import last changed the login, if it found the user by the external id. Otherwise `changed_at` is of a change made here.
alter table password_logins add column changed_by_import_at timestamptz;

-- Which import created a user is asked by the id of the user.
create index import_chunks_by_first_user on import_chunks (first_user_id);
-- Ids of users whose chunks are no longer on record.
create table import_user_ranges (
  first_user_id uuid not null,
  last_user_id uuid not null,
  import_id text collate "C" not null,
  primary key (first_user_id, import_id)
);

-- Users whom an import changed or removed, as they were before, kept for its rollback for a configured time.
create table replaced_users (
  import_id text collate "C" not null,
  user_id uuid not null,
  is_removed boolean not null,
  -- Number of times that a rollback has tried in vain to put the user back.
  tries integer not null default 0,
  -- Time of the change, which the logins that it changed have as `changed_at`.
  written_at timestamptz not null,
  primary key (import_id, user_id)
);
create index replaced_users_by_order on replaced_users (import_id, tries, written_at);
create index replaced_users_by_time on replaced_users (written_at);

-- Their rows, as JSON.
create table replaced_rows (
  import_id text collate "C" not null,
  user_id uuid not null,
  table_name text collate "C" not null,
  row_key text collate "C" not null,
  -- Without the hash of a password login, which is in `replaced_passwords`.
  content jsonb not null,
  written_at timestamptz not null,
  primary key (import_id, user_id, table_name, row_key)
);
create index replaced_rows_by_time on replaced_rows (written_at);

create table replaced_passwords (
  import_id text collate "C" not null,
  recipe_user_id text collate "C" not null,
  user_id uuid not null,
  password_hash text collate "C" not null,
  hash_algorithm text collate "C" not null,
  hash_secret_id text collate "C",
  hash_class text collate "C",
  imported_fingerprint bytea,
  written_at timestamptz not null,
  primary key (import_id, recipe_user_id)
);
create index replaced_passwords_by_time on replaced_passwords (written_at);
create index replaced_passwords_of_user on replaced_passwords (import_id, user_id);

-- Maximum number of users that the import may remove because the export no longer has them. Null: it removes none.
alter table imports add column delete_missing bigint;
-- What became of them: {"found": 3, "removed": 2, "kept": 1, "isDone": true}.
alter table imports add column missing jsonb;
