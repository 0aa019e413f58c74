import type { RollbackCounts } from '../../imports/history/import-history.ts';
import type { Queryable } from '../client/connection.ts';
import { readInCore, readUsersInCore, recordWaitingHashes } from '../users/in-core.ts';
import {
  lockPasswordLogins,
  lockThirdPartyLogins,
  passwordLoginsByKey,
  thirdPartyLoginsByKey,
  usersToLock,
} from '../users/rows-to-lock.ts';
import type { Cursor, RollbackPhase } from './rollback-phase.ts';

/** Maximum number of rows that one step of a rollback restores. */
const BATCH = 5000;

/**
 * JOIN_BY_KEY makes the join use the order of the logins' key. All transactions that write several logins use
 * this order, so that two of them cannot deadlock.
 */
const RESTORE_HASHES = `
  with old as (
    delete from replaced_hashes where import_id = $1 and email > $2 and email <= $3 returning *
  ), restored as (
    update password_logins login set
      password_hash = old.password_hash, hash_algorithm = old.hash_algorithm,
      hash_secret_id = old.hash_secret_id, hash_class = old.hash_class, no_hash = old.no_hash,
      hash_set_at = old.hash_set_at, hash_set_by = old.hash_set_by,
      imported_fingerprint = old.imported_fingerprint
    from old
    where login.email = old.email and login.recipe_user_id = old.recipe_user_id
      and login.hash_set_at = old.written_at
      and (login.last_sign_in_at is null or login.last_sign_in_at < old.written_at)
      and login.recipe_user_id <> all ($4::uuid[])
    returning login.recipe_user_id, login.hash_algorithm
  ), recorded as (
    insert into hash_changes (recipe_user_id, changed_by, import_id, hash_algorithm)
    select recipe_user_id, 'rollback', $1, hash_algorithm from restored
  )
  select (select count(*) from old) as found, (select count(*) from restored) as restored`;

interface CountsRow {
  found: string;
  restored: string;
}

interface LockedRow {
  user_id: string;
  recipe_user_id: string;
}

const EMAILS_OF_HASHES =
  'select email from replaced_hashes where import_id = $1 and email > $2 and email <= $3';

const COLUMNS = 'login.user_id, login.recipe_user_id';
const PASSWORD_LOGINS = passwordLoginsByKey(COLUMNS);
const THIRD_PARTY_LOGINS = thirdPartyLoginsByKey(COLUMNS);
const USERS = usersToLock('user_id');

const HASHES_OF_LOGINS = `
  select recipe_user_id, coalesce(hash_algorithm, no_hash) as algorithm from password_logins
  where email = any ($1) and recipe_user_id = any ($2::uuid[])`;

/** Leaves hashes of logins that were changed or used since, or whose password is in the SuperTokens core. */
export const restoreHashes: RollbackPhase = async (client, importId, [after]) => {
  const [end] = await client.query<{ email: string | null }>(
    `select max(email) as email from (
       select email from replaced_hashes where import_id = $1 and email > $2 order by email limit ${BATCH}
     ) batch`,
    [importId, after],
  );
  const last = end?.email ?? undefined;
  if (last === undefined) return { counts: {}, next: undefined };
  const step = [importId, after, last];
  const emails = (await client.query<{ email: string }>(EMAILS_OF_HASHES, step)).map((row) => row.email);
  const locked = await lockPasswordLogins<LockedRow>(client, PASSWORD_LOGINS, emails);
  const inCore = [...(await readInCore(client, locked))];
  const [settled, waiting] = (['settled', 'waiting'] as const).map((wanted) =>
    inCore.flatMap(([id, state]) => (state === wanted ? id : [])),
  );
  const { found, restored } = await restore(client, RESTORE_HASHES, [...step, settled]);
  if (waiting !== undefined && waiting.length > 0) {
    const hashes = await client.query<{ recipe_user_id: string; algorithm: string }>(HASHES_OF_LOGINS, [
      emails,
      waiting,
    ]);
    await recordWaitingHashes(
      client,
      hashes.map(({ recipe_user_id: recipeUserId, algorithm }) => ({ recipeUserId, algorithm })),
    );
  }
  return { counts: { hashesRestored: restored, hashesKept: found - restored }, next: [last, ''] };
};

const EMAILS_OF_STEP = `
  old.import_id = $1 and (old.third_party_user_id, old.third_party_id) > ($2, $3)
  and (old.third_party_user_id, old.third_party_id) <= ($4, $5)`;

const RESTORE_EMAILS = `
  with old as (
    delete from replaced_emails old where ${EMAILS_OF_STEP} returning *
  ), restored as (
    update third_party_logins login set
      email = old.email, verified_emails = old.verified_emails, changed_at = old.changed_at
    from old
    where login.third_party_id = old.third_party_id and login.third_party_user_id = old.third_party_user_id
      and login.recipe_user_id = old.recipe_user_id and login.changed_at = old.written_at
      and (login.last_sign_in_at is null or login.last_sign_in_at < old.written_at)
      and login.recipe_user_id <> all ($6::uuid[])
    returning login.recipe_user_id
  )
  select (select count(*) from old) as found, (select count(*) from restored) as restored`;

const IDENTITIES_OF_EMAILS = `
  select third_party_id as id, third_party_user_id as "userId" from replaced_emails old where ${EMAILS_OF_STEP}`;

/** Restores the e-mail addresses of third-party logins that an import replaced. */
export const restoreEmails: RollbackPhase = async (client, importId, after) => {
  const [end] = await client.query<{ third_party_user_id: string; third_party_id: string }>(
    `select third_party_user_id, third_party_id from (
       select third_party_user_id, third_party_id from replaced_emails
       where import_id = $1 and (third_party_user_id, third_party_id) > ($2, $3)
       order by third_party_user_id, third_party_id limit ${BATCH}
     ) batch order by third_party_user_id desc, third_party_id desc limit 1`,
    [importId, ...after],
  );
  if (end === undefined) return { counts: {}, next: undefined };
  const last: Cursor = [end.third_party_user_id, end.third_party_id];
  const step = [importId, ...after, ...last];
  const identities = await client.query<{ id: string; userId: string }>(IDENTITIES_OF_EMAILS, step);
  const locked = await lockThirdPartyLogins<LockedRow>(client, THIRD_PARTY_LOGINS, identities);
  const inCore = [...(await readInCore(client, locked)).keys()];
  const { found, restored } = await restore(client, RESTORE_EMAILS, [...step, inCore]);
  return { counts: { emailsRestored: restored, emailsKept: found - restored }, next: last };
};

/** Returns a phase that locks the next users of a table of kept rows, and restores them. */
const phaseOfUsers =
  (
    table: string,
    restoreUsers: (
      client: Queryable,
      importId: string,
      userIds: readonly string[],
      inCore: ReadonlySet<string>,
    ) => Promise<Partial<RollbackCounts>>,
  ): RollbackPhase =>
  async (client, importId, [after]) => {
    const found = await client.query<{ user_id: string }>(
      `select user_id::text as user_id from ${table}
       where import_id = $1 and user_id::text > $2 order by user_id limit ${BATCH}`,
      [importId, after],
    );
    const last = found.at(-1)?.user_id;
    if (last === undefined) return { counts: {}, next: undefined };
    const userIds = found.map((row) => row.user_id);
    await client.engine.lockRows(client, USERS, [userIds]);
    const inCore = await readUsersInCore(client, userIds);
    return { counts: await restoreUsers(client, importId, userIds, inCore), next: [last, ''] };
  };

/** Times are text with microseconds, which Citus cannot return from a delete (rule 6 of citus/citus.ts). */
const READ_STATES = `
  select user_id::text as user_id, disabled, state_set_at::text as state_set_at, state_by_call, written_at::text as written_at
  from replaced_states where import_id = $1 and user_id = any ($2::uuid[])`;
const FORGET_STATES = 'delete from replaced_states where import_id = $1 and user_id = any ($2::uuid[])';

const restoreStatesIn = (table: 'password_logins' | 'third_party_logins') => `
  update ${table} login set
    disabled = old.disabled, state_set_at = old.state_set_at, state_by_call = old.state_by_call
  from unnest($1::uuid[], $2::boolean[], $3::timestamptz[], $4::boolean[], $5::timestamptz[])
    as old (user_id, disabled, state_set_at, state_by_call, written_at)
  where login.user_id = old.user_id and login.user_id = any ($1) and login.state_set_at = old.written_at
  returning login.user_id::text as user_id`;

interface KeptStateRow {
  user_id: string;
  disabled: boolean;
  state_set_at: string | null;
  state_by_call: boolean;
  written_at: string;
}

export const restoreStates = phaseOfUsers('replaced_states', async (client, importId, ids, inCore) => {
  const step = [importId, ids];
  const kept = await client.query<KeptStateRow>(READ_STATES, step);
  await client.query(FORGET_STATES, step);
  const rows = kept.filter((row) => !inCore.has(row.user_id));
  const values = [
    rows.map((row) => row.user_id),
    rows.map((row) => row.disabled),
    rows.map((row) => row.state_set_at),
    rows.map((row) => row.state_by_call),
    rows.map((row) => row.written_at),
  ];
  const restored = new Set<string>();
  for (const table of ['password_logins', 'third_party_logins'] as const)
    for (const row of await client.query<{ user_id: string }>(restoreStatesIn(table), values))
      restored.add(row.user_id);
  return { statesRestored: restored.size, statesKept: kept.length - restored.size };
});

const RESTORE_FACTORS = `
  with old as (
    delete from replaced_factors where import_id = $1 and user_id = any ($2::uuid[]) returning *
  ), restored as (
    update users set factors = old.factors, factors_set_at = old.factors_set_at
    from old where users.user_id = old.user_id and users.factors_set_at = old.written_at
      and users.user_id <> all ($3::uuid[])
    returning users.user_id
  )
  select (select count(*) from old) as found, (select count(*) from restored) as restored`;

export const restoreFactors = phaseOfUsers('replaced_factors', async (client, importId, ids, inCore) => {
  const { found, restored } = await restore(client, RESTORE_FACTORS, [importId, ids, [...inCore]]);
  return { factorsRestored: restored, factorsKept: found - restored };
});

async function restore(
  client: Queryable,
  change: string,
  values: readonly unknown[],
): Promise<{ found: number; restored: number }> {
  const [row] = await client.query<CountsRow>(change, values);
  return { found: Number(row?.found), restored: Number(row?.restored) };
}
