-- A user, and the ways it signs in. docs/adr/0002-schema.md says why the tables are cut like this.
--
-- time_joined_ms is what the wire carries and what paging orders by, so it is kept as that exact integer.
-- No foreign keys: users and logins are written together, in one statement, and only in src/db
-- (docs/adr/0003-foreign-keys.md has what they would cost).

create table users (
  user_id uuid primary key,
  time_joined_ms bigint not null,
  metadata jsonb
);
create index users_by_time_joined on users (time_joined_ms, user_id desc);

-- Pages are left with room for an update: the first sign-in after an import then stays on its page (HOT).
--
-- The "C" collation makes e-mails compare by byte: no locale of the server can change which are equal,
-- prefix search can use the key, and comparing costs least.
create table password_logins (
  email text collate "C" primary key,
  user_id uuid not null,
  recipe_user_id uuid not null,
  time_joined_ms bigint not null,
  -- Its user has other logins, or a login of it has an external id. False: this row is all there is to say of the user,
  -- so that signing in reads nothing else.
  linked boolean not null default false,
  -- Every address of this login that was ever marked verified; null: none was.
  verified_emails text[] collate "C",
  password_hash text collate "C" not null,
  hash_algorithm text collate "C" not null,
  hash_set_at timestamptz not null default now(),
  hash_set_by text collate "C" not null check (hash_set_by in ('import', 'user', 'rehash')),
  -- To the day (docs/adr/0004-last-sign-in.md); null: not since the user came here.
  last_sign_in_at timestamptz
) with (fillfactor = 90);
create index password_logins_by_user on password_logins (user_id);

create table third_party_logins (
  third_party_id text collate "C" not null,
  third_party_user_id text collate "C" not null,
  email text collate "C" not null,
  user_id uuid not null,
  recipe_user_id uuid not null,
  time_joined_ms bigint not null,
  linked boolean not null default false,
  verified_emails text[] collate "C",
  last_sign_in_at timestamptz,
  primary key (third_party_user_id, third_party_id)
) with (fillfactor = 90);
create index third_party_logins_by_user on third_party_logins (user_id);
create index third_party_logins_by_email on third_party_logins (email);

-- Ids, beside its own, under which a user is found: the id of a login method of a user that has several,
-- and the id its former system knew it by. Users with one login and no other id have no row here.
create table user_aliases (
  alias text collate "C" primary key,
  kind text collate "C" not null check (kind in ('recipe_user', 'external')),
  user_id uuid not null,
  recipe_user_id uuid not null
);
create index user_aliases_by_user on user_aliases (user_id);
