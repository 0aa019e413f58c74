-- Logins whose passwords an identity provider knows, because a hook said that they match (docs/password-hooks.md). A login with a
-- hash and without a row here waits.
create table moved_logins (
  recipe_user_id uuid primary key,
  user_id uuid not null,
  -- moved: a password matched. changed: the user has another password at the provider. gone: the hash was deleted, some time
  -- after the last match.
  state text collate "C" not null check (state in ('moved', 'changed', 'gone')),
  -- When the first password matched, or was changed.
  moved_at timestamptz not null default now(),
  last_match_at timestamptz,
  -- Number of passwords that matched. The provider asks again if it has not stored the first.
  matches integer not null default 0,
  -- API key and hook of the first match, or of the change.
  key_name text collate "C" not null,
  hook text collate "C" not null,
  hash_algorithm text collate "C"
);
create index moved_logins_of_user on moved_logins (user_id);
create index moved_logins_with_hash on moved_logins (last_match_at) where state = 'moved';
