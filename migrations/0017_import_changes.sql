-- One journal of imports (docs/adr/0065-one-import-engine.md): what each transaction of an import has changed of stored users,
-- as it was before, kept for a rollback for a configured time. A row has many changes, because writing a row for each took
-- as long as updating the users.
create table import_changes (
  id bigint generated always as identity primary key,
  import_id text collate "C" not null,
  -- Time of the transaction. The changed logins have the same time.
  written_at timestamptz not null,
  -- `values`: whether users are disabled, and their factors. `rows`: all other changes.
  kind text collate "C" not null check (kind in ('values', 'rows')),
  -- Number of times that a rollback has tried in vain to give users an address back that another user has.
  tries integer not null default 0,
  -- Up to a hundred changes, or ten if they have hashes to wrap, each as [part, user id, row id, before, after].
  -- part: table of the row. `states`: whether the user is disabled, which all logins have. `factors`: of the row in `users`.
  -- row id: recipe user id of a login, text of an alias, or id of the user.
  -- before: values of the changed columns, or of all if the row was removed. Null: the import has added the row.
  -- after: values that stay the same until somebody changes the row. Null: the import has removed the row.
  changes json not null,
  -- Upper bound of the number of hashes in `before` that wrap_weak_hashes may have to wrap. A hash without a class is of an
  -- early version, and may be broken.
  broken_hashes integer not null
);
-- Compressing them would take longer than writing them.
alter table import_changes alter column changes set storage external;
create index import_changes_of_import on import_changes (import_id, kind, tries, written_at);
create index import_changes_by_time on import_changes (written_at);
create index import_changes_with_broken_hash on import_changes (id) where broken_hashes > 0;

-- Changes of the former tables, while `adopt_former_journal` packs them. Otherwise empty.
create unlogged table former_changes (
  import_id text collate "C" not null,
  user_id uuid not null,
  part text collate "C" not null,
  row_id text collate "C" not null,
  before jsonb,
  after jsonb,
  tries integer not null default 0,
  written_at timestamptz not null
);

-- Moves what an earlier version has kept for rollbacks into `import_changes`. Instances of that version may still run after this
-- migration, write more, and roll imports back. So the service calls it for an import whose rollback begins, and for all others
-- (null) again and again, which does nothing until the migration is a day old. Imports whose rollback has begun are left for a
-- day to the instance that carries it out.
create function adopt_former_journal(of_import text) returns void language plpgsql set timezone to 'UTC' set jit to off as $$
declare
  imports_to_adopt text[];
  -- Users of these imports: on Citus, joins of tables of the coordinator with tables of users then read only these.
  of_users uuid[];
begin
  if of_import is null and not exists (
    select from schema_migrations where version = 17 and applied_at < now() - interval '1 day') then
    return;
  end if;
  if not exists (select 1 from replaced_hashes limit 1) and not exists (select 1 from replaced_emails limit 1)
    and not exists (select 1 from replaced_states limit 1) and not exists (select 1 from replaced_factors limit 1)
    and not exists (select 1 from replaced_users limit 1) then
    return;
  end if;
  -- In the order in which that version writes them.
  lock table replaced_hashes, replaced_emails, replaced_users, replaced_rows, replaced_passwords, replaced_states,
    replaced_factors in exclusive mode;
  imports_to_adopt := array(
    select import_id from imports
    where case when of_import is null then coalesce(rolled_back_at < now() - interval '1 day', true)
      else import_id = of_import end);
  of_users := array(select user_id from replaced_users where import_id = any (imports_to_adopt));

  insert into former_changes (import_id, user_id, part, row_id, before, after, written_at)
  select kept.import_id, coalesce(login.user_id, kept.recipe_user_id), 'password_logins', kept.recipe_user_id::text,
    jsonb_build_object('password_hash', kept.password_hash, 'hash_algorithm', kept.hash_algorithm,
      'hash_secret_id', kept.hash_secret_id, 'hash_class', kept.hash_class, 'no_hash', kept.no_hash,
      'hash_set_at', kept.hash_set_at, 'hash_set_by', kept.hash_set_by, 'imported_fingerprint', kept.imported_fingerprint),
    jsonb_build_object('email', kept.email, 'hash_set_at', kept.written_at), kept.written_at
  from replaced_hashes kept
    left join password_logins login on login.email = kept.email and login.recipe_user_id = kept.recipe_user_id
  where kept.import_id = any (imports_to_adopt);
  delete from replaced_hashes where import_id = any (imports_to_adopt);

  insert into former_changes (import_id, user_id, part, row_id, before, after, written_at)
  select kept.import_id, coalesce(login.user_id, kept.recipe_user_id), 'third_party_logins', kept.recipe_user_id::text,
    jsonb_build_object('email', kept.email, 'verified_emails', kept.verified_emails, 'changed_at', kept.changed_at),
    jsonb_build_object('third_party_id', kept.third_party_id, 'third_party_user_id', kept.third_party_user_id,
      'changed_at', kept.written_at),
    kept.written_at
  from replaced_emails kept
    left join third_party_logins login on login.third_party_user_id = kept.third_party_user_id
      and login.third_party_id = kept.third_party_id and login.recipe_user_id = kept.recipe_user_id
  where kept.import_id = any (imports_to_adopt);
  delete from replaced_emails where import_id = any (imports_to_adopt);

  insert into former_changes (import_id, user_id, part, row_id, before, after, written_at)
  select import_id, user_id, 'states', user_id::text,
    jsonb_build_object('disabled', disabled, 'state_set_at', state_set_at, 'state_by_call', state_by_call),
    jsonb_build_object('state_set_at', written_at), written_at
  from replaced_states where import_id = any (imports_to_adopt);
  delete from replaced_states where import_id = any (imports_to_adopt);

  insert into former_changes (import_id, user_id, part, row_id, before, after, written_at)
  select import_id, user_id, 'factors', user_id::text,
    jsonb_build_object('factors', factors, 'factors_set_at', factors_set_at),
    jsonb_build_object('factors_set_at', written_at), written_at
  from replaced_factors where import_id = any (imports_to_adopt);
  delete from replaced_factors where import_id = any (imports_to_adopt);

  -- Tables that were filled a moment ago have no statistics, and neither has Citus about what it joins here. PostgreSQL would
  -- compare each row of the journal with each of the users.
  perform set_config('enable_nestloop', 'off', true);
  perform set_config('enable_mergejoin', 'off', true);

  -- Rows of users whom an import found by external id, or removed. A row that the import only named is kept as well, because
  -- nobody may have used the login since. The hash must not have been set after the change (`<=`). A login without a hash has
  -- no row in `replaced_passwords`.
  insert into former_changes (import_id, user_id, part, row_id, before, after, tries, written_at)
  select kept.import_id, kept.user_id, kept.table_name,
    case when kept.table_name = 'third_party_logins'
      then coalesce(kept.content ->> 'recipe_user_id', third_party.recipe_user_id::text, removed.recipe_user_id, kept.row_key)
      else kept.row_key end,
    case
      when kept.content @> '{"isAdded": true}' then null
      when of_user.is_removed then kept.content || hash.columns
      when kept.table_name = 'users' then kept.content - '{factors,factors_set_at}'::text[]
      else (kept.content || hash.columns) - '{disabled,state_set_at,state_by_call}'::text[]
    end,
    case
      when of_user.is_removed then null
      when kept.table_name = 'users' then '{}'
      when kept.table_name = 'password_logins' then jsonb_build_object('changed_at', of_user.written_at, 'hash_set_at', '<=')
      else jsonb_build_object('changed_at', of_user.written_at)
    end,
    of_user.tries, of_user.written_at
  from replaced_rows kept
    join replaced_users of_user on of_user.import_id = kept.import_id and of_user.user_id = kept.user_id
    left join replaced_passwords password on kept.table_name = 'password_logins' and password.import_id = kept.import_id
      and password.recipe_user_id = kept.row_key
    cross join lateral (
      select case when kept.table_name = 'password_logins' then jsonb_build_object('password_hash', password.password_hash,
        'hash_algorithm', password.hash_algorithm, 'hash_secret_id', password.hash_secret_id,
        'hash_class', password.hash_class, 'imported_fingerprint', password.imported_fingerprint) else '{}' end as columns
    ) hash
    left join third_party_logins third_party on kept.table_name = 'third_party_logins' and third_party.user_id = any (of_users)
      and third_party.user_id = kept.user_id and jsonb_build_array(third_party.third_party_id, third_party.third_party_user_id)::text = kept.row_key
    left join (
      select distinct on (user_id, row_key) user_id, row_key, content ->> 'recipe_user_id' as recipe_user_id from replaced_rows
      where table_name = 'third_party_logins' and content ? 'recipe_user_id'
    ) removed on kept.table_name = 'third_party_logins' and removed.user_id = kept.user_id and removed.row_key = kept.row_key
  where kept.import_id = any (imports_to_adopt);

  -- Ids of logins that the import has added, which that version removed with their login. A later import may have removed them.
  insert into former_changes (import_id, user_id, part, row_id, after, tries, written_at)
  select added.import_id, added.user_id, 'user_aliases', alias, '{}', added.tries, added.written_at
  from former_changes added
    join (
      select user_id, alias, recipe_user_id::text from user_aliases where user_id = any (of_users)
      union select user_id, row_key, content ->> 'recipe_user_id' from replaced_rows where table_name = 'user_aliases'
    ) named on named.user_id = added.user_id and named.recipe_user_id = added.row_id
    join replaced_rows kept on kept.import_id = added.import_id and kept.user_id = added.user_id
      and kept.table_name = added.part and kept.content @> '{"isAdded": true}'
  where added.import_id = any (imports_to_adopt) and added.before is null and added.part in ('password_logins', 'third_party_logins')
  group by 1, 2, 4, 6, 7;
  delete from replaced_rows where import_id = any (imports_to_adopt);
  delete from replaced_passwords where import_id = any (imports_to_adopt);
  delete from replaced_users where import_id = any (imports_to_adopt);

  insert into import_changes (import_id, written_at, kind, tries, changes, broken_hashes)
  select import_id, written_at, kind, tries, json_agg(json_build_array(part, user_id, row_id, before, after)),
    case when is_broken then count(*) else 0 end
  from (
    select *, (row_number() over (partition by import_id, written_at, kind, tries, is_broken) - 1)
      / case when is_broken then 10 else 100 end as pack
    from (
      select *, case when part in ('states', 'factors') then 'values' else 'rows' end as kind,
        before ->> 'password_hash' is not null and coalesce(before ->> 'hash_class', 'broken') = 'broken' as is_broken
      from former_changes
    ) changes
  ) packed
  group by import_id, written_at, kind, tries, is_broken, pack;
  delete from former_changes;
end $$;

-- An instance of an earlier version does not see `import_changes`. If it carries out a rollback, it must not mark it as finished
-- while changes are left: no later rollback would undo them.
create function refuse_end_of_rollback() returns trigger language plpgsql as $$
begin
  if exists (select from import_changes where import_id = new.import_id) then
    raise exception 'the rollback of % is not finished: repeat it at an instance of the newest version', new.import_id;
  end if;
  return new;
end $$;
create trigger refuse_end_of_rollback before update of rollback_finished_at on imports for each row
when (old.rollback_finished_at is null and new.rollback_finished_at is not null)
execute function refuse_end_of_rollback();
