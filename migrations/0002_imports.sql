-- Bulk imports: what they did, so that they can be looked at, resumed and undone. docs/adr/0008 to 0011 say why.

-- When something of the login other than its hash was last changed here, or a login beside it was removed; null: not
-- since it was created. Signing in and a new hash are told by columns of their own.
alter table password_logins add column changed_at timestamptz;
alter table third_party_logins add column changed_at timestamptz;

-- Rows that come without a word of it come by bulk import.
alter table password_logins alter column hash_set_by set default 'import';

create table imports (
  import_id text collate "C" primary key,
  -- The name of the api-key it was begun with.
  key_name text collate "C" not null,
  dry_run boolean not null,
  on_conflict text collate "C" not null check (on_conflict in ('update-unchanged', 'overwrite', 'skip', 'fail')),
  started_at timestamptz not null default now(),
  -- Null: it is running, or broke off and can be resumed.
  finished_at timestamptz,
  -- How long it ran, over all resumes.
  active_ms bigint not null default 0,
  -- Who runs it. Whoever resumes it takes it over, and what the one before still has in hand is refused.
  owner uuid not null,
  -- Every line before this one is done.
  next_line bigint not null default 1,
  -- Lines by outcome, and logins written by algorithm: {"created": 2, …} and {"bcrypt": 2, …}.
  outcomes jsonb not null default '{}',
  algorithms jsonb not null default '{}',
  -- When its rollback began, which ends the import, and when that came to the end.
  rolled_back_at timestamptz,
  rollback_finished_at timestamptz,
  -- What the rollback did so far: {"usersRemoved": 2, …}.
  rollback jsonb,
  -- Since when some of what it did is on record no more, so that it can be neither resumed nor rolled back.
  expired_at timestamptz
);
create index imports_by_start on imports (started_at, import_id);

-- Lines that are done: some thousands a row, so that remembering them costs next to nothing.
create table import_chunks (
  import_id text collate "C" not null,
  first_line bigint not null,
  lines integer not null,
  -- Eight bytes a line: does a resumed stream hold the same line here?
  digests bytea not null,
  -- The users this chunk created have the ids from this one on (src/imports/chunk-ids.ts).
  first_user_id uuid not null,
  last_user_id uuid not null,
  -- Of the lines that did more or less than create one user: [[place, outcome], …].
  outcomes jsonb not null,
  -- The transaction's time, which the rows it wrote carry too.
  written_at timestamptz not null default now(),
  primary key (import_id, first_line)
);
-- Digests do not compress.
alter table import_chunks alter column digests set storage external;
create index import_chunks_by_time on import_chunks (written_at);

-- What an import replaced, kept for its rollback for a configured time.
create table replaced_hashes (
  import_id text collate "C" not null,
  email text collate "C" not null,
  recipe_user_id uuid not null,
  password_hash text collate "C" not null,
  hash_algorithm text collate "C" not null,
  hash_set_at timestamptz not null,
  hash_set_by text collate "C" not null,
  written_at timestamptz not null default now(),
  primary key (import_id, email)
);
create index replaced_hashes_by_time on replaced_hashes (written_at);

create table replaced_emails (
  import_id text collate "C" not null,
  third_party_id text collate "C" not null,
  third_party_user_id text collate "C" not null,
  recipe_user_id uuid not null,
  email text collate "C" not null,
  verified_emails text[] collate "C",
  changed_at timestamptz,
  written_at timestamptz not null default now(),
  primary key (import_id, third_party_user_id, third_party_id)
);
create index replaced_emails_by_time on replaced_emails (written_at);

-- Every change of a hash, without any hash.
create table hash_changes (
  id bigint generated always as identity primary key,
  recipe_user_id uuid not null,
  changed_at timestamptz not null default now(),
  changed_by text collate "C" not null check (changed_by in ('import', 'user', 'rehash', 'rollback')),
  -- The bulk import, or rollback of one, that changed it.
  import_id text collate "C",
  hash_algorithm text collate "C" not null
);
create index hash_changes_by_login on hash_changes (recipe_user_id);

-- Users that wait to be imported in the background, and those that could not be.
create table staged_users (
  -- Version 7, so in the order in which they came.
  id uuid primary key,
  status text collate "C" not null default 'NEW' check (status in ('NEW', 'PROCESSING', 'FAILED')),
  error_message text,
  -- What a listing may show: the form without passwords and hashes.
  user_form jsonb not null,
  -- By place of the login method: {"algorithm": …, "encoded": …}, or null. Empty once the user has failed.
  hashes jsonb not null,
  form_bytes integer not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  attempts integer not null default 0,
  -- By whom it is taken up while it is PROCESSING, and when others may think that they are dead.
  claimed_by uuid,
  claimed_until timestamptz
);
create index staged_users_by_status on staged_users (status, id);
