-- Hand-overs of users to the SuperTokens core behind this service (docs/adr/0039-hand-over.md).

create table hand_overs (
  hand_over_id uuid primary key,
  -- Name of the API key that started it.
  key_name text collate "C" not null,
  -- Each login method becomes a user of its own.
  unlinked boolean not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  undo_started_at timestamptz,
  undo_finished_at timestamptz,
  -- Number of users at the start.
  total_users bigint not null,
  -- Last user of whom it is known what became of them. Null: none yet.
  after_user_id uuid,
  -- Shows whether the configured secret is still the one that the placeholder password was derived from.
  secret_check bytea not null,
  -- Why it does not advance at the moment. Null: it does, or it has ended.
  problem text,
  -- Instance that works on it, and until when other instances leave it alone.
  claimed_by uuid,
  claimed_until timestamptz
);

-- What became of each login.
create table handed_over_logins (
  recipe_user_id uuid primary key,
  user_id uuid not null,
  hand_over_id uuid not null,
  -- Id in the core of the user with this login.
  core_id text collate "C" not null,
  -- sending: nobody knows yet whether the core has it. waiting: the core has it with a placeholder password. moved: the core
  -- knows the password, or there is none. changed: the password was changed in the core before the first sign-in, so that the
  -- old hash is void. refused: the core does not take it.
  state text collate "C" not null check (state in ('sending', 'waiting', 'moved', 'changed', 'refused')),
  -- The core has taken it into its stage. What became of it there is not known yet.
  is_staged boolean not null default false,
  -- Algorithm of the hash. Null: a login without a password.
  hash_algorithm text collate "C",
  -- Why the core refuses it.
  reason text,
  -- When it came into this state.
  state_since timestamptz not null default now(),
  -- Until when a sign-in, or a change of the password, works on it alone.
  locked_until timestamptz,
  -- The hash is void, and still to be removed here.
  hash_is_left boolean not null default false
);
create index handed_over_logins_by_state on handed_over_logins (hand_over_id, state, hash_algorithm);
create index handed_over_logins_of_user on handed_over_logins (user_id);
create index handed_over_logins_with_hash_left on handed_over_logins (recipe_user_id) where hash_is_left;
