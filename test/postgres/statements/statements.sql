-- Every statement that is sent, by the file and function that send it. Renew: npx vitest run test/postgres/statements -u

-- 
delete from moved_logins where recipe_user_id = $1;

-- 
select email, user_id, recipe_user_id, password_hash from password_logins
where password_hash is not null and not disabled order by email limit 1;

-- citus/citus.ts Object.lockRows (citus only)
select recipe_user_id, password_hash, hash_algorithm, disabled from password_logins login where email = any ($1) order by email for no key update of login;

-- citus/citus.ts Object.lockRows (citus only)
select row_to_json(login)::text as row from password_logins login where email = any ($1) order by email for no key update of login;

-- citus/citus.ts Object.lockRows (citus only)
select row_to_json(login)::text as row from third_party_logins login, unnest($1::text[], $2::text[]) as t (third_party_id, third_party_user_id) where login.third_party_id = t.third_party_id and login.third_party_user_id = t.third_party_user_id and login.third_party_user_id = any ($2) order by login.third_party_user_id, login.third_party_id for no key update of login;

-- citus/citus.ts Object.lockRows (citus only)
update password_logins login set linked = login.linked  where user_id = any ($1::uuid[]) returning login.linked;

-- citus/citus.ts Object.lockRows (citus only)
update third_party_logins login set linked = login.linked  where user_id = any ($1::uuid[]) returning login.linked;

-- citus/citus.ts Object.lockRows (citus only)
update users login set time_joined_ms = login.time_joined_ms  where user_id = any ($1::uuid[]) returning login.time_joined_ms;

-- citus/citus.ts Object.lockRows (citus only)
select recipe_user_id from password_logins login where user_id = any ($1::uuid[]);

-- citus/citus.ts Object.lockRows (citus only)
select row_to_json(login)::text as row from password_logins login where user_id = any ($1::uuid[]);

-- citus/citus.ts Object.lockRows (citus only)
select row_to_json(login)::text as row from third_party_logins login where user_id = any ($1::uuid[]);

-- citus/citus.ts Object.lockRows (citus only)
select row_to_json(login)::text as row from users login where user_id = any ($1::uuid[]);

-- citus/citus.ts Object.lockRows (citus only)
select user_id from password_logins login where user_id = any ($1::uuid[]);

-- citus/citus.ts Object.lockRows (citus only)
select user_id from third_party_logins login where user_id = any ($1::uuid[]);

-- citus/citus.ts Object.lockRows (citus only)
select user_id from users login where user_id = any ($1::uuid[]);

-- citus/citus.ts readChanging (citus only)
select id from unnest($1::text[]) id where not pg_try_advisory_xact_lock_shared(hashtextextended(id, 0));

-- citus/citus.ts Object.groupByShard (citus only)
select array_agg(place::int order by place) as places
from (
select place, get_shard_id_for_distribution_column($1::regclass, value) as part
from unnest($2::text[]) with ordinality as t (value, place)
) placed
group by part order by part;

-- citus/citus.ts Object.lockChange (citus only)
select pg_advisory_xact_lock_shared($1::bigint), pg_advisory_xact_lock(hashtextextended($2, 0));

-- citus/citus.ts Object.lockOutChanges (citus only)
select pg_advisory_xact_lock($1::bigint);

-- citus/citus.ts Object.prepareAllNodes (citus only)
update users set time_joined_ms = time_joined_ms where time_joined_ms is null;

-- citus/recognise-engine.ts assertCoordinator
select to_regclass('pg_catalog.pg_dist_local_group') is not null as found;

-- citus/users/citus-queries.ts (citus only)
insert into third_party_logins as login
(third_party_id, third_party_user_id, user_id, recipe_user_id, email, verified_emails, time_joined_ms, last_sign_in_at)
values ($2, $3, $4, $4, $5, $6::text[], $1, now())
on conflict (third_party_user_id, third_party_id) do update set
email = case when login.disabled then login.email else excluded.email end,
verified_emails = case
when login.disabled or excluded.verified_emails is null or excluded.email = any (login.verified_emails)
then login.verified_emails
else coalesce(login.verified_emails, '{}') || excluded.verified_emails
end,
last_sign_in_at = case when login.disabled then login.last_sign_in_at else excluded.last_sign_in_at end
returning third_party_id, third_party_user_id, user_id, recipe_user_id, linked, time_joined_ms, disabled,
coalesce(email = any (verified_emails), false) as verified, null as linked_user;

-- citus/users/citus-queries.ts insertUsers (citus only)
copy users (user_id, time_joined_ms) from stdin (format binary);

-- citus/users/gather-users.ts ask (citus only)
select user_id, recipe_user_id, alias, kind from user_aliases where user_id = any ($1::uuid[]);

-- citus/users/gather-users.ts ask (citus only)
select user_id, recipe_user_id, alias, kind from user_aliases where user_id = any ($1::uuid[]) limit 5001;

-- citus/users/gather-users.ts ask (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled from password_logins where user_id = any ($1::uuid[]);

-- citus/users/gather-users.ts ask (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled from password_logins where user_id = any ($1::uuid[]) limit 5001;

-- citus/users/gather-users.ts ask (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled, third_party_id, third_party_user_id from third_party_logins where user_id = any ($1::uuid[]);

-- citus/users/gather-users.ts ask (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled, third_party_id, third_party_user_id from third_party_logins where user_id = any ($1::uuid[]) limit 5001;

-- citus/users/gather-users.ts readOfUsers (citus only)
select user_id, time_joined_ms as value from users where user_id = $1;

-- citus/users/gather-users.ts readOfUsers (citus only)
select user_id, time_joined_ms as value from users where user_id = any ($1::uuid[]);

-- citus/users/gather-users.ts readOfUsers (citus only)
select user_id, xmin::text || ' ' || xmax::text as value from users where user_id = $1;

-- citus/users/gather-users.ts readOfUsers (citus only)
select user_id, xmin::text || ' ' || xmax::text as value from users where user_id = any ($1::uuid[]);

-- citus/users/user-pages.ts readPlaces (citus only)
select u.user_id, u.time_joined_ms from users u
order by u.time_joined_ms asc, u.user_id desc limit $1;

-- citus/users/user-pages.ts readPlaces (citus only)
select u.user_id, u.time_joined_ms from users u
order by u.time_joined_ms desc, u.user_id desc limit $1;

-- citus/users/user-pages.ts readPlaces (citus only)
select u.user_id, u.time_joined_ms from users u where false
order by u.time_joined_ms desc, u.user_id desc limit $1;

-- citus/users/user-pages.ts readPlaces (citus only)
select u.user_id, u.time_joined_ms from users u where u.time_joined_ms < $1
order by u.time_joined_ms desc, u.user_id desc limit $2;

-- citus/users/user-pages.ts readPlaces (citus only)
select u.user_id, u.time_joined_ms from users u where u.time_joined_ms = $1 and u.user_id <= $2
order by u.time_joined_ms asc, u.user_id desc limit $3;

-- citus/users/user-pages.ts readPlaces (citus only)
select u.user_id, u.time_joined_ms from users u where u.time_joined_ms = $1 and u.user_id <= $2
order by u.time_joined_ms desc, u.user_id desc limit $3;

-- citus/users/user-pages.ts readPlaces (citus only)
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in (
select user_id from ((select user_id, email from password_logins where email like $1 order by email limit 5001) union all (select user_id, email from third_party_logins where email like $1 order by email limit 5001) union all (select user_id, email from password_logins where email like $2 order by email limit 5001) union all (select user_id, email from third_party_logins where email like $2 order by email limit 5001)) logins
group by user_id order by min(email) limit $3
) offset 0
) met
order by time_joined_ms asc, user_id desc;

-- citus/users/user-pages.ts readPlaces (citus only)
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in (
select user_id from ((select user_id, email from third_party_logins where email like $2 and (third_party_id like $1) order by email limit 5001)) logins
group by user_id order by min(email) limit $3
) offset 0
) met
order by time_joined_ms asc, user_id desc;

-- citus/users/user-pages.ts countFitting (citus only)
select user_id, count(*)::int as ids from user_aliases
where user_id = any ($1::uuid[]) group by user_id;

-- citus/users/user-pages.ts findLogins (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled, third_party_id, third_party_user_id from third_party_logins where email = $1 limit 5001;

-- citus/users/user-pages.ts findLogins (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled from password_logins where email = $1 limit 5001;

-- citus/users/user-pages.ts findLogins (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled, third_party_id, third_party_user_id from third_party_logins where third_party_user_id = $1 and third_party_id = $2;

-- citus/users/user-pages.ts areFew (citus only)
select count(*)::int as count from (select 1 from third_party_logins limit 20001) some_of_them;

-- citus/users/user-pages.ts walkToRecipe (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled from password_logins where user_id = any ($1::uuid[]);

-- citus/users/user-pages.ts walkToRecipe (citus only)
select user_id, recipe_user_id, email,
coalesce(email = any (verified_emails), false) as verified, time_joined_ms, linked, disabled, third_party_id, third_party_user_id from third_party_logins where user_id = any ($1::uuid[]);

-- citus/users/user-pages.ts countOfRecipe (citus only)
with own as materialized (select count(*) as users from password_logins where recipe_user_id = user_id),
others as materialized (select distinct user_id from password_logins where recipe_user_id <> user_id),
met as materialized (
select count(*) as users from password_logins
where recipe_user_id = user_id and user_id = any (array(select user_id from others))
)
select own.users + (select count(*) from others) - met.users as count from own, met;

-- citus/users/user-pages.ts countOfRecipe (citus only)
with own as materialized (select count(*) as users from third_party_logins where recipe_user_id = user_id),
others as materialized (select distinct user_id from third_party_logins where recipe_user_id <> user_id),
met as materialized (
select count(*) as users from third_party_logins
where recipe_user_id = user_id and user_id = any (array(select user_id from others))
)
select own.users + (select count(*) from others) - met.users as count from own, met;

-- client/connection.ts Connection.transaction
commit;

-- client/connection.ts Connection.transaction
rollback;

-- client/connection.ts Connection.#sendBegin (citus only)
set local enable_bitmapscan = off;

-- client/connection.ts Connection.#sendBegin (citus only)
set local enable_hashjoin = off;

-- client/connection.ts Connection.#sendBegin (citus only)
set local enable_mergejoin = off;

-- client/connection.ts Connection.#sendBegin (citus only)
set local enable_seqscan = off;

-- client/connection.ts Connection.#sendBegin (citus only)
set local idle_in_transaction_session_timeout = 10000;

-- client/connection.ts Connection.#sendBegin (citus only)
set local lock_timeout = 500;

-- client/connection.ts Connection.#sendBegin (citus only)
set local tcp_keepalives_count = 3;

-- client/connection.ts Connection.#sendBegin (citus only)
set local tcp_keepalives_idle = 10;

-- client/connection.ts Connection.#sendBegin (citus only)
set local tcp_keepalives_interval = 5;

-- client/connection.ts Connection.#sendBegin (citus only)
set local timezone = 'UTC';

-- client/connection.ts Connection.#sendBegin
begin;

-- client/connection.ts Connection.#sendBegin
begin isolation level read committed;

-- client/connection.ts Connection.#sendBegin (postgres only)
begin isolation level repeatable read read only; set local enable_hashjoin = off;

-- client/connection.ts Connection.#sendBegin (postgres only)
begin; set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3; set local timezone = 'UTC'; set local enable_seqscan = off; set local idle_in_transaction_session_timeout = 10000;

-- client/connection.ts Connection.#sendBegin (postgres only)
begin; set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3; set local timezone = 'UTC'; set local enable_seqscan = off; set local idle_in_transaction_session_timeout = 10000; set local enable_seqscan = off;

-- client/connection.ts Connection.#sendBegin (postgres only)
begin; set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3; set local timezone = 'UTC'; set local enable_seqscan = off; set local idle_in_transaction_session_timeout = 10000; set local lock_timeout = 500;

-- client/connection.ts Connection.#sendBegin (postgres only)
begin; set local tcp_keepalives_idle = 10; set local tcp_keepalives_interval = 5; set local tcp_keepalives_count = 3; set local timezone = 'UTC'; set local enable_seqscan = off; set local idle_in_transaction_session_timeout = 10000; set local lock_timeout = 500; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;

-- client/copy-snapshot.ts copyParts (postgres only)
copy (
with others as materialized (select o.user_id from password_logins o where o.linked and o.recipe_user_id <> o.user_id and o.user_id < '01890000-0000-7000-8000-000000000001' union all select o.user_id from third_party_logins o where o.linked and o.recipe_user_id <> o.user_id and o.user_id < '01890000-0000-7000-8000-000000000001')
select concat(case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end,
case when l.disabled then '{"disabled":true,' else '{' end,
'"externalUserId":' || to_json(a.alias) || ',',
'"userMetadata":' || u.metadata || ',', '"loginMethods":[{"recipeId":"emailpassword","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"passwordHash":' || to_json(l.password_hash),
case when l.password_hash is not null then ',"hashingAlgorithm":"' || l.hash_algorithm || '"' end,
case when l.password_hash is not null then ',"hashingSecretId":' || to_json(l.hash_secret_id) end,
case when l.password_hash is not null then '}]}'
when l.no_hash = 'waiting' then ',"legacySignIn":true}]}'
else ',"password":"unset"}]}' end)
from password_logins l
left join users u on u.user_id = l.user_id and u.user_id < '01890000-0000-7000-8000-000000000001'
left join user_aliases a on a.user_id = l.user_id and a.recipe_user_id = l.user_id and a.kind = 'external'
and a.user_id < '01890000-0000-7000-8000-000000000001'
where (not l.linked or l.recipe_user_id = l.user_id) and l.user_id < '01890000-0000-7000-8000-000000000001'
and not exists (select from others o where o.user_id = l.user_id)
union all
select concat(case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end,
case when l.disabled then '{"disabled":true,' else '{' end,
'"externalUserId":' || to_json(a.alias) || ',',
'"userMetadata":' || u.metadata || ',', '"loginMethods":[{"recipeId":"thirdparty","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"thirdPartyId":', to_json(l.third_party_id), ',"thirdPartyUserId":', to_json(l.third_party_user_id), '}]}')
from third_party_logins l
left join users u on u.user_id = l.user_id and u.user_id < '01890000-0000-7000-8000-000000000001'
left join user_aliases a on a.user_id = l.user_id and a.recipe_user_id = l.user_id and a.kind = 'external'
and a.user_id < '01890000-0000-7000-8000-000000000001'
where (not l.linked or l.recipe_user_id = l.user_id) and l.user_id < '01890000-0000-7000-8000-000000000001'
and not exists (select from others o where o.user_id = l.user_id)
union all
select concat(case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end,
case when m.disabled then '{"disabled":true,' else '{' end,
'"externalUserId":' || to_json(coalesce(of_user.alias, m.first_alias)) || ',',
'"userMetadata":' || u.metadata || ',', '"loginMethods":[', m.methods, ']}')
from (
select m.user_id,
string_agg(concat(m.method,
case when m.place = 1 and m.methods > 1 then ',"isPrimary":true' end,
case when m.place > 1 then ',"externalUserId":' || to_json(a.alias) end, '}'), ',' order by m.place) as methods,
bool_or(m.disabled) as disabled,
min(a.alias) filter (where m.place = 1) as first_alias
from (
select l.*, row_number() over (partition by l.user_id order by
l.recipe_user_id <> l.user_id, l.time_joined_ms, l.recipe, l.key collate "C") as place,
count(*) over (partition by l.user_id) as methods
from (
select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, 1 as recipe, l.email as key, concat('{"recipeId":"emailpassword","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"passwordHash":' || to_json(l.password_hash),
case when l.password_hash is not null then ',"hashingAlgorithm":"' || l.hash_algorithm || '"' end,
case when l.password_hash is not null then ',"hashingSecretId":' || to_json(l.hash_secret_id) end,
case when l.password_hash is not null then ''
when l.no_hash = 'waiting' then ',"legacySignIn":true'
else ',"password":"unset"' end) as method
from password_logins l where l.linked and l.user_id in (select user_id from others)
union all
select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, 2 as recipe, l.third_party_id || ' ' || l.third_party_user_id as key, concat('{"recipeId":"thirdparty","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"thirdPartyId":', to_json(l.third_party_id), ',"thirdPartyUserId":', to_json(l.third_party_user_id), '') as method
from third_party_logins l where l.linked and l.user_id in (select user_id from others)
) l
) m
left join user_aliases a on a.user_id = m.user_id and a.recipe_user_id = m.recipe_user_id and a.kind = 'external'
group by m.user_id
) m
left join users u on u.user_id = m.user_id
left join user_aliases of_user on of_user.user_id = m.user_id and of_user.recipe_user_id = m.user_id and of_user.kind = 'external'
) to stdout (format binary);

-- client/copy-snapshot.ts copyParts (postgres only)
copy (
with others as materialized (select o.user_id from password_logins o where o.linked and o.recipe_user_id <> o.user_id and o.user_id >= '01890000-0000-7000-8000-000000000001' union all select o.user_id from third_party_logins o where o.linked and o.recipe_user_id <> o.user_id and o.user_id >= '01890000-0000-7000-8000-000000000001')
select concat(case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end,
case when l.disabled then '{"disabled":true,' else '{' end,
'"externalUserId":' || to_json(a.alias) || ',',
'"userMetadata":' || u.metadata || ',', '"loginMethods":[{"recipeId":"emailpassword","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"passwordHash":' || to_json(l.password_hash),
case when l.password_hash is not null then ',"hashingAlgorithm":"' || l.hash_algorithm || '"' end,
case when l.password_hash is not null then ',"hashingSecretId":' || to_json(l.hash_secret_id) end,
case when l.password_hash is not null then '}]}'
when l.no_hash = 'waiting' then ',"legacySignIn":true}]}'
else ',"password":"unset"}]}' end)
from password_logins l
left join users u on u.user_id = l.user_id and u.user_id >= '01890000-0000-7000-8000-000000000001'
left join user_aliases a on a.user_id = l.user_id and a.recipe_user_id = l.user_id and a.kind = 'external'
and a.user_id >= '01890000-0000-7000-8000-000000000001'
where (not l.linked or l.recipe_user_id = l.user_id) and l.user_id >= '01890000-0000-7000-8000-000000000001'
and not exists (select from others o where o.user_id = l.user_id)
union all
select concat(case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end,
case when l.disabled then '{"disabled":true,' else '{' end,
'"externalUserId":' || to_json(a.alias) || ',',
'"userMetadata":' || u.metadata || ',', '"loginMethods":[{"recipeId":"thirdparty","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"thirdPartyId":', to_json(l.third_party_id), ',"thirdPartyUserId":', to_json(l.third_party_user_id), '}]}')
from third_party_logins l
left join users u on u.user_id = l.user_id and u.user_id >= '01890000-0000-7000-8000-000000000001'
left join user_aliases a on a.user_id = l.user_id and a.recipe_user_id = l.user_id and a.kind = 'external'
and a.user_id >= '01890000-0000-7000-8000-000000000001'
where (not l.linked or l.recipe_user_id = l.user_id) and l.user_id >= '01890000-0000-7000-8000-000000000001'
and not exists (select from others o where o.user_id = l.user_id)
union all
select concat(case when u.factors is not null then u.user_id || encode(u.factors, 'hex') end,
case when m.disabled then '{"disabled":true,' else '{' end,
'"externalUserId":' || to_json(coalesce(of_user.alias, m.first_alias)) || ',',
'"userMetadata":' || u.metadata || ',', '"loginMethods":[', m.methods, ']}')
from (
select m.user_id,
string_agg(concat(m.method,
case when m.place = 1 and m.methods > 1 then ',"isPrimary":true' end,
case when m.place > 1 then ',"externalUserId":' || to_json(a.alias) end, '}'), ',' order by m.place) as methods,
bool_or(m.disabled) as disabled,
min(a.alias) filter (where m.place = 1) as first_alias
from (
select l.*, row_number() over (partition by l.user_id order by
l.recipe_user_id <> l.user_id, l.time_joined_ms, l.recipe, l.key collate "C") as place,
count(*) over (partition by l.user_id) as methods
from (
select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, 1 as recipe, l.email as key, concat('{"recipeId":"emailpassword","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"passwordHash":' || to_json(l.password_hash),
case when l.password_hash is not null then ',"hashingAlgorithm":"' || l.hash_algorithm || '"' end,
case when l.password_hash is not null then ',"hashingSecretId":' || to_json(l.hash_secret_id) end,
case when l.password_hash is not null then ''
when l.no_hash = 'waiting' then ',"legacySignIn":true'
else ',"password":"unset"' end) as method
from password_logins l where l.linked and l.user_id in (select user_id from others)
union all
select l.user_id, l.recipe_user_id, l.time_joined_ms, l.disabled, 2 as recipe, l.third_party_id || ' ' || l.third_party_user_id as key, concat('{"recipeId":"thirdparty","email":', to_json(l.email),
case when l.email = any (l.verified_emails) then ',"isVerified":true,"timeJoinedInMSSinceEpoch":'
else ',"timeJoinedInMSSinceEpoch":' end, l.time_joined_ms,
',"thirdPartyId":', to_json(l.third_party_id), ',"thirdPartyUserId":', to_json(l.third_party_user_id), '') as method
from third_party_logins l where l.linked and l.user_id in (select user_id from others)
) l
) m
left join user_aliases a on a.user_id = m.user_id and a.recipe_user_id = m.recipe_user_id and a.kind = 'external'
group by m.user_id
) m
left join users u on u.user_id = m.user_id
left join user_aliases of_user on of_user.user_id = m.user_id and of_user.recipe_user_id = m.user_id and of_user.kind = 'external'
) to stdout (format binary);

-- client/copy-snapshot.ts (postgres only)
select pg_export_snapshot() as id;

-- client/engine.ts Object.lockRows (postgres only)
select recipe_user_id from password_logins login where user_id = any ($1::uuid[]) order by email for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select recipe_user_id, password_hash, hash_algorithm, disabled from password_logins login where email = any ($1) order by email for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select row_to_json(login)::text as row from password_logins login where email = any ($1) order by email for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select row_to_json(login)::text as row from password_logins login where user_id = any ($1::uuid[]) order by email for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select row_to_json(login)::text as row from third_party_logins login where user_id = any ($1::uuid[]) order by third_party_user_id, third_party_id for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select row_to_json(login)::text as row from third_party_logins login, unnest($1::text[], $2::text[]) as t (third_party_id, third_party_user_id) where login.third_party_id = t.third_party_id and login.third_party_user_id = t.third_party_user_id order by login.third_party_user_id, login.third_party_id for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select row_to_json(login)::text as row from users login where user_id = any ($1::uuid[]) order by user_id for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select user_id from password_logins login where user_id = any ($1::uuid[]) order by email for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select user_id from third_party_logins login where user_id = any ($1::uuid[]) order by third_party_user_id, third_party_id for no key update of login;

-- client/engine.ts Object.lockRows (postgres only)
select user_id from users login where user_id = any ($1::uuid[]) order by user_id for no key update of login;

-- client/wait-for-database.ts probe (postgres only)
select 1;

-- client/wait-for-database.ts probe (citus only)
select 1 from users limit 1;

-- hand-over/create-hand-over-store.ts run
delete from handed_over_logins where recipe_user_id = any ($1::uuid[]) and state in ('waiting', 'sending');

-- hand-over/create-hand-over-store.ts run
update hand_overs set after_user_id = $2 where hand_over_id = $1;

-- hand-over/create-hand-over-store.ts run
update hand_overs set claimed_by = null, claimed_until = null where claimed_by = $1;

-- hand-over/create-hand-over-store.ts run
update hand_overs set finished_at = now(), problem = null, claimed_by = null, claimed_until = null
where hand_over_id = $1 and finished_at is null;

-- hand-over/create-hand-over-store.ts run
update hand_overs set problem = $2 where hand_over_id = $1;

-- hand-over/create-hand-over-store.ts run
update hand_overs set undo_finished_at = now(), problem = null, claimed_by = null, claimed_until = null
where hand_over_id = $1;

-- hand-over/create-hand-over-store.ts run
update handed_over_logins set hash_is_left = false where recipe_user_id = $1;

-- hand-over/create-hand-over-store.ts run
update handed_over_logins set is_staged = true where recipe_user_id = any ($1::uuid[]);

-- hand-over/create-hand-over-store.ts run
update handed_over_logins set locked_until = null where recipe_user_id = $1;

-- hand-over/create-hand-over-store.ts isAny
select from handed_over_logins where core_id = $1 limit 1;

-- hand-over/create-hand-over-store.ts isAny
update hand_overs set undo_started_at = coalesce(undo_started_at, now()) where hand_over_id::text = $1
and undo_finished_at is null returning hand_over_id;

-- hand-over/create-hand-over-store.ts isAny
update handed_over_logins set locked_until = now() + $2 * interval '1 ms'
where recipe_user_id = $1 and state = 'waiting' and (locked_until is null or locked_until < now())
returning recipe_user_id;

-- hand-over/create-hand-over-store.ts isAny
update handed_over_logins set state = $2, state_since = now(), locked_until = null, hash_is_left = true
where recipe_user_id = $1 and state = 'waiting' returning recipe_user_id;

-- hand-over/create-hand-over-store.ts Object.count
select coalesce(hash_algorithm, no_hash) as algorithm, count(*) from password_logins
group by 1 order by count(*) desc, 1;

-- hand-over/create-hand-over-store.ts
lock table hand_overs in share row exclusive mode;

-- hand-over/create-hand-over-store.ts
select count(*) from users;

-- hand-over/create-hand-over-store.ts Object.sendingUsers
select distinct user_id from handed_over_logins
where hand_over_id = $1 and state = 'sending' and user_id > $2 order by user_id limit $3;

-- hand-over/create-hand-over-store.ts Object.forgetGone
select user_id, recipe_user_id from handed_over_logins where hand_over_id = $1 and state = 'sending';

-- hand-over/create-hand-over-store.ts Object.forgetGone
delete from handed_over_logins
where hand_over_id = $1 and state = 'sending' and recipe_user_id = any ($2::uuid[]);

-- hand-over/create-hand-over-store.ts Object.withHashLeft
select recipe_user_id from handed_over_logins where hash_is_left order by recipe_user_id limit $1;

-- hand-over/create-hand-over-store.ts read
insert into hand_overs (hand_over_id, key_name, unlinked, secret_check, total_users)
values ($1, $2, $3, $4, $5) returning hand_over_id as "handOverId", key_name as "keyName", unlinked, floor(extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
floor(extract(epoch from finished_at) * 1000)::float8 as "finishedAtMs", floor(extract(epoch from undo_started_at) * 1000)::float8 as "undoStartedAtMs",
floor(extract(epoch from undo_finished_at) * 1000)::float8 as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck";

-- hand-over/create-hand-over-store.ts read
select core_id as "coreId", coalesce(array_agg(recipe_user_id::text) filter (where state = 'waiting'), '{}') as waiting,
coalesce(array_agg(recipe_user_id::text) filter (where state = 'sending'), '{}') as sending
from handed_over_logins where hand_over_id = $1 and state in ('waiting', 'sending') group by core_id limit $2;

-- hand-over/create-hand-over-store.ts read
select count(*) filter (where get_byte(factors, 1) & 1 <> 0) as "totpDevices", count(*) filter (where get_byte(factors, 1) & 2 <> 0) as "userRoles", count(*) filter (where get_byte(factors, 1) & 4 <> 0) as "phoneNumbers"
from users where factors is not null;

-- hand-over/create-hand-over-store.ts read
select count(*) from (select user_id from (
select user_id from password_logins where linked union all select user_id from third_party_logins where linked
) logins group by user_id having count(*) > 1) linked;

-- hand-over/create-hand-over-store.ts read
select count(*) from handed_over_logins where hand_over_id = $1 and state = 'sending';

-- hand-over/create-hand-over-store.ts read
select count(*) from password_logins where disabled;

-- hand-over/create-hand-over-store.ts read
select count(*) from third_party_logins;

-- hand-over/create-hand-over-store.ts read
select count(*) from third_party_logins where disabled;

-- hand-over/create-hand-over-store.ts read
select count(*) from users;

-- hand-over/create-hand-over-store.ts read
select count(*)::float8 as waiting, count(*) filter (where hash_algorithm = 'unset')::float8 as unset
from handed_over_logins where hand_over_id in (select hand_over_id from hand_overs) and state = 'waiting';

-- hand-over/create-hand-over-store.ts read
select hand_over_id as "handOverId", key_name as "keyName", unlinked, floor(extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
floor(extract(epoch from finished_at) * 1000)::float8 as "finishedAtMs", floor(extract(epoch from undo_started_at) * 1000)::float8 as "undoStartedAtMs",
floor(extract(epoch from undo_finished_at) * 1000)::float8 as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck" from hand_overs order by hand_over_id desc limit $1;

-- hand-over/create-hand-over-store.ts read
select hand_over_id as "handOverId", key_name as "keyName", unlinked, floor(extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
floor(extract(epoch from finished_at) * 1000)::float8 as "finishedAtMs", floor(extract(epoch from undo_started_at) * 1000)::float8 as "undoStartedAtMs",
floor(extract(epoch from undo_finished_at) * 1000)::float8 as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck" from hand_overs order by hand_over_id desc limit 1;

-- hand-over/create-hand-over-store.ts read
select hand_over_id as "handOverId", key_name as "keyName", unlinked, floor(extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
floor(extract(epoch from finished_at) * 1000)::float8 as "finishedAtMs", floor(extract(epoch from undo_started_at) * 1000)::float8 as "undoStartedAtMs",
floor(extract(epoch from undo_finished_at) * 1000)::float8 as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck" from hand_overs where ((finished_at is null and undo_started_at is null) or (undo_started_at is not null and undo_finished_at is null)) order by hand_over_id desc limit 1;

-- hand-over/create-hand-over-store.ts read
select hand_over_id as "handOverId", key_name as "keyName", unlinked, floor(extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
floor(extract(epoch from finished_at) * 1000)::float8 as "finishedAtMs", floor(extract(epoch from undo_started_at) * 1000)::float8 as "undoStartedAtMs",
floor(extract(epoch from undo_finished_at) * 1000)::float8 as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck" from hand_overs where hand_over_id::text = $1;

-- hand-over/create-hand-over-store.ts read
select recipe_user_id as "recipeUserId", user_id as "userId", coalesce(reason, '') as reason from handed_over_logins
where hand_over_id = $1 and state = 'refused' and recipe_user_id > $2 order by recipe_user_id limit $3;

-- hand-over/create-hand-over-store.ts read
select recipe_user_id as "recipeUserId", user_id as "userId", hand_over_id as "handOverId", core_id as "coreId",
state, hash_algorithm as algorithm, reason from handed_over_logins where recipe_user_id = $1;

-- hand-over/create-hand-over-store.ts read
select state, hash_algorithm as algorithm, count(*)::float8 as logins from handed_over_logins where hand_over_id = $1
group by state, hash_algorithm order by state, hash_algorithm;

-- hand-over/create-hand-over-store.ts read
select to_char(state_since at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::float8 as logins
from handed_over_logins where hand_over_id = $1 and state = 'moved' group by 1 order by 1;

-- hand-over/create-hand-over-store.ts read
update hand_overs set claimed_by = $1, claimed_until = now() + $2 * interval '1 ms'
where hand_over_id = (
select hand_over_id from hand_overs where ((finished_at is null and undo_started_at is null) or (undo_started_at is not null and undo_finished_at is null)) order by hand_over_id desc limit 1 for update skip locked
) and (claimed_by = $1 or claimed_until is null or claimed_until < now())
returning hand_over_id as "handOverId", key_name as "keyName", unlinked, floor(extract(epoch from started_at) * 1000)::float8 as "startedAtMs",
floor(extract(epoch from finished_at) * 1000)::float8 as "finishedAtMs", floor(extract(epoch from undo_started_at) * 1000)::float8 as "undoStartedAtMs",
floor(extract(epoch from undo_finished_at) * 1000)::float8 as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck";

-- hand-over/create-hand-over-store.ts record
insert into handed_over_logins (recipe_user_id, user_id, hand_over_id, core_id, state, hash_algorithm, reason)
select t.recipe_user_id, t.user_id, $1, t.core_id, t.state, t.hash_algorithm, t.reason
from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
as t (recipe_user_id, user_id, core_id, state, hash_algorithm, reason)
order by t.recipe_user_id
on conflict (recipe_user_id) do update set user_id = excluded.user_id, hand_over_id = excluded.hand_over_id,
core_id = excluded.core_id, state = excluded.state, hash_algorithm = excluded.hash_algorithm,
reason = excluded.reason, state_since = now(), is_staged = false
where handed_over_logins.state in ('sending', 'refused');

-- hand-over/create-hand-over-store.ts readDeparting
select user_id, metadata, factors from users where user_id = $1;

-- hand-over/create-hand-over-store.ts readDeparting
select user_id, metadata, factors from users where user_id = any ($1::uuid[]) order by user_id;

-- hand-over/create-hand-over-store.ts readDeparting
select user_id, metadata, factors from users where user_id > coalesce((select after_user_id from hand_overs where hand_over_id = $2),
'00000000-0000-0000-0000-000000000000')
order by user_id limit $1;

-- hand-over/create-hand-over-store.ts readDeparting
select user_id, state, hand_over_id, is_staged from handed_over_logins where user_id = any ($1::uuid[]);

-- hand-over/create-hand-over-store.ts readDeparting
select recipe_user_id, password_hash, hash_algorithm, hash_secret_id, no_hash from password_logins
where user_id = any ($1::uuid[]);

-- hooks/create-moved-store.ts deleteHashes
update password_logins set password_hash = null, hash_algorithm = null, hash_secret_id = null, hash_class = null,
imported_fingerprint = null, no_hash = 'unset', hash_set_at = now()
where user_id = any ($1::uuid[]) and recipe_user_id = any ($2::uuid[]) and no_hash is null;

-- hooks/create-moved-store.ts Object.find
select state, extract(epoch from moved_at) * 1000 as moved_ms, extract(epoch from last_match_at) * 1000 as match_ms
from moved_logins where recipe_user_id = $1;

-- hooks/create-moved-store.ts
insert into moved_logins (recipe_user_id, user_id, state, last_match_at, matches, key_name, hook, hash_algorithm)
values ($1, $2, 'moved', now(), 1, $3, $4, $5)
on conflict (recipe_user_id) do update set last_match_at = now(), matches = moved_logins.matches + 1
where moved_logins.state = 'moved' returning recipe_user_id;

-- hooks/create-moved-store.ts
insert into moved_logins (recipe_user_id, user_id, state, key_name, hook, hash_algorithm)
values ($1, $2, 'changed', $3, $4, $5)
on conflict (recipe_user_id) do update set state = 'changed', moved_at = now();

-- hooks/create-moved-store.ts
select recipe_user_id, user_id from moved_logins where state = 'moved' and last_match_at < now() - $1 * interval '1 day' order by last_match_at limit 500;

-- hooks/create-moved-store.ts
update moved_logins set state = 'gone' where state = 'moved' and last_match_at < now() - $1 * interval '1 day' and recipe_user_id = any ($2::uuid[])
returning recipe_user_id, user_id;

-- hooks/create-moved-store.ts Object.progress
select count(*) from password_logins login
where no_hash is null and not exists (
select from (select recipe_user_id from moved_logins) moved
where moved.recipe_user_id = login.recipe_user_id);

-- hooks/create-moved-store.ts Object.progress
select key_name as "keyName", to_char(moved_at at time zone 'UTC', 'YYYY-MM-DD') as day,
coalesce(hash_algorithm, 'unknown') as algorithm, state, count(*)::int as logins,
sum(greatest(matches - 1, 0))::int as again
from moved_logins group by 1, 2, 3, 4 order by 2, 1, 3, 4;

-- hooks/create-moved-store.ts Object.importOf
select import_id from (select $1::uuid as id) owner
cross join lateral (
select * from (
(select import_id, first_user_id, last_user_id from import_chunks
where first_user_id <= owner.id order by first_user_id desc limit 1) union all
(select import_id, first_user_id, last_user_id from import_user_ranges
where first_user_id <= owner.id order by first_user_id desc limit 1)) chunks
order by first_user_id desc limit 1
) chunk
where last_user_id >= owner.id and right(owner.id::text, 7) = right(first_user_id::text, 7);

-- hooks/create-moved-store.ts Object.waiting
select email, hash_algorithm as algorithm, user_id, recipe_user_id from password_logins
where email > $1 and no_hash is null and not disabled order by email limit 5000;

-- imports/copy-people.ts createPeople
copy hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm) from stdin (format binary);

-- imports/copy-people.ts createPeople
copy import_changes (import_id, written_at, kind, tries, changes, broken_hashes) from stdin (format binary);

-- imports/copy-people.ts createPeople
copy password_logins (user_id, recipe_user_id, email, verified_emails, time_joined_ms, linked, disabled, password_hash, hash_algorithm, hash_secret_id, hash_class, no_hash) from stdin (format binary);

-- imports/copy-people.ts createPeople
copy third_party_logins (user_id, recipe_user_id, email, verified_emails, time_joined_ms, linked, disabled, third_party_id, third_party_user_id) from stdin (format binary);

-- imports/copy-people.ts createPeople
copy user_aliases (alias, kind, user_id, recipe_user_id) from stdin (format binary);

-- imports/copy-people.ts createPeople
copy users (user_id, time_joined_ms, metadata, factors) from stdin (format binary);

-- imports/create-import-store.ts
copy password_logins (user_id, recipe_user_id, email, verified_emails, time_joined_ms, linked, disabled, password_hash, hash_algorithm, hash_secret_id, hash_class, no_hash) from stdin (format binary);

-- imports/create-import-store.ts
copy third_party_logins (user_id, recipe_user_id, email, verified_emails, time_joined_ms, linked, disabled, third_party_id, third_party_user_id) from stdin (format binary);

-- imports/create-import-store.ts
copy user_aliases (alias, kind, user_id, recipe_user_id) from stdin (format binary);

-- imports/create-import-store.ts
copy users (user_id, time_joined_ms, metadata, factors) from stdin (format binary);

-- imports/dry-run-sink.ts
insert into dry_run_sessions (session) values ($1);

-- imports/dry-run-sink.ts DryRunSink.#assertKept
update dry_run_sessions set used_at = now() where session = $1 returning session;

-- imports/dry-run-sink.ts DryRunSink.#read
select kind, key, state from dry_run_logins where session = $1 and key = any ($2) and kind = any ($3);

-- imports/dry-run-sink.ts DryRunSink.#keep
insert into dry_run_logins (session, kind, key, state)
select $1::bigint, kind, key, state from unnest($2::text[], $3::text[], $4::text[]) as t (kind, key, state)
on conflict (session, key, kind) do update set state = excluded.state;

-- imports/dry-run-sink.ts
delete from dry_run_logins where ctid = any (array(
select ctid from dry_run_logins where session = $1 limit 10000)) returning session;

-- imports/dry-run-sink.ts forgetSession
delete from dry_run_sessions where session = $1;

-- imports/dry-run-sink.ts forgetLostSessions
select session from dry_run_sessions where used_at < now() - $1 * interval '1 ms' order by session;

-- imports/dry-run-sink.ts DryRunRows.writeIfNew
select exists (select from dry_run_logins where session = $1 and key = any ($2)) as met;

-- imports/dry-run-sink.ts DryRunRows.writeIfNew
copy dry_run_logins (session, kind, key, state) from stdin (format binary);

-- imports/import-records.ts beginImport
insert into imports as known (import_id, key_name, dry_run, on_conflict, owner, hashing_secret_id,
total_lines, match_by, source, delete_missing, trust_external_ids, name, updated_at, run_started_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now(), now())
on conflict (import_id) do update set owner = excluded.owner,
total_lines = coalesce(excluded.total_lines, known.total_lines), name = coalesce(excluded.name, known.name),
delete_missing = excluded.delete_missing, updated_at = now(), run_started_at = now(), finished_at = case when known.dry_run then null else known.finished_at end, active_ms = case when known.dry_run then 0 else known.active_ms + coalesce(
round(extract(epoch from greatest(known.updated_at - known.run_started_at, interval '0')) * 1000), 0)::bigint end, outcomes = case when known.dry_run then '{}' else known.outcomes end, failure_codes = case when known.dry_run then '{}' else known.failure_codes end, failures_expired_at = case when known.dry_run then null else known.failures_expired_at end, algorithms = case when known.dry_run then '{}' else known.algorithms end, classes = case when known.dry_run then '{}' else known.classes end
where known.dry_run = excluded.dry_run and known.on_conflict = excluded.on_conflict
and known.hashing_secret_id is not distinct from excluded.hashing_secret_id
and known.match_by = excluded.match_by and known.trust_external_ids = excluded.trust_external_ids
and (known.match_by = 'login' or known.source is not distinct from excluded.source)
and known.rolled_back_at is null and known.expired_at is null
returning next_line, outcomes, failure_codes, algorithms, classes, missing;

-- imports/import-records.ts beginImport
delete from import_failures
where import_id = $1 and exists (select from imports where import_id = $1 and owner = $2);

-- imports/import-records.ts whyNotBegun
select rolled_back_at, expired_at from imports where import_id = $1;

-- imports/import-records.ts recordChunk
with moved as (
update imports set next_line = $4, outcomes = $5, algorithms = $6, classes = $12, failure_codes = $13,
finished_at = null, updated_at = clock_timestamp()
where import_id = $1 and owner = $2 and next_line = $3 and rolled_back_at is null
returning import_id
), failed as (
insert into import_failures (import_id, last_line, code, count, lines)
select import_id, $4::bigint - 1, code, count, lines
from moved, jsonb_to_recordset($14) as f (code text, count integer, lines jsonb)
)
insert into import_chunks (import_id, first_line, lines, line_marks, first_user_id, last_user_id, outcomes)
select import_id, $3, $7, $8, $9, $10, $11 from moved returning import_id;

-- imports/import-records.ts recordChunk
with moved as (
update imports set next_line = $4, outcomes = $5, algorithms = $6, classes = $12, failure_codes = $13,
finished_at = null, updated_at = clock_timestamp()
where import_id = $1 and owner = $2 and next_line = $3 and rolled_back_at is null
returning import_id
), failed as (
insert into import_failures (import_id, last_line, code, count, lines)
select import_id, last_line, code, count(*), jsonb_agg(jsonb_build_array(line, message) order by line)
from (
select moved.import_id, code, line, message, coalesce((
select min(known.last_line) from import_failures known
where known.import_id = moved.import_id and known.last_line >= line), $4::bigint - 1) as last_line
from moved, jsonb_to_recordset($14) as f (code text, line bigint, message text)
) placed
group by import_id, last_line, code
on conflict (import_id, last_line, code) do update set
count = import_failures.count + excluded.count, lines = import_failures.lines || excluded.lines
)
insert into import_chunks (import_id, first_line, lines, line_marks, first_user_id, last_user_id, outcomes)
select import_id, -$3::bigint, $7, $8, $9, $10, $11 from moved returning import_id;

-- imports/import-records.ts recordDryRun
with moved as (
update imports set outcomes = $3, failure_codes = $4, updated_at = now()
where import_id = $1 and owner = $2
returning import_id
)
insert into import_failures (import_id, last_line, code, count, lines)
select import_id, $5::bigint, code, count, lines
from moved, jsonb_to_recordset($6) as f (code text, count integer, lines jsonb);

-- imports/import-records.ts recordDryRun
with moved as (
update imports set outcomes = $3, failure_codes = $4, updated_at = now()
where import_id = $1 and owner = $2
returning import_id
)
insert into import_failures (import_id, last_line, code, count, lines)
select import_id, last_line, code, count(*), jsonb_agg(jsonb_build_array(line, message) order by line)
from (
select moved.import_id, code, line, message, coalesce((
select min(known.last_line) from import_failures known
where known.import_id = moved.import_id and known.last_line >= line), $5::bigint) as last_line
from moved, jsonb_to_recordset($6) as f (code text, line bigint, message text)
) placed
group by import_id, last_line, code
on conflict (import_id, last_line, code) do update set
count = import_failures.count + excluded.count, lines = import_failures.lines || excluded.lines;

-- imports/import-records.ts recordedChunks
select first_line, lines, line_marks, first_user_id, outcomes from import_chunks
where import_id = $1 and first_line >= $2 order by first_line limit 1;

-- imports/import-records.ts settledOutcomes
select outcomes from import_chunks where import_id = $1 and first_line < 0;

-- imports/import-records.ts endImport
update imports set active_ms = active_ms + $3, finished_at = case when $4 then now() else finished_at end,
outcomes = coalesce($5, outcomes), algorithms = coalesce($6, algorithms), classes = coalesce($7, classes),
failure_codes = coalesce($8, failure_codes), updated_at = now(), run_started_at = null
where import_id = $1 and owner = $2;

-- imports/list-imports.ts listImports
select import_id, name, case
when rollback_finished_at is not null then 'ROLLED_BACK' when rolled_back_at is not null then 'ROLLBACK_UNFINISHED'
when finished_at is null then 'UNFINISHED' else 'FINISHED' end as status, key_name, dry_run, on_conflict, started_at, finished_at, rolled_back_at,
expired_at, match_by, source, trust_external_ids, delete_missing, missing, outcomes, algorithms, classes, rollback, hashing_secret_id,
updated_at, total_lines, failure_codes, run_started_at is not null as is_running,
case when active_ms > 0 or run_started_at is not null then known.active_ms + coalesce(
round(extract(epoch from greatest(known.updated_at - known.run_started_at, interval '0')) * 1000), 0)::bigint else coalesce((
select round(extract(epoch from written_at - known.started_at) * 1000) from import_chunks
where import_chunks.import_id = known.import_id order by first_line desc limit 1), 0) end as duration_ms from imports known
where ($2::text is null or (started_at, import_id) <= ((select started_at from imports where import_id = $2), $2))
and ($3::text is null or position(lower($3) in lower(concat_ws(' ', name, import_id, source))) > 0)
and ($4::text is null or case
when rollback_finished_at is not null then 'ROLLED_BACK' when rolled_back_at is not null then 'ROLLBACK_UNFINISHED'
when finished_at is null then 'UNFINISHED' else 'FINISHED' end = $4)
order by started_at desc, import_id desc limit $1;

-- imports/list-imports.ts findImport
select import_id, name, case
when rollback_finished_at is not null then 'ROLLED_BACK' when rolled_back_at is not null then 'ROLLBACK_UNFINISHED'
when finished_at is null then 'UNFINISHED' else 'FINISHED' end as status, key_name, dry_run, on_conflict, started_at, finished_at, rolled_back_at,
expired_at, match_by, source, trust_external_ids, delete_missing, missing, outcomes, algorithms, classes, rollback, hashing_secret_id,
updated_at, total_lines, failure_codes, run_started_at is not null as is_running,
case when active_ms > 0 or run_started_at is not null then known.active_ms + coalesce(
round(extract(epoch from greatest(known.updated_at - known.run_started_at, interval '0')) * 1000), 0)::bigint else coalesce((
select round(extract(epoch from written_at - known.started_at) * 1000) from import_chunks
where import_chunks.import_id = known.import_id order by first_line desc limit 1), 0) end as duration_ms from imports known where import_id = $1;

-- imports/list-imports.ts listFailures
with near as (
select last_line, code, count, lines from import_failures
where import_id = $1 and last_line >= $2
order by last_line fetch first ($3 + 1) rows with ties
), summed as (
select last_line, code, lines, count(*) over () > $3 as is_cut,
coalesce(sum(case when last_line > (select min(last_line) from near) then count end)
over (order by last_line groups between unbounded preceding and 1 preceding), 0) as lines_before
from near
)
select last_line, code, lines, is_cut from summed where lines_before <= $3 order by last_line;

-- imports/list-imports.ts listFailures
with near as (
select last_line, code, count, lines from import_failures
where import_id = $1 and last_line >= $2 and code = $4
order by last_line fetch first ($3 + 1) rows with ties
), summed as (
select last_line, code, lines, count(*) over () > $3 as is_cut,
coalesce(sum(case when last_line > (select min(last_line) from near) then count end)
over (order by last_line groups between unbounded preceding and 1 preceding), 0) as lines_before
from near
)
select last_line, code, lines, is_cut from summed where lines_before <= $3 order by last_line;

-- imports/list-imports.ts listFailures
select failures_expired_at is not null or coalesce((outcomes ->> 'failed')::bigint, 0) >
(select coalesce(sum(value::bigint), 0) from jsonb_each_text(failure_codes)) as is_expired
from imports where import_id = $1;

-- imports/missing-users.ts findByExternalIds
select user_id from user_aliases where alias = any ($1) and kind = 'external' and recipe_user_id = user_id;

-- imports/missing-users.ts earlierUsers
select first_user_id, last_user_id
from (
select import_id, first_user_id, last_user_id from import_chunks
union all select import_id, first_user_id, last_user_id from import_user_ranges
) chunk join imports using (import_id)
where source = $2 and import_id <> $1 and first_user_id > $3
and started_at <= (select started_at from imports where import_id = $1)
order by first_user_id limit 1;

-- imports/missing-users.ts earlierUsers
select user_id from users
where user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7);

-- imports/missing-users.ts readEarlier
select user_id, alias from user_aliases
where user_id = any ($1::uuid[]) and kind = 'external' and recipe_user_id = user_id
order by user_id;

-- imports/missing-users.ts
update imports set updated_at = now(), missing = jsonb_build_object(
'found', coalesce((missing ->> 'found')::bigint, 0), 'kept', coalesce((missing ->> 'kept')::bigint, 0),
'removed', coalesce((missing ->> 'removed')::bigint, 0) + $3::bigint, 'isDone', false)
where import_id = $1 and owner = $2 and rolled_back_at is null returning import_id;

-- imports/missing-users.ts
copy import_changes (import_id, written_at, kind, tries, changes, broken_hashes) from stdin (format binary);

-- imports/missing-users.ts recordMissing
update imports set missing = $3 where import_id = $1 and owner = $2;

-- imports/read-known.ts readOwners
select alias, user_id, recipe_user_id, kind = 'external' and user_id = recipe_user_id as is_person
from user_aliases where alias = any ($1)
union all select user_id::text, user_id, user_id, false from users where user_id = any ($2::uuid[]);

-- imports/read-known.ts readExternalIds
select user_id, alias from user_aliases
where user_id = any ($1::uuid[]) and kind = 'external' and recipe_user_id = user_id;

-- imports/read-known.ts readPersons
select user_id, time_joined_ms, case when $2 then factors end as factors, metadata
from users where user_id = any ($1::uuid[]);

-- imports/read-known.ts findSources
select id as user_id, source
from unnest($1::uuid[]) id
cross join lateral (
select * from (
(select import_id, first_user_id, last_user_id from import_chunks
where first_user_id <= id order by first_user_id desc limit 1) union all
(select import_id, first_user_id, last_user_id from import_user_ranges
where first_user_id <= id order by first_user_id desc limit 1)) chunks
order by first_user_id desc limit 1
) chunk
join imports using (import_id)
where last_user_id >= id and right(id::text, 7) = right(first_user_id::text, 7) and source is not null;

-- imports/rollback.ts beginRollback
update imports known set rolled_back_at = coalesce(rolled_back_at, now()), owner = $2,
active_ms = known.active_ms + coalesce(
round(extract(epoch from greatest(known.updated_at - known.run_started_at, interval '0')) * 1000), 0)::bigint, updated_at = now(), run_started_at = null
where import_id = $1 and not dry_run and rollback_finished_at is null and expired_at is null
returning import_id;

-- imports/rollback.ts rollBack
select match_by as "matchBy" from imports where import_id = $1;

-- imports/rollback.ts rollBack
update imports set rollback_finished_at = now(), updated_at = now()
where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null;

-- imports/rollback.ts lockRecord
select rollback from imports
where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null
for no key update;

-- imports/rollback.ts lockRecord (postgres only)
select rollback from imports
where import_id = $1 and rolled_back_at is not null and rollback_finished_at is null and expired_at is null
for no key update nowait;

-- imports/rollback.ts attemptStep
update imports set rollback = $2, updated_at = now() where import_id = $1;

-- imports/rollback.ts
select adopt_former_journal($1);

-- imports/rollback.ts removeCreated
select first_line, first_user_id, last_user_id from import_chunks
where import_id = $1 order by first_line limit 1;

-- imports/rollback.ts removeCreated
select user_id from password_logins
where user_id between $1 and $2 and (last_sign_in_at is not null or changed_at is not null
or (state_set_at is not null and not state_by_call) or hash_set_at <>
(select written_at from import_chunks where import_id = $3 and first_line = $4))
union
select user_id from third_party_logins
where user_id between $1 and $2 and (last_sign_in_at is not null or changed_at is not null
or (state_set_at is not null and not state_by_call));

-- imports/rollback.ts removeCreated
select user_id from handed_over_logins where user_id between $1 and $2 and state <> 'refused'
union select user_id from moved_logins where user_id between $1 and $2;

-- imports/rollback.ts removeCreated
with chunk as (
delete from import_chunks where import_id = $1 and first_line = $2 returning first_user_id, last_user_id, import_id
)
insert into import_user_ranges (first_user_id, last_user_id, import_id)
select * from chunk where $3 on conflict do nothing;

-- imports/rollback.ts count (postgres only)
with locked as (select user_id from password_logins login where user_id between $1 and $2 order by email for no key update of login) select count(*) from locked;

-- imports/rollback.ts count (postgres only)
with locked as (select user_id from third_party_logins login where user_id between $1 and $2 order by third_party_user_id, third_party_id for no key update of login) select count(*) from locked;

-- imports/rollback.ts count (postgres only)
with locked as (select user_id from users login where user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7) order by user_id for no key update of login) select count(*) from locked;

-- imports/rollback.ts count (citus only)
with locked as (update password_logins login set linked = login.linked  where user_id between $1 and $2 returning user_id) select count(*) from locked;

-- imports/rollback.ts count (citus only)
with locked as (update third_party_logins login set linked = login.linked  where user_id between $1 and $2 returning user_id) select count(*) from locked;

-- imports/rollback.ts count (citus only)
with locked as (update users login set time_joined_ms = login.time_joined_ms  where user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7) returning user_id) select count(*) from locked;

-- imports/rollback.ts count
with removed as (
delete from users where user_id between $1 and $2 and right(user_id::text, 7) = right($1::uuid::text, 7) and user_id <> all ($3::uuid[]) returning user_id
), p as (
delete from password_logins where user_id = any (array(table removed))
), t as (
delete from third_party_logins where user_id = any (array(table removed))
), a as (
delete from user_aliases where user_id = any (array(table removed))
)
select count(*) from removed;

-- imports/rollback.ts expireImports
update import_chunks set digests = null where digests is not null;

-- imports/rollback.ts expireImports
with expired as (
delete from import_changes where written_at < now() - $1 * interval '1 day'
and ctid = any (array(select ctid from import_changes where written_at < now() - $1 * interval '1 day' order by written_at limit 500))
returning import_id
),  marked as (
update imports set expired_at = now()
where import_id in (select import_id from expired) and expired_at is null
)
select count(*) from expired;

-- imports/rollback.ts expireImports
with expired as (
delete from import_chunks where written_at < now() - $1 * interval '1 day'
and ctid = any (array(select ctid from import_chunks where written_at < now() - $1 * interval '1 day' order by written_at limit 500))
returning import_id, first_user_id, last_user_id
),
ranges as (
insert into import_user_ranges (first_user_id, last_user_id, import_id)
select first_user_id, last_user_id, import_id from expired on conflict do nothing
), marked as (
update imports set expired_at = now()
where import_id in (select import_id from expired) and expired_at is null
)
select count(*) from expired;

-- imports/rollback.ts expireImports
with expired as (
delete from import_failures where written_at < now() - $1 * interval '1 day'
and ctid = any (array(select ctid from import_failures where written_at < now() - $1 * interval '1 day' order by written_at limit 500))
returning import_id
),  marked as (
update imports set failures_expired_at = now()
where import_id in (select import_id from expired) and failures_expired_at is null
)
select count(*) from expired;

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from password_logins login where email = any ($1);

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from password_logins login where user_id = any ($1::uuid[]);

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from third_party_logins login where user_id = any ($1::uuid[]);

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from third_party_logins login, unnest($1::text[], $2::text[]) as t (third_party_id, third_party_user_id) where login.third_party_id = t.third_party_id and login.third_party_user_id = t.third_party_user_id and login.third_party_user_id = any ($2);

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from user_aliases login where alias = any ($1);

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from user_aliases login where user_id = any ($1::uuid[]);

-- imports/stored-rows.ts read
select row_to_json(login)::text as row from users login where user_id = any ($1::uuid[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::text[], $2::text[], $3::uuid[]) as t (key_third_party_user_id, key_third_party_id, key_user_id))
update third_party_logins login set email = $4::text, verified_emails = case when $5::jsonb is not null then array(select jsonb_array_elements_text($5::jsonb)) end, changed_at = $6::timestamptz from incoming
where login.third_party_user_id = incoming.key_third_party_user_id and login.third_party_id = incoming.key_third_party_id and login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::text[], $2::text[], $3::uuid[]) as t (key_third_party_user_id, key_third_party_id, key_user_id))
update third_party_logins login set email = $4::text, verified_emails = case when $5::jsonb is not null then array(select jsonb_array_elements_text($5::jsonb)) end, changed_at = $6::timestamptz from incoming
where login.third_party_user_id = incoming.key_third_party_user_id and login.third_party_id = incoming.key_third_party_id and login.user_id = incoming.key_user_id
and login.third_party_user_id = any ($1::text[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::text[], $2::text[], $3::uuid[]) as t (key_third_party_user_id, key_third_party_id, key_user_id))
update third_party_logins login set email = $4::text, verified_emails = case when $5::jsonb is not null then array(select jsonb_array_elements_text($5::jsonb)) end, changed_at = $6::timestamptz, disabled = $7::boolean, state_set_at = $8::timestamptz, state_by_call = $9::boolean from incoming
where login.third_party_user_id = incoming.key_third_party_user_id and login.third_party_id = incoming.key_third_party_id and login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::text[], $2::text[], $3::uuid[]) as t (key_third_party_user_id, key_third_party_id, key_user_id))
update third_party_logins login set email = $4::text, verified_emails = case when $5::jsonb is not null then array(select jsonb_array_elements_text($5::jsonb)) end, changed_at = $6::timestamptz, disabled = $7::boolean, state_set_at = $8::timestamptz, state_by_call = $9::boolean from incoming
where login.third_party_user_id = incoming.key_third_party_user_id and login.third_party_id = incoming.key_third_party_id and login.user_id = incoming.key_user_id
and login.third_party_user_id = any ($1::text[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::text[], $2::text[], $3::uuid[], $4::text[]) as t (key_third_party_user_id, key_third_party_id, key_user_id, email))
update third_party_logins login set email = incoming.email, verified_emails = case when $5::jsonb is not null then array(select jsonb_array_elements_text($5::jsonb)) end, changed_at = $6::timestamptz from incoming
where login.third_party_user_id = incoming.key_third_party_user_id and login.third_party_id = incoming.key_third_party_id and login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::text[], $2::text[], $3::uuid[], $4::text[]) as t (key_third_party_user_id, key_third_party_id, key_user_id, email))
update third_party_logins login set email = incoming.email, verified_emails = case when $5::jsonb is not null then array(select jsonb_array_elements_text($5::jsonb)) end, changed_at = $6::timestamptz from incoming
where login.third_party_user_id = incoming.key_third_party_user_id and login.third_party_id = incoming.key_third_party_id and login.user_id = incoming.key_user_id
and login.third_party_user_id = any ($1::text[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::text[], $2::uuid[]) as t (key_email, key_user_id))
update password_logins login set password_hash = $3::text, hash_algorithm = $4::text, hash_secret_id = $5::text, hash_class = $6::text, no_hash = $7::text, hash_set_by = $8::text, imported_fingerprint = $9::bytea, hash_set_at = $10::timestamptz from incoming
where login.email = incoming.key_email and login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::text[], $2::uuid[]) as t (key_email, key_user_id))
update password_logins login set password_hash = $3::text, hash_algorithm = $4::text, hash_secret_id = $5::text, hash_class = $6::text, no_hash = $7::text, hash_set_by = $8::text, imported_fingerprint = $9::bytea, hash_set_at = $10::timestamptz from incoming
where login.email = incoming.key_email and login.user_id = incoming.key_user_id
and login.email = any ($1::text[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::text[], $2::uuid[]) as t (key_email, key_user_id))
update password_logins login set password_hash = $3::text, hash_algorithm = $4::text, hash_secret_id = $5::text, hash_class = $6::text, no_hash = $7::text, hash_set_by = $8::text, imported_fingerprint = $9::bytea, hash_set_at = $10::timestamptz, disabled = $11::boolean, state_set_at = $12::timestamptz, state_by_call = $13::boolean from incoming
where login.email = incoming.key_email and login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::text[], $2::uuid[]) as t (key_email, key_user_id))
update password_logins login set password_hash = $3::text, hash_algorithm = $4::text, hash_secret_id = $5::text, hash_class = $6::text, no_hash = $7::text, hash_set_by = $8::text, imported_fingerprint = $9::bytea, hash_set_at = $10::timestamptz, disabled = $11::boolean, state_set_at = $12::timestamptz, state_by_call = $13::boolean from incoming
where login.email = incoming.key_email and login.user_id = incoming.key_user_id
and login.email = any ($1::text[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::text[], $2::uuid[]) as t (key_email, key_user_id))
update password_logins login set password_hash = $3::text, hash_algorithm = $4::text, hash_secret_id = $5::text, hash_class = $6::text, no_hash = $7::text, hash_set_by = $8::text, imported_fingerprint = $9::bytea, hash_set_at = $10::timestamptz, verified_emails = case when $11::jsonb is not null then array(select jsonb_array_elements_text($11::jsonb)) end, changed_at = $12::timestamptz, changed_by_import_at = $13::timestamptz from incoming
where login.email = incoming.key_email and login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::text[], $2::uuid[]) as t (key_email, key_user_id))
update password_logins login set password_hash = $3::text, hash_algorithm = $4::text, hash_secret_id = $5::text, hash_class = $6::text, no_hash = $7::text, hash_set_by = $8::text, imported_fingerprint = $9::bytea, hash_set_at = $10::timestamptz, verified_emails = case when $11::jsonb is not null then array(select jsonb_array_elements_text($11::jsonb)) end, changed_at = $12::timestamptz, changed_by_import_at = $13::timestamptz from incoming
where login.email = incoming.key_email and login.user_id = incoming.key_user_id
and login.email = any ($1::text[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::uuid[]) as t (key_user_id))
update users login set factors = $2::bytea, factors_set_at = $3::timestamptz from incoming
where login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::uuid[]) as t (key_user_id))
update users login set factors = $2::bytea, factors_set_at = $3::timestamptz from incoming
where login.user_id = incoming.key_user_id
and login.user_id = any ($1::uuid[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::uuid[]) as t (key_user_id))
update users login set metadata = $2::text from incoming
where login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::uuid[]) as t (key_user_id))
update users login set metadata = $2::text from incoming
where login.user_id = incoming.key_user_id
and login.user_id = any ($1::uuid[]);

-- imports/stored-rows.ts updateRows (postgres only)
with incoming as (select * from unnest($1::uuid[]) as t (key_user_id))
update users login set metadata = $2::text, time_joined_ms = $3::bigint from incoming
where login.user_id = incoming.key_user_id;

-- imports/stored-rows.ts updateRows (citus only)
with incoming as (select * from unnest($1::uuid[]) as t (key_user_id))
update users login set metadata = $2::text, time_joined_ms = $3::bigint from incoming
where login.user_id = incoming.key_user_id
and login.user_id = any ($1::uuid[]);

-- imports/stored-rows.ts removeRows
delete from password_logins where email = any ($1::text[]);

-- imports/stored-rows.ts removeRows
delete from third_party_logins where third_party_user_id = any ($1::text[]) and (third_party_user_id, third_party_id) in (select * from unnest($1::text[], $2::text[]));

-- imports/stored-rows.ts removeRows
delete from user_aliases where alias = any ($1::text[]);

-- imports/stored-rows.ts removeRows
delete from users where user_id = any ($1::uuid[]);

-- imports/stored-rows.ts insertRows
insert into password_logins select filled.* from jsonb_populate_recordset(null::password_logins, $1::jsonb) filled;

-- imports/stored-rows.ts insertRows
insert into third_party_logins select filled.* from jsonb_populate_recordset(null::third_party_logins, $1::jsonb) filled;

-- imports/stored-rows.ts insertRows
insert into user_aliases select filled.* from jsonb_populate_recordset(null::user_aliases, $1::jsonb) filled;

-- imports/stored-rows.ts insertRows
insert into users select filled.* from jsonb_populate_recordset(null::users, $1::jsonb) filled;

-- imports/undo-changes.ts undoChanges
select tries, to_json(written_at) #>> '{}' as "writtenAt" from import_changes
where import_id = $1 and kind = $2 and tries =
(select min(tries) from import_changes where import_id = $1 and kind = $2 and tries < $3)
and written_at < $4::timestamptz
order by written_at desc limit 1;

-- imports/undo-changes.ts undoChanges
select changes from import_changes where import_id = $1 and kind = $2 and tries = $3 and written_at = $4::timestamptz order by id for update;

-- imports/undo-changes.ts undoChanges
delete from import_changes where import_id = $1 and kind = $2 and tries = $3 and written_at = $4::timestamptz returning id;

-- imports/undo-changes.ts undoChanges
copy import_changes (import_id, written_at, kind, tries, changes, broken_hashes) from stdin (format binary);

-- imports/undo-changes.ts recordRestored
copy hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm) from stdin (format binary);

-- migrate/apply-migrations.ts
select pid, application_name as application, state, extract(epoch from now() - xact_start)::int as seconds
from pg_stat_activity
where datname = current_database() and xact_start < now() - $1 * interval '1 ms' and pid <> pg_backend_pid()
order by xact_start limit 5;

-- migrate/apply-migrations.ts assertMigrated
select to_regclass('schema_migrations') is not null as found;

-- migrate/apply-migrations.ts takeStep
create table if not exists schema_migrations (
version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now());

-- migrate/apply-migrations.ts takeStep
set local lock_timeout = 800;

-- migrate/apply-migrations.ts takeStep
set local lock_timeout = 900;

-- migrate/apply-migrations.ts takeStep
insert into schema_migrations (version, name, checksum) values ($1, $2, $3);

-- migrate/apply-migrations.ts runOutside
select pg_cancel_backend(pid) from pg_stat_activity
where datname = current_database() and state = 'active' and query <> ''
and exists (select from unnest($1::text[]) as statement where starts_with(statement, query));

-- migrate/apply-migrations.ts runOutside
set local idle_in_transaction_session_timeout = 0;

-- migrate/apply-migrations.ts readHistory
select version, name, checksum from schema_migrations order by version;

-- migrate/apply-migrations.ts
select pg_try_advisory_xact_lock($1) as taken;

-- staged/create-staged-store.ts processNext
select from staged_users where status in ('NEW', 'PROCESSING') and (status = 'NEW' or status = 'PROCESSING' and claimed_until <= now()) limit 1;

-- staged/create-staged-store.ts lock
with due as (
select id, user_form, hashes, factors, form_bytes from staged_users
where status = 'NEW' and $1::uuid[] is null
order by id limit 1000 for update skip locked
), weighed as (
select *, sum(form_bytes) over (order by id) - form_bytes as before from due
)
select id, user_form as payload, hashes, factors from weighed where before < 8388608 order by id;

-- staged/create-staged-store.ts lock
with due as (
select id, user_form, hashes, factors, form_bytes from staged_users
where status = 'NEW' and id = any ($1::uuid[])
order by id limit 1000 for update skip locked
), weighed as (
select *, sum(form_bytes) over (order by id) - form_bytes as before from due
)
select id, user_form as payload, hashes, factors from weighed where before < 8388608 order by id;

-- staged/create-staged-store.ts importLocked
delete from staged_users where id = any ($1::uuid[]) and status <> 'FAILED';

-- staged/create-staged-store.ts markFailed
update staged_users set status = 'FAILED', error_message = failed.message, hashes = '[]', factors = null,
claimed_by = null, claimed_until = null, updated_at_ms = (extract(epoch from clock_timestamp()) * 1000)::bigint
from unnest($1::uuid[], $2::text[]) as failed (id, message)
where staged_users.id = failed.id and failed.message is not null;

-- staged/create-staged-store.ts
insert into staged_users (id, user_form, hashes, factors, form_bytes, created_at_ms, updated_at_ms)
select id, payload, hashes, factors, octet_length(payload), now_ms, now_ms
from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::bytea[]) as t (id, payload, hashes, factors),
(select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms) as clock;

-- staged/create-staged-store.ts Object.list
select id, status, error_message as "errorMessage", created_at_ms::float8 as "createdAtMs",
updated_at_ms::float8 as "updatedAtMs",
case when place = 1 or (place <= $3 and bytes <= $4) then user_form end as payload
from (
select *, row_number() over newest as place, sum(form_bytes) over newest as bytes
from (
select * from staged_users
where $1::text is null
and $2::uuid is null
order by id desc limit $3 + 1
) found
window newest as (order by id desc rows unbounded preceding)
) page
order by id desc;

-- staged/create-staged-store.ts Object.list
select id, status, error_message as "errorMessage", created_at_ms::float8 as "createdAtMs",
updated_at_ms::float8 as "updatedAtMs",
case when place = 1 or (place <= $3 and bytes <= $4) then user_form end as payload
from (
select *, row_number() over newest as place, sum(form_bytes) over newest as bytes
from (
select * from staged_users
where $1::text is null
and id <= $2
order by id desc limit $3 + 1
) found
window newest as (order by id desc rows unbounded preceding)
) page
order by id desc;

-- staged/create-staged-store.ts Object.list
select id, status, error_message as "errorMessage", created_at_ms::float8 as "createdAtMs",
updated_at_ms::float8 as "updatedAtMs",
case when place = 1 or (place <= $3 and bytes <= $4) then user_form end as payload
from (
select *, row_number() over newest as place, sum(form_bytes) over newest as bytes
from (
select * from staged_users
where status = $1
and $2::uuid is null
order by id desc limit $3 + 1
) found
window newest as (order by id desc rows unbounded preceding)
) page
order by id desc;

-- staged/create-staged-store.ts Object.list
select id, status, error_message as "errorMessage", created_at_ms::float8 as "createdAtMs",
updated_at_ms::float8 as "updatedAtMs",
case when place = 1 or (place <= $3 and bytes <= $4) then user_form end as payload
from (
select *, row_number() over newest as place, sum(form_bytes) over newest as bytes
from (
select * from staged_users
where status = $1
and id <= $2
order by id desc limit $3 + 1
) found
window newest as (order by id desc rows unbounded preceding)
) page
order by id desc;

-- staged/create-staged-store.ts Object.count
select count(*)::float8 as count from staged_users where $1::text is null or status = $1;

-- staged/create-staged-store.ts Object.remove
delete from staged_users where id = any ($1::uuid[]) returning id;

-- users/change-user.ts resolveId
select user_id from users where user_id = $1;

-- users/change-user.ts resolveId
select user_id, recipe_user_id from user_aliases where alias = $1;

-- users/change-user.ts readOfUser
select factors as value from users where user_id = $1;

-- users/change-user.ts readOfUser
select metadata as value from users where user_id = $1;

-- users/change-user.ts lockUser
select 1 from users where user_id = $1 for update;

-- users/change-user.ts
delete from handed_over_logins where user_id = $1 and state = 'refused';

-- users/change-user.ts
select from handed_over_logins where user_id = $1 limit 1;

-- users/change-user.ts
with clock as (select now() as now), of_password_logins as (
update password_logins login set disabled = $2, state_set_at = clock.now, state_by_call = true,
changed_at = case when login.disabled = $2 then login.changed_at else clock.now end
from clock where login.user_id = $1 returning login.user_id
),
of_third_party_logins as (
update third_party_logins login set disabled = $2, state_set_at = clock.now, state_by_call = true,
changed_at = case when login.disabled = $2 then login.changed_at else clock.now end
from clock where login.user_id = $1 returning login.user_id
)
select user_id from of_password_logins union select user_id from of_third_party_logins;

-- users/change-user.ts
with of_password_logins as (delete from password_logins where user_id = $1),
of_third_party_logins as (delete from third_party_logins where user_id = $1),
aliases as (delete from user_aliases where user_id = $1),
moved as (delete from moved_logins where user_id = $1)
delete from users where user_id = $1;

-- users/change-user.ts removeLoginMethod
with of_password_logins as (delete from password_logins where user_id = $1 and recipe_user_id = $2 returning user_id),
of_third_party_logins as (delete from third_party_logins where user_id = $1 and recipe_user_id = $2 returning user_id),
removed as (table of_password_logins union all table of_third_party_logins),
left_password_logins as (
update password_logins set changed_at = now()
where user_id = $1 and recipe_user_id <> $2 and exists (table removed)
),
left_third_party_logins as (
update third_party_logins set changed_at = now()
where user_id = $1 and recipe_user_id <> $2 and exists (table removed)
),
moved as (delete from moved_logins where recipe_user_id = $2)
delete from user_aliases where user_id = $1 and recipe_user_id = $2;

-- users/change-user.ts removeLoginMethod
select recipe_user_id from password_logins where user_id = $1
union all select recipe_user_id from third_party_logins where user_id = $1;

-- users/change-user.ts removeLoginMethod
with external as (select 1 from user_aliases where user_id = $1 and kind = 'external'), of_password_logins as (
update password_logins set recipe_user_id = $1, linked = exists (table external) where user_id = $1
),
of_third_party_logins as (
update third_party_logins set recipe_user_id = $1, linked = exists (table external) where user_id = $1
)
update user_aliases set recipe_user_id = $1 where user_id = $1;

-- users/change-user.ts removeLoginMethod
update users set time_joined_ms = (
select min(time_joined_ms) from (
select time_joined_ms from password_logins where user_id = $1
union all select time_joined_ms from third_party_logins where user_id = $1) methods)
where user_id = $1;

-- users/change-user.ts exchangeRecords
update handed_over_logins set hash_is_left = false where recipe_user_id = $1;

-- users/change-user.ts exchangeIds
select from handed_over_logins where recipe_user_id = any ($1::uuid[]) limit 1;

-- users/change-user.ts exchangeIds
select from moved_logins where recipe_user_id = any ($1::uuid[]) limit 1;

-- users/change-user.ts exchangeIds
update handed_over_logins set recipe_user_id = $2 where recipe_user_id = $1;

-- users/change-user.ts recordRemoved
insert into removed_addresses (digest) select unnest($1::bytea[]) on conflict do nothing;

-- users/change-user.ts isSettled
select 1 from third_party_logins where email = $1 and $1 = any (verified_emails) limit 1;

-- users/change-user.ts isSettled
select 1 from removed_addresses where digest = $1;

-- users/change-user.ts
with changed as (update password_logins set password_hash = $4, hash_algorithm = $5, hash_secret_id = $6, hash_class = $7, no_hash = null,
hash_set_at = now(), hash_set_by = 'moved-in', imported_fingerprint = null
where email = $1 and recipe_user_id = $2 and password_hash is not distinct from $3 and hash_set_by <> 'user'
and no_hash is distinct from 'unset' and not disabled and email_set_by is distinct from 'change' returning recipe_user_id, hash_algorithm)
insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
select recipe_user_id, 'moved-in', hash_algorithm from changed where true returning id;

-- users/change-user.ts
update password_logins set verified_emails = array_append(verified_emails, email)
where email = $1 and email <> all (coalesce(verified_emails, '{}'));

-- users/change-user.ts
insert into user_aliases (alias, kind, user_id, recipe_user_id) values ($1, 'external', $2, $2);

-- users/change-user.ts
update password_logins set linked = true where user_id = $1 and not linked;

-- users/change-user.ts
update third_party_logins set linked = true where user_id = $1 and not linked;

-- users/change-user.ts
update users set metadata = $2 where user_id = $1 and metadata is null;

-- users/change-user.ts ownerOf
select 1 from user_aliases where user_id = $1 and recipe_user_id = $1 and kind = 'external';

-- users/change-user.ts
select email from password_logins where user_id = $1 and recipe_user_id = $2;

-- users/change-user.ts
with changed as (update password_logins set password_hash = $2, hash_algorithm = $3, hash_secret_id = null, hash_class = $4,
no_hash = null, hash_set_at = now(), hash_set_by = 'user', imported_fingerprint = null
where email = $1 returning recipe_user_id, hash_algorithm)
insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
select recipe_user_id, 'user', hash_algorithm from changed where true returning id;

-- users/change-user.ts
with old as (delete from password_logins where email = $1 returning *)
insert into password_logins
(email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm, hash_secret_id,
hash_class, no_hash, imported_fingerprint, hash_set_at, hash_set_by, last_sign_in_at, disabled, state_set_at,
state_by_call, changed_by_import_at, changed_at, email_set_by)
select $2, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm, hash_secret_id,
hash_class, no_hash, imported_fingerprint, hash_set_at, hash_set_by, last_sign_in_at, disabled, state_set_at,
state_by_call, changed_by_import_at, now(), 'change' from old;

-- users/create-export-store.ts Object.partsOf (postgres only)
select percentile_disc(0.5) within group (order by user_id) as id
from users tablesample system (least(100, 100 * 100.0 * current_setting('block_size')::int
/ greatest(pg_relation_size('users'), 1)));

-- users/create-export-store.ts Object.begin
insert into exports (export_id, key_name) values ($1, $2);

-- users/create-export-store.ts Object.countFactorsByKey
select substring(factors from 3 for 8) as key_id, count(*) as users from users
where factors is not null group by 1;

-- users/create-export-store.ts Object.end
update exports set ended_at = now(), users = $2::bigint, sha256 = decode($3::text, 'hex') where export_id = $1;

-- users/create-user-store.ts Object.ping
select 1;

-- users/import-logins.ts readLastImport
select max(updated_at) as at from imports where not dry_run;

-- users/in-core.ts readStanding
select user_id, recipe_user_id, state from handed_over_logins
where user_id = any ($1::uuid[]) and state <> 'refused'
union all select user_id, recipe_user_id, null from moved_logins where user_id = any ($1::uuid[])
union all select null, null, to_json(statement_timestamp()) #>> '{}';

-- users/in-core.ts recordWaitingHashes
update handed_over_logins login set hash_algorithm = t.hash_algorithm
from unnest($1::uuid[], $2::text[]) as t (recipe_user_id, hash_algorithm)
where login.recipe_user_id = t.recipe_user_id and login.state = 'waiting';

-- users/password-logins.ts replaceHash
with changed as (update password_logins set
password_hash = $5, hash_algorithm = $6, hash_secret_id = $7, hash_class = $8, hash_set_at = now(),
hash_set_by = case when hash_set_by = 'user' then 'user' else 'rehash' end,
imported_fingerprint = case when hash_set_by = 'user' then null else coalesce(imported_fingerprint, decode($9, 'hex')) end
where email = $1 and recipe_user_id = $2 and password_hash = $3 and hash_algorithm = $4
and hash_secret_id is not distinct from $10 returning recipe_user_id, hash_algorithm)
insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
select recipe_user_id, 'rehash', hash_algorithm from changed where set_config('synchronous_commit', 'off', true) is not null returning id;

-- users/password-logins.ts createPasswordUser
with login as (
insert into password_logins
(email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_class, hash_set_by, email_set_by)
values ($1, $2, $2, $3, $4, $5, $6, 'user', 'sign-up') on conflict (email) do nothing
returning user_id, time_joined_ms
)
insert into users (user_id, time_joined_ms) select user_id, time_joined_ms from login returning user_id;

-- users/password-logins.ts findPasswordLogins
select email, recipe_user_id, password_hash, hash_algorithm, hash_secret_id, no_hash, hash_set_by, disabled,
email_set_by,
case when last_sign_in_at > hash_set_at then last_sign_in_at end as last_sign_in_at
from password_logins where email = any ($1);

-- users/password-logins.ts signedIn (postgres only)
select
login.email, login.user_id, login.recipe_user_id, login.time_joined_ms, login.linked,
coalesce(login.email = any (login.verified_emails), false) as verified from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[])
as verified (email, password_hash, recipe_user_id, hash_algorithm, hash_secret_id), password_logins login where
login.email = verified.email and login.password_hash = verified.password_hash
and login.recipe_user_id = verified.recipe_user_id and not login.disabled
and login.hash_algorithm = verified.hash_algorithm
and login.hash_secret_id is not distinct from verified.hash_secret_id;

-- users/password-logins.ts signedIn (citus only)
select
login.email, login.user_id, login.recipe_user_id, login.time_joined_ms, login.linked,
coalesce(login.email = any (login.verified_emails), false) as verified from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[])
as verified (email, password_hash, recipe_user_id, hash_algorithm, hash_secret_id), password_logins login where
login.email = verified.email and login.password_hash = verified.password_hash
and login.recipe_user_id = verified.recipe_user_id and not login.disabled
and login.hash_algorithm = verified.hash_algorithm
and login.hash_secret_id is not distinct from verified.hash_secret_id
and login.email = any ($1);

-- users/password-logins.ts signedIn (citus only)
with free as (
select login.email from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[])
as verified (email, password_hash, recipe_user_id, hash_algorithm, hash_secret_id), password_logins login where
login.email = verified.email and login.password_hash = verified.password_hash
and login.recipe_user_id = verified.recipe_user_id and not login.disabled
and login.hash_algorithm = verified.hash_algorithm
and login.hash_secret_id is not distinct from verified.hash_secret_id
and login.email = any ($1)
for no key update of login skip locked
)
update password_logins login set last_sign_in_at = now() from free
where login.email = free.email and login.email = any ($1) returning
login.email, login.user_id, login.recipe_user_id, login.time_joined_ms, login.linked,
coalesce(login.email = any (login.verified_emails), false) as verified;

-- users/password-logins.ts signedIn (postgres only)
with free as (
select login.email from unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[])
as verified (email, password_hash, recipe_user_id, hash_algorithm, hash_secret_id), password_logins login where
login.email = verified.email and login.password_hash = verified.password_hash
and login.recipe_user_id = verified.recipe_user_id and not login.disabled
and login.hash_algorithm = verified.hash_algorithm
and login.hash_secret_id is not distinct from verified.hash_secret_id
for no key update of login skip locked
)
update password_logins login set last_sign_in_at = now() from free
where login.email = free.email  returning
login.email, login.user_id, login.recipe_user_id, login.time_joined_ms, login.linked,
coalesce(login.email = any (login.verified_emails), false) as verified;

-- users/stored-hashes.ts sampleHashes (citus only)
select citus_relation_size('password_logins') as bytes;

-- users/stored-hashes.ts sampleHashes (postgres only)
select pg_relation_size('password_logins') as bytes;

-- users/stored-hashes.ts sampleHashes
select password_hash, hash_algorithm, hash_secret_id, count(*) over () / least(1, 300.0 * current_setting('block_size')::int / greatest(1, $1::bigint))::float8 as all_hashes
from password_logins tablesample system (100 * least(1, 300.0 * current_setting('block_size')::int / greatest(1, $1::bigint))::float8) where no_hash is null
order by random() limit $2;

-- users/stored-hashes.ts sampleHashes
select password_hash, hash_algorithm, hash_secret_id, 0::float8 as all_hashes
from password_logins where no_hash is null order by email limit $1;

-- users/stored-hashes.ts countHashes
with page as (
select email, hash_class, hash_set_by, no_hash,
case when hash_algorithm = 'wrapped' then 'wrapped ' || split_part(password_hash, '$', 3) else hash_algorithm end
as hash_algorithm,
hash_set_by in ('rehash', 'moved-in') or coalesce(last_sign_in_at > hash_set_at, false) as signed_in
from password_logins where email > $1 order by email limit $2
)
select hash_algorithm, no_hash, hash_class, hash_set_by, count(*)::int as logins,
count(*) filter (where signed_in)::int as signed_in,
max(max(email)) over () as last_email, sum(count(*)) over ()::int as page_logins
from page group by hash_algorithm, no_hash, hash_class, hash_set_by;

-- users/stored-hashes.ts add
select count(*)::int as logins from (
select 1 from password_logins where hash_secret_id between $2 and $2 order by hash_secret_id limit $1
) as counted;

-- users/stored-hashes.ts add
select count(*)::int as logins from (
select 1 from password_logins where hash_secret_id is null and hash_algorithm = 'external_scrypt' order by hash_secret_id limit $1
) as counted;

-- users/stored-hashes.ts countBySecret
select hash_secret_id as id from password_logins where hash_secret_id > $1 order by hash_secret_id limit 1;

-- users/user-pages.ts Object.countUsers (postgres only)
select count(*) from users u;

-- users/user-pages.ts Object.countUsers (postgres only)
select count(*) from users u where exists (select from password_logins l where l.user_id = u.user_id);

-- users/user-pages.ts Object.countUsers (postgres only)
select count(*) from users u where exists (select from third_party_logins l where l.user_id = u.user_id);

-- users/user-pages.ts Object.countUsers (postgres only)
select count(*) from users u where false;

-- users/user-pages.ts countUsers (citus only)
select count(*) from users u;

-- users/user-pages.ts countUsers (citus only)
select count(*) from users u where false;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (select user_id, time_joined_ms from users where user_id = any ($1::uuid[])) u;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in (
select user_id from ((select user_id, email from password_logins where email like $1 order by email limit 5001) union all (select user_id, email from third_party_logins where email like $1 order by email limit 5001) union all (select user_id, email from password_logins where email like $2 order by email limit 5001) union all (select user_id, email from third_party_logins where email like $2 order by email limit 5001)) logins
group by user_id order by min(email) limit $3
) offset 0
) met
order by time_joined_ms asc, user_id desc), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $4 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in (
select user_id from ((select user_id, email from third_party_logins where email like $2 and (third_party_id like $1) order by email limit 5001)) logins
group by user_id order by min(email) limit $3
) offset 0
) met
order by time_joined_ms asc, user_id desc), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $4 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in ((select user_id from password_logins where email = $1 union select user_id from third_party_logins where email = $1) intersect (select user_id from third_party_logins
where third_party_id = $2 and third_party_user_id = $3)) offset 0
) met
order by time_joined_ms asc, user_id desc limit $4), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $5 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in ((select user_id from password_logins where email = $1 union select user_id from third_party_logins where email = $1) union (select user_id from third_party_logins
where third_party_id = $2 and third_party_user_id = $3)) offset 0
) met
order by time_joined_ms asc, user_id desc limit $4), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $5 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in ((select user_id from password_logins where email = $1 union select user_id from third_party_logins where email = $1)) offset 0
) met
order by time_joined_ms asc, user_id desc limit $2), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $3 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (
select user_id, time_joined_ms from (
select u.user_id, u.time_joined_ms from users u where u.user_id in ((select user_id from third_party_logins
where third_party_id = $1 and third_party_user_id = $2)) offset 0
) met
order by time_joined_ms asc, user_id desc limit $3), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $4 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized ((select u.user_id, u.time_joined_ms from users u where exists (select from third_party_logins l where l.user_id = u.user_id) and u.time_joined_ms = $1 and u.user_id <= $2
order by u.time_joined_ms desc, u.user_id desc limit $3) union all (select u.user_id, u.time_joined_ms from users u where exists (select from third_party_logins l where l.user_id = u.user_id) and u.time_joined_ms < $4
order by u.time_joined_ms desc, u.user_id desc limit $5) order by time_joined_ms desc, user_id desc limit $6), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms desc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $7 and logins <= 5000)) u order by time_joined_ms desc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized ((select u.user_id, u.time_joined_ms from users u where u.time_joined_ms = $1 and u.user_id <= $2
order by u.time_joined_ms asc, u.user_id desc limit $3) union all (select u.user_id, u.time_joined_ms from users u where u.time_joined_ms > $4
order by u.time_joined_ms asc, u.user_id desc limit $5) order by time_joined_ms asc, user_id desc limit $6), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $7 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized ((select u.user_id, u.time_joined_ms from users u where u.time_joined_ms = $1 and u.user_id <= $2
order by u.time_joined_ms desc, u.user_id desc limit $3) union all (select u.user_id, u.time_joined_ms from users u where u.time_joined_ms < $4
order by u.time_joined_ms desc, u.user_id desc limit $5) order by time_joined_ms desc, user_id desc limit $6), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms desc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $7 and logins <= 5000)) u order by time_joined_ms desc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (select u.user_id, u.time_joined_ms from users u
order by u.time_joined_ms asc, u.user_id desc limit $1), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms asc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $2 and logins <= 5000)) u order by time_joined_ms asc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (select u.user_id, u.time_joined_ms from users u
order by u.time_joined_ms desc, u.user_id desc limit $1), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms desc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $2 and logins <= 5000)) u order by time_joined_ms desc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (select u.user_id, u.time_joined_ms from users u where exists (select from password_logins l where l.user_id = u.user_id)
order by u.time_joined_ms desc, u.user_id desc limit $1), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms desc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $2 and logins <= 5000)) u order by time_joined_ms desc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (select u.user_id, u.time_joined_ms from users u where exists (select from third_party_logins l where l.user_id = u.user_id)
order by u.time_joined_ms desc, u.user_id desc limit $1), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms desc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $2 and logins <= 5000)) u order by time_joined_ms desc, user_id desc;

-- users/user-row.ts readPage (postgres only)
select u.*, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from (with found as materialized (select u.user_id, u.time_joined_ms from users u where false
order by u.time_joined_ms desc, u.user_id desc limit $1), further as materialized (
select user_id, count(*) as ids from user_aliases
where user_id = any (array(select user_id from found)) group by user_id
)
select user_id, time_joined_ms, next_user_id, next_time_joined_ms
from (
select user_id, time_joined_ms, row_number() over page as place,
lead(user_id) over page as next_user_id, lead(time_joined_ms) over page as next_time_joined_ms,
sum(1 + coalesce(ids, 0)) over page as logins
from found left join further using (user_id)
window page as (order by time_joined_ms desc, user_id desc rows unbounded preceding)
) placed
where place = 1 or (place <= $2 and logins <= 5000)) u order by time_joined_ms desc, user_id desc;

-- users/wrap-weak.ts Object.endOfPage
select email::text as id from (
select email from password_logins where true and email > $1 order by email limit 5000
) page order by page.email desc limit 1;

-- users/wrap-weak.ts Object.endOfPage
select id::text as id from (
select id from import_changes where broken_hashes > 0 and id > $1 order by id limit 50
) page order by page.id desc limit 1;

-- users/wrap-weak.ts Object.findBroken
select array[email::text] as key, password_hash as password_hash,
hash_algorithm as hash_algorithm, hash_secret_id as hash_secret_id
from password_logins
where true and email >= $1 and (email) > ($1) and email <= $2
and (hash_class = 'broken'
or (hash_class is null and hash_algorithm = any ($3)))
order by email limit 50;

-- users/wrap-weak.ts Object.findBroken
select array[id::text, number::text] as key, change #>> '{3,password_hash}' as password_hash,
change #>> '{3,hash_algorithm}' as hash_algorithm, change #>> '{3,hash_secret_id}' as hash_secret_id
from import_changes cross join lateral (
select change, ordinality - 1 as number from json_array_elements(changes) with ordinality as t (change, ordinality)
) change_of
where broken_hashes > 0 and change #>> '{3,password_hash}' is not null
and coalesce(change #>> '{3,hash_class}', 'broken') = 'broken' and id >= $1 and (id, number) > ($1, $2) and id <= $3
and (change #>> '{3,hash_class}' = 'broken'
or (change #>> '{3,hash_class}' is null and change #>> '{3,hash_algorithm}' = any ($4)))
order by id, number limit 50;

-- users/wrap-weak.ts Object.isStillKept
select 1 from import_changes cross join lateral (
select change, ordinality - 1 as number from json_array_elements(changes) with ordinality as t (change, ordinality)
) change_of where broken_hashes > 0 and change #>> '{3,password_hash}' is not null
and coalesce(change #>> '{3,hash_class}', 'broken') = 'broken' and (id, number) = ($1, $2)
and change #>> '{3,password_hash}' = $3 and change #>> '{3,hash_algorithm}' = $4;

-- users/wrap-weak.ts Object.isStillKept
select 1 from password_logins  where true and (email) = ($1)
and password_hash = $2 and hash_algorithm = $3;

-- users/wrap-weak.ts Object.wrap
with wrapped as (
update import_changes set broken_hashes = broken_hashes - 1, changes = jsonb_set(changes::jsonb, array[$6, '3'],
(changes #> array[$6, '3'])::jsonb || jsonb_build_object(
'password_hash', $1::text, 'hash_algorithm', $2::text, 'hash_class', $3::text,
'imported_fingerprint', coalesce(changes #>> array[$6, '3', 'imported_fingerprint'], decode($4, 'hex')::text)))::json
where id = $5 and changes #>> array[$6, '3', 'password_hash'] = $7 and changes #>> array[$6, '3', 'hash_algorithm'] = $8
returning id
)
select 1 from wrapped where set_config('synchronous_commit', 'off', true) is not null;

-- users/wrap-weak.ts Object.wrap
with wrapped as (
update password_logins set
password_hash = $1, hash_algorithm = $2, hash_class = $3,
imported_fingerprint = coalesce(imported_fingerprint, decode($4, 'hex'))
where true and (email) = ($5)
and password_hash = $6 and hash_algorithm = $7 returning recipe_user_id, hash_algorithm
)
insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
select recipe_user_id, 'wrap', hash_algorithm from wrapped where set_config('synchronous_commit', 'off', true) is not null returning id;

-- users/write-sign-ins.ts Object.writeSignIns (postgres only)
with incoming as (
select * from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::uuid[])
as t (third_party_id, third_party_user_id, email, verified, user_id)
), kept as (
insert into third_party_logins as login
(third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, verified_emails, last_sign_in_at)
select third_party_id, third_party_user_id, email, user_id, user_id, $6, case when verified then array[email] end, now()
from incoming order by third_party_user_id, third_party_id
on conflict (third_party_user_id, third_party_id) do update set
email = case when login.disabled then login.email else excluded.email end,
verified_emails = case
when login.disabled or excluded.verified_emails is null or excluded.email = any (login.verified_emails)
then login.verified_emails
else coalesce(login.verified_emails, '{}') || excluded.verified_emails
end,
last_sign_in_at = case when login.disabled then login.last_sign_in_at else excluded.last_sign_in_at end
returning third_party_id, third_party_user_id, user_id, recipe_user_id, linked, time_joined_ms, disabled,
coalesce(email = any (verified_emails), false) as verified
), created as (
insert into users (user_id, time_joined_ms)
select user_id, $6 from kept where user_id = any ($5::uuid[])
)
select kept.*, case when linked then (select row_to_json(whole) from (
select u.user_id, u.time_joined_ms, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled)) from password_logins l where l.user_id = u.user_id) as password_methods, (select json_agg(json_build_array(l.recipe_user_id, l.email, coalesce(l.email = any (l.verified_emails), false), l.time_joined_ms, l.disabled, l.third_party_id, l.third_party_user_id)) from third_party_logins l where l.user_id = u.user_id) as third_party_methods, (select json_agg(json_build_array(l.recipe_user_id, l.alias)) from user_aliases l where l.user_id = u.user_id and l.kind = 'external') as external_ids from users u where u.user_id = kept.user_id) whole) end as linked_user
from kept where user_id <> all ($5::uuid[]);
