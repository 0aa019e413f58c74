-- Disabled users, and second factors, roles and phone numbers that are kept for the next system
-- (docs/adr/0041-users-who-were-left-behind.md).

-- Whether the user is disabled: no login of the user signs in then. All logins of a user have the same values, so that a
-- sign-in reads nothing but its login. state_set_at is the time of the last change, null if there was none since the user was
-- created. state_by_call says that PUT /recipe/user/disabled made the last change, and not an import.
alter table password_logins
  add column disabled boolean not null default false,
  add column state_set_at timestamptz,
  add column state_by_call boolean not null default false;
alter table third_party_logins
  add column disabled boolean not null default false,
  add column state_set_at timestamptz,
  add column state_by_call boolean not null default false;

-- Encrypted (src/users/factor-vault.ts). factors_set_at: as state_set_at.
alter table users
  add column factors bytea,
  add column factors_set_at timestamptz;

-- The same of a staged user. Null for one without, and once the user has failed.
alter table staged_users add column factors bytea;

-- What an import replaced, kept for its rollback as replaced_hashes is.
create table replaced_states (
  import_id text collate "C" not null,
  user_id uuid not null,
  disabled boolean not null,
  state_set_at timestamptz,
  state_by_call boolean not null,
  written_at timestamptz not null default now(),
  primary key (import_id, user_id)
);
create index replaced_states_by_time on replaced_states (written_at);

create table replaced_factors (
  import_id text collate "C" not null,
  user_id uuid not null,
  factors bytea,
  factors_set_at timestamptz,
  written_at timestamptz not null default now(),
  primary key (import_id, user_id)
);
create index replaced_factors_by_time on replaced_factors (written_at);
