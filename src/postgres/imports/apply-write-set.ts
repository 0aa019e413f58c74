import type { NewRows, WriteSet } from '../../imports/resolve/write-set.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { Transaction } from '../client/connection.ts';
import { onceForEachEngine } from '../client/engine.ts';
import { recordWaitingHashes } from '../users/in-core.ts';
import { beginChanges } from './apply-changes.ts';
import { CopyRows } from './copy-buffer.ts';

/** @throws a unique violation if a user to create exists already */
export async function applyWriteSet(
  connection: Transaction,
  importId: string,
  writeSet: WriteSet,
  { inKeyOrder }: { inKeyOrder: boolean },
): Promise<void> {
  const finishChanges = await beginChanges(connection, importId, writeSet.changes);
  await insertRows(connection, inKeyOrder ? sorted(writeSet) : writeSet);
  await finishChanges();
  await replaceCredentials(connection, importId, writeSet);
  await replaceEmails(connection, importId, writeSet);
  await recordHashChanges(connection, importId, writeSet);
  await replaceStates(connection, importId, writeSet);
  await replaceFactors(connection, importId, writeSet);
  await recordWaitingHashes(connection, waitingHashes(writeSet));
}

/** Returns the hashes, or reasons for having none, that logins get which wait for their first sign-in. */
const waitingHashes = ({ changes, newCredentials }: WriteSet) =>
  [...changes.flatMap(({ passwords }) => passwords), ...newCredentials.values()].flatMap(
    ({ recipeUserId, inCore, credential }) =>
      inCore === 'waiting' && credential !== undefined
        ? { recipeUserId, algorithm: 'hash' in credential ? credential.hash.algorithm : credential.noHash }
        : [],
  );

/** @throws as `applyWriteSet` */
export function insertSorted(connection: Transaction, rows: NewRows): Promise<void> {
  return insertRows(connection, sorted(rows));
}

async function insertRows(connection: Transaction, newRows: NewRows): Promise<void> {
  const rows = new CopyRows();
  rows.add(newRows);
  await connection.copy(rows.encoded());
}

/** Single imports use the same order, so two writers that share several keys cannot deadlock. */
function sorted({ passwordLogins, thirdPartyLogins, ...others }: NewRows): NewRows {
  return {
    ...others,
    passwordLogins: passwordLogins.toSorted((a, b) => byBytes(a.email, b.email)),
    thirdPartyLogins: thirdPartyLogins.toSorted((a, b) => byIdentity(a.identity, b.identity)),
  };
}

/** Compares texts in the order in which the database sorts keys. */
export const byBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Order of the primary key of third-party logins. */
export const byIdentity = (a: ThirdPartyIdentity, b: ThirdPartyIdentity) =>
  byBytes(a.userId, b.userId) || byBytes(a.id, b.id);

/**
 * Deletes the kept hash if the login was signed in to, or changed by somebody else, since this import
 * replaced the hash. Otherwise, if an import replaces a hash twice, the hash before the first time stays
 * kept.
 */
const FORGET_STALE_HASHES = onceForEachEngine(
  (engine) => `
  delete from replaced_hashes kept using password_logins login
  where kept.import_id = $1 and kept.email = any ($2) and login.email = kept.email ${engine.shardCondition('login.email = any ($2)')}
    and (login.hash_set_at <> kept.written_at or login.last_sign_in_at > kept.written_at
      or login.recipe_user_id <> kept.recipe_user_id)`,
);

/**
 * Replaces hashes, and keeps the replaced ones for a rollback. All parts of the statement see the rows as
 * they were before it, and take the time once (rule 3 of citus/citus.ts). The time is that of the statement,
 * not of the transaction, which may have waited for these rows: users who signed in during the wait used the
 * replaced hash.
 */
const REPLACE_HASHES = onceForEachEngine(
  (engine) => `
  with incoming as (
    select *, statement_timestamp() as now from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
      as t (email, password_hash, hash_algorithm, hash_secret_id, hash_class, no_hash)
  ), kept as (
    insert into replaced_hashes
      (import_id, email, recipe_user_id, password_hash, hash_algorithm, hash_secret_id, hash_class, no_hash,
       hash_set_at, hash_set_by, imported_fingerprint, written_at)
    select $1, old.email, old.recipe_user_id, old.password_hash, old.hash_algorithm, old.hash_secret_id, old.hash_class,
      old.no_hash, old.hash_set_at, old.hash_set_by, old.imported_fingerprint, incoming.now
    from incoming join password_logins old on old.email = incoming.email ${engine.shardCondition('old.email = any ($2)')}
    on conflict (import_id, email) do update set written_at = excluded.written_at
  )
  update password_logins login set
    password_hash = incoming.password_hash, hash_algorithm = incoming.hash_algorithm,
    hash_secret_id = incoming.hash_secret_id, hash_class = incoming.hash_class, no_hash = incoming.no_hash,
    hash_set_at = incoming.now, hash_set_by = 'import', imported_fingerprint = null
  from incoming where login.email = incoming.email ${engine.shardCondition('login.email = any ($2)')}`,
);

async function replaceCredentials(
  connection: Transaction,
  importId: string,
  { newCredentials }: WriteSet,
): Promise<void> {
  for (const group of await connection.engine.groupByShard(
    connection,
    'password_logins',
    [...newCredentials],
    ([email]) => email,
  )) {
    const emails = group.map(([email]) => email);
    const hashes = group.map(([, { credential }]) => ('hash' in credential ? credential.hash : undefined));
    await connection.query(FORGET_STALE_HASHES(connection.engine), [importId, emails]);
    await connection.query(REPLACE_HASHES(connection.engine), [
      importId,
      emails,
      hashes.map((hash) => hash?.encoded ?? null),
      hashes.map((hash) => hash?.algorithm ?? null),
      hashes.map((hash) => hash?.secretId ?? null),
      hashes.map((hash) => hash?.strength ?? null),
      group.map(([, { credential }]) => ('noHash' in credential ? credential.noHash : null)),
    ]);
  }
}

/** Like FORGET_STALE_HASHES, for kept e-mail addresses of third-party logins. */
const FORGET_STALE_EMAILS = onceForEachEngine(
  (engine) => `
  delete from replaced_emails kept using third_party_logins login
  where kept.import_id = $1
    and (kept.third_party_id, kept.third_party_user_id) in (select * from unnest($2::text[], $3::text[]))
    and login.third_party_id = kept.third_party_id and login.third_party_user_id = kept.third_party_user_id
    ${engine.shardCondition('kept.third_party_user_id = any ($3) and login.third_party_user_id = any ($3)')}
    and (login.changed_at is distinct from kept.written_at or login.last_sign_in_at > kept.written_at
      or login.recipe_user_id <> kept.recipe_user_id)`,
);

const REPLACE_EMAILS = onceForEachEngine(
  (engine) => `
  with incoming as (
    select third_party_id, third_party_user_id, email, array_remove(array_agg(distinct verified_email), null) as verified,
      statement_timestamp() as now
    from unnest($2::text[], $3::text[], $4::text[], $5::text[])
      as t (third_party_id, third_party_user_id, email, verified_email)
    group by third_party_id, third_party_user_id, email
  ), kept as (
    insert into replaced_emails
      (import_id, third_party_id, third_party_user_id, recipe_user_id, email, verified_emails, changed_at, written_at)
    select $1, old.third_party_id, old.third_party_user_id, old.recipe_user_id, old.email, old.verified_emails, old.changed_at,
      incoming.now
    from incoming join third_party_logins old on old.third_party_id = incoming.third_party_id
      and old.third_party_user_id = incoming.third_party_user_id ${engine.shardCondition('old.third_party_user_id = any ($3)')}
    on conflict (import_id, third_party_user_id, third_party_id) do update set written_at = excluded.written_at
  )
  update third_party_logins login set
    email = incoming.email, changed_at = incoming.now,
    verified_emails = case
      when incoming.verified <@ coalesce(login.verified_emails, '{}') then login.verified_emails
      else login.verified_emails || array(
        select one from unnest(incoming.verified) as one where one <> all (coalesce(login.verified_emails, '{}')))
    end
  from incoming
  where login.third_party_id = incoming.third_party_id and login.third_party_user_id = incoming.third_party_user_id
    ${engine.shardCondition('login.third_party_user_id = any ($3)')}`,
);

async function replaceEmails(
  connection: Transaction,
  importId: string,
  { newEmails }: WriteSet,
): Promise<void> {
  const byIdentity = await connection.engine.groupByShard(
    connection,
    'third_party_logins',
    [...newEmails.values()],
    ({ identity }) => identity.userId,
  );
  for (const changes of byIdentity) {
    await connection.query(FORGET_STALE_EMAILS(connection.engine), [
      importId,
      changes.map(({ identity }) => identity.id),
      changes.map(({ identity }) => identity.userId),
    ]);
    // REPLACE_EMAILS gets one row for each verified address of a login. A login without such an address gets
    // one row with null.
    const rows = changes.flatMap((change) =>
      (change.verifiedEmails.length === 0 ? [null] : change.verifiedEmails).map((verified) => ({
        ...change,
        verified,
      })),
    );
    await connection.query(REPLACE_EMAILS(connection.engine), [
      importId,
      rows.map(({ identity }) => identity.id),
      rows.map(({ identity }) => identity.userId),
      rows.map(({ email }) => email),
      rows.map(({ verified }) => verified),
    ]);
  }
}

/** If somebody else set the state between two changes by the import, that state is kept, not the first. */
const KEEP_STATES = `
  insert into replaced_states as kept (import_id, user_id, disabled, state_set_at, state_by_call, written_at)
  select $1, user_id, disabled, state_set_at, state_by_call, now
  from unnest($2::uuid[], $3::boolean[], $4::timestamptz[], $5::boolean[]) as t (user_id, disabled, state_set_at, state_by_call),
    (select statement_timestamp() as now) as clock
  on conflict (import_id, user_id) do update set
    disabled = case when kept.written_at = excluded.state_set_at then kept.disabled else excluded.disabled end,
    state_by_call = case when kept.written_at = excluded.state_set_at then kept.state_by_call else excluded.state_by_call end,
    state_set_at = case when kept.written_at = excluded.state_set_at then kept.state_set_at else excluded.state_set_at end,
    written_at = excluded.written_at
  returning written_at::text as written_at`;

/** Includes logins that the import's lines do not name. */
const setStates = (table: 'password_logins' | 'third_party_logins') => `
  update ${table} login set disabled = new.disabled, state_set_at = $3::timestamptz, state_by_call = false
  from unnest($1::uuid[], $2::boolean[]) as new (user_id, disabled)
  where login.user_id = new.user_id and login.user_id = any ($1)`;

async function replaceStates(
  connection: Transaction,
  importId: string,
  { newStates }: WriteSet,
): Promise<void> {
  if (newStates.size === 0) return;
  const ids = [...newStates.keys()];
  const states = [...newStates.values()];
  const [kept] = await connection.query<{ written_at: string }>(KEEP_STATES, [
    importId,
    ids,
    states.map(({ before }) => before.disabled),
    states.map(({ before }) => before.setAt ?? null),
    states.map(({ before }) => before.isByCall),
  ]);
  const disabled = states.map((state) => state.disabled);
  for (const table of ['password_logins', 'third_party_logins'] as const)
    await connection.query(setStates(table), [ids, disabled, kept?.written_at]);
}

/** Like KEEP_STATES, for TOTP devices, roles and phone numbers. */
const KEEP_FACTORS = `
  insert into replaced_factors as kept (import_id, user_id, factors, factors_set_at, written_at)
  select $1, user_id, factors, factors_set_at, now
  from users, (select statement_timestamp() as now) as clock where user_id = any ($2::uuid[])
  on conflict (import_id, user_id) do update set
    factors = case when kept.written_at = excluded.factors_set_at then kept.factors else excluded.factors end,
    factors_set_at = case when kept.written_at = excluded.factors_set_at then kept.factors_set_at else excluded.factors_set_at end,
    written_at = excluded.written_at
  returning written_at::text as written_at`;

const SET_FACTORS = `
  update users set factors = new.factors, factors_set_at = $3::timestamptz
  from unnest($1::uuid[], $2::bytea[]) as new (user_id, factors)
  where users.user_id = new.user_id and users.user_id = any ($1)`;

async function replaceFactors(
  connection: Transaction,
  importId: string,
  { newFactors }: WriteSet,
): Promise<void> {
  if (newFactors.size === 0) return;
  const ids = [...newFactors.keys()];
  const [kept] = await connection.query<{ written_at: string }>(KEEP_FACTORS, [importId, ids]);
  if (kept === undefined) return;
  await connection.query(SET_FACTORS, [ids, [...newFactors.values()], kept.written_at]);
}

async function recordHashChanges(
  connection: Transaction,
  importId: string,
  { hashChanges }: WriteSet,
): Promise<void> {
  if (hashChanges.length === 0) return;
  await connection.query(
    `insert into hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm)
     select recipe_user_id, 'import', $1, hash_algorithm from unnest($2::uuid[], $3::text[]) as t (recipe_user_id, hash_algorithm)`,
    [
      importId,
      hashChanges.map(({ recipeUserId }) => recipeUserId),
      hashChanges.map(({ algorithm }) => algorithm ?? null),
    ],
  );
}
