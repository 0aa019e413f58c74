import type {
  DepartingUser,
  HandOver,
  HandOverCount,
  HandOverStore,
  LoginRecord,
  LoginState,
  MovedOnDay,
  RefusedLogin,
  UserToUndo,
} from '../../hand-over/hand-over-store.ts';
import type { PasswordHash } from '../../hashing/verifier.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { FACTOR_KINDS } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { passwordLoginsToLock, thirdPartyLoginsToLock, usersToLock } from '../users/rows-to-lock.ts';
import { type CredentialRow, hasHash, toHash } from '../users/stored-hashes.ts';
import { readUsers } from '../users/user-rows.ts';

const NO_UUID = '00000000-0000-0000-0000-000000000000';

interface LoginRow extends Record<string, unknown> {
  user_id: string;
  state: LoginState;
  hand_over_id: string;
  is_staged: boolean;
}

/** SQL for milliseconds since the epoch. */
const ms = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`;

/** Columns of `HandOver`. */
const HAND_OVER = `hand_over_id as "handOverId", key_name as "keyName", unlinked, ${ms('started_at')} as "startedAtMs",
  ${ms('finished_at')} as "finishedAtMs", ${ms('undo_started_at')} as "undoStartedAtMs",
  ${ms('undo_finished_at')} as "undoFinishedAtMs", total_users::float8 as "totalUsers", problem, secret_check as "secretCheck"`;

const IS_DUE = `((finished_at is null and undo_started_at is null) or (undo_started_at is not null and undo_finished_at is null))`;

/** Rows of users, which are locked while the states of their logins in the core are recorded. */
const USERS = usersToLock('user_id');
/**
 * Rows of logins. Imports lock these rows. A hand-over locks them, too, to wait for running imports before it reads the
 * users to send.
 */
const LOGINS = [passwordLoginsToLock('user_id'), thirdPartyLoginsToLock('user_id')];

/**
 * Compares ids as texts, because the id of a request need not be a UUID. This reads all rows of the table, of which
 * there are few.
 */
const IS_NAMED = 'hand_over_id::text = $1';

export function createHandOverStore(db: Database): HandOverStore {
  const find = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await read<Row>(db, text, values))[0];
  const run = async (text: string, values: readonly unknown[]): Promise<void> => {
    await db.query(text, values);
  };
  const isAny = async (text: string, values: readonly unknown[]) => (await db.query(text, values)).length > 0;
  const count = async (from: string, values: readonly unknown[] = []) =>
    Number((await find<{ count: string }>(`select count(*) from ${from}`, values))?.count);

  return {
    async count() {
      const passwords = await db.query<{ algorithm: string; count: string }>(
        `select coalesce(hash_algorithm, no_hash) as algorithm, count(*) from password_logins
         group by 1 order by count(*) desc, 1`,
      );
      const factors = await find<Record<keyof typeof FACTOR_KINDS, string>>(COUNT_FACTORS);
      return {
        totpUsers: Number(factors?.totpDevices),
        roleUsers: Number(factors?.userRoles),
        phoneUsers: Number(factors?.phoneNumbers),
        disabledLogins:
          (await count('password_logins where disabled')) +
          (await count('third_party_logins where disabled')),
        users: await count('users'),
        linkedUsers: await count(
          `(select user_id from (
             select user_id from password_logins where linked union all select user_id from third_party_logins where linked
           ) logins group by user_id having count(*) > 1) linked`,
        ),
        thirdPartyLogins: await count('third_party_logins'),
        passwordLogins: passwords.map(({ algorithm, count: logins }) => ({
          algorithm,
          logins: Number(logins),
        })),
      };
    },

    begin: ({ handOverId, keyName, unlinked, secretCheck }) =>
      db.transaction(async (client) => {
        // Because of this lock, two simultaneous callers get the same hand-over.
        await client.query('lock table hand_overs in share row exclusive mode');
        const [running] = await read<HandOver>(
          client,
          `select ${HAND_OVER} from hand_overs where ${IS_DUE} order by hand_over_id desc limit 1`,
        );
        if (running !== undefined) return { handOver: running, isNew: false };
        // Citus cannot read the table of users in an insert into a table of the coordinator (rule 7 of
        // citus/citus.ts).
        const [users] = await client.query<{ count: string }>('select count(*) from users');
        const [handOver] = await read<HandOver>(
          client,
          `insert into hand_overs (hand_over_id, key_name, unlinked, secret_check, total_users)
           values ($1, $2, $3, $4, $5) returning ${HAND_OVER}`,
          [handOverId, keyName, unlinked, secretCheck, users?.count],
        );
        return { handOver: handOver as HandOver, isNew: true };
      }),

    find: (handOverId) => find(`select ${HAND_OVER} from hand_overs where ${IS_NAMED}`, [handOverId]),

    list: (limit) =>
      read(db, `select ${HAND_OVER} from hand_overs order by hand_over_id desc limit $1`, [limit]),

    async latest() {
      const last = await find<HandOver>(
        `select ${HAND_OVER} from hand_overs order by hand_over_id desc limit 1`,
      );
      return last?.undoStartedAtMs === undefined ? last : undefined;
    },

    counts: (handOverId) =>
      read<HandOverCount>(
        db,
        `select state, hash_algorithm as algorithm, count(*)::float8 as logins from handed_over_logins where hand_over_id = $1
         group by state, hash_algorithm order by state, hash_algorithm`,
        [handOverId],
      ),

    async countWaiting() {
      const row = await find<{ waiting: number; unset: number }>(
        `select count(*)::float8 as waiting, count(*) filter (where hash_algorithm = 'unset')::float8 as unset
         from handed_over_logins where hand_over_id in (select hand_over_id from hand_overs) and state = 'waiting'`,
      );
      return row ?? { waiting: 0, unset: 0 };
    },

    movedByDay: (handOverId) =>
      read<MovedOnDay>(
        db,
        `select to_char(state_since at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::float8 as logins
         from handed_over_logins where hand_over_id = $1 and state = 'moved' group by 1 order by 1`,
        [handOverId],
      ),

    listRefused: (handOverId, after, limit) =>
      read<RefusedLogin>(
        db,
        `select recipe_user_id as "recipeUserId", user_id as "userId", coalesce(reason, '') as reason from handed_over_logins
         where hand_over_id = $1 and state = 'refused' and recipe_user_id > $2 order by recipe_user_id limit $3`,
        [handOverId, after ?? NO_UUID, limit],
      ),

    claim: (owner, forMs) =>
      find(
        `update hand_overs set claimed_by = $1, claimed_until = now() + $2 * interval '1 ms'
         where hand_over_id = (
           select hand_over_id from hand_overs where ${IS_DUE} order by hand_over_id desc limit 1 for update skip locked
         ) and (claimed_by = $1 or claimed_until is null or claimed_until < now())
         returning ${HAND_OVER}`,
        [owner, forMs],
      ),

    release: (owner) =>
      run('update hand_overs set claimed_by = null, claimed_until = null where claimed_by = $1', [owner]),

    setProblem: (handOverId, problem) =>
      run('update hand_overs set problem = $2 where hand_over_id = $1', [handOverId, problem]),

    nextUsers: ({ handOverId }, limit) =>
      readDeparting(
        db,
        `user_id > coalesce((select after_user_id from hand_overs where hand_over_id = $2),
             '00000000-0000-0000-0000-000000000000')
         order by user_id limit $1`,
        [limit, handOverId],
        handOverId,
      ),

    departing: async (userId) => (await readDeparting(db, 'user_id = $1', [userId], undefined)).users[0],

    async sendingUsers(handOverId, after, limit) {
      const rows = await db.query<{ user_id: string }>(
        `select distinct user_id from handed_over_logins
         where hand_over_id = $1 and state = 'sending' and user_id > $2 order by user_id limit $3`,
        [handOverId, after ?? NO_UUID, limit],
      );
      return readSending(
        db,
        rows.map((row) => row.user_id),
        handOverId,
      );
    },

    async forgetGone(handOverId) {
      const rows = await db.query<{ user_id: string; recipe_user_id: string }>(
        `select user_id, recipe_user_id from handed_over_logins where hand_over_id = $1 and state = 'sending'`,
        [handOverId],
      );
      const users = await readUsers(db, [...new Set(rows.map((row) => row.user_id))]);
      const isGone = (row: (typeof rows)[number]) =>
        !users.get(row.user_id)?.loginMethods.some((one) => one.recipeUserId === row.recipe_user_id);
      await db.query(
        `delete from handed_over_logins
         where hand_over_id = $1 and state = 'sending' and recipe_user_id = any ($2::uuid[])`,
        [handOverId, rows.filter(isGone).map((row) => row.recipe_user_id)],
      );
    },

    countSending: (handOverId) =>
      count(`handed_over_logins where hand_over_id = $1 and state = 'sending'`, [handOverId]),

    markStaged: (recipeUserIds) =>
      run('update handed_over_logins set is_staged = true where recipe_user_id = any ($1::uuid[])', [
        recipeUserIds,
      ]),

    async recordSending(handOverId, users, logins) {
      const ids = users.map(({ user }) => user.id);
      await db.transaction(async (client) => {
        // Waits for calls and rollbacks that change these users. Later ones see the records.
        await client.engine.lockRows(client, USERS, [ids]);
        await record(client, handOverId, logins);
      });
      const now = new Map((await readSending(db, ids, handOverId)).map((one) => [one.user.id, one]));
      return users.flatMap(({ user, mayBeThere, isStaged }) => {
        const found = now.get(user.id);
        return found === undefined ? [] : { ...found, mayBeThere, isStaged };
      });
    },

    record: (handOverId, logins) => record(db, handOverId, logins),

    advance: (handOverId, userId) =>
      run('update hand_overs set after_user_id = $2 where hand_over_id = $1', [handOverId, userId]),

    finish: (handOverId) =>
      run(
        `update hand_overs set finished_at = now(), problem = null, claimed_by = null, claimed_until = null
         where hand_over_id = $1 and finished_at is null`,
        [handOverId],
      ),

    beginUndo: (handOverId) =>
      isAny(
        `update hand_overs set undo_started_at = coalesce(undo_started_at, now()) where ${IS_NAMED}
         and undo_finished_at is null returning hand_over_id`,
        [handOverId],
      ),

    nextToUndo: (handOverId, limit) =>
      read<UserToUndo>(
        db,
        `select core_id as "coreId", coalesce(array_agg(recipe_user_id::text) filter (where state = 'waiting'), '{}') as waiting,
           coalesce(array_agg(recipe_user_id::text) filter (where state = 'sending'), '{}') as sending
         from handed_over_logins where hand_over_id = $1 and state in ('waiting', 'sending') group by core_id limit $2`,
        [handOverId, limit],
      ),

    forget: (recipeUserIds) =>
      run(
        `delete from handed_over_logins where recipe_user_id = any ($1::uuid[]) and state in ('waiting', 'sending')`,
        [recipeUserIds],
      ),

    finishUndo: (handOverId) =>
      run(
        `update hand_overs set undo_finished_at = now(), problem = null, claimed_by = null, claimed_until = null
         where hand_over_id = $1`,
        [handOverId],
      ),

    hasCoreUser: (coreId) => isAny('select from handed_over_logins where core_id = $1 limit 1', [coreId]),

    findLogin: (recipeUserId) =>
      find(
        `select recipe_user_id as "recipeUserId", user_id as "userId", hand_over_id as "handOverId", core_id as "coreId",
           state, hash_algorithm as algorithm, reason from handed_over_logins where recipe_user_id = $1`,
        [recipeUserId],
      ),

    lock: (recipeUserId, forMs) =>
      isAny(
        `update handed_over_logins set locked_until = now() + $2 * interval '1 ms'
         where recipe_user_id = $1 and state = 'waiting' and (locked_until is null or locked_until < now())
         returning recipe_user_id`,
        [recipeUserId, forMs],
      ),

    unlock: (recipeUserId) =>
      run('update handed_over_logins set locked_until = null where recipe_user_id = $1', [recipeUserId]),

    endWaiting: (recipeUserId, state) =>
      isAny(
        `update handed_over_logins set state = $2, state_since = now(), locked_until = null, hash_is_left = true
         where recipe_user_id = $1 and state = 'waiting' returning recipe_user_id`,
        [recipeUserId, state],
      ),

    hashRemoved: (recipeUserId) =>
      run('update handed_over_logins set hash_is_left = false where recipe_user_id = $1', [recipeUserId]),

    async withHashLeft(limit) {
      const rows = await db.query<{ recipe_user_id: string }>(
        'select recipe_user_id from handed_over_logins where hash_is_left order by recipe_user_id limit $1',
        [limit],
      );
      return rows.map((row) => row.recipe_user_id);
    },
  };
}

/** Reads rows that have the columns of `Row`. A null becomes undefined. */
async function read<Row>(db: Queryable, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const rows = await db.query<Record<string, unknown>>(text, values);
  return rows.map(
    (row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as Row,
  );
}

async function record(db: Queryable, handOverId: string, logins: readonly LoginRecord[]): Promise<void> {
  if (logins.length === 0) return;
  // Only logins that are being sent, or that the core has refused, are updated. A sign-in may have moved the
  // others meanwhile.
  await db.query(
    `insert into handed_over_logins (recipe_user_id, user_id, hand_over_id, core_id, state, hash_algorithm, reason)
     select t.recipe_user_id, t.user_id, $1, t.core_id, t.state, t.hash_algorithm, t.reason
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
       as t (recipe_user_id, user_id, core_id, state, hash_algorithm, reason)
     order by t.recipe_user_id
     on conflict (recipe_user_id) do update set user_id = excluded.user_id, hand_over_id = excluded.hand_over_id,
       core_id = excluded.core_id, state = excluded.state, hash_algorithm = excluded.hash_algorithm,
       reason = excluded.reason, state_since = now(), is_staged = false
     where handed_over_logins.state in ('sending', 'refused')`,
    [
      handOverId,
      logins.map((login) => login.recipeUserId),
      logins.map((login) => login.userId),
      logins.map((login) => login.coreId),
      logins.map((login) => login.state),
      logins.map((login) => login.algorithm ?? null),
      logins.map((login) => login.reason ?? null),
    ],
  );
}

/**
 * Reads users whose logins are recorded as `sending`, after the imports that change them have ended. An import locks
 * logins and then reads the records. So an import that has not seen a record holds its locks, unless it has ended. The
 * locks are taken after the record is committed, in a transaction for each table: imports lock users after their
 * logins, so a transaction that locks both could be in a deadlock with them.
 */
async function readSending(
  db: Database,
  userIds: readonly string[],
  handOverId: string,
): Promise<DepartingUser[]> {
  for (const rows of LOGINS)
    await db.transaction((client) => client.engine.lockRows(client, rows, [userIds]));
  return (await readDeparting(db, 'user_id = any ($1::uuid[]) order by user_id', [userIds], handOverId))
    .users;
}

/** The second byte of encrypted factors shows which kinds they contain (src/users/factor-vault.ts). */
const COUNT_FACTORS = `
  select ${Object.entries(FACTOR_KINDS)
    .map(([name, bit]) => `count(*) filter (where get_byte(factors, 1) & ${bit} <> 0) as "${name}"`)
    .join(', ')}
  from users where factors is not null`;

/**
 * Reads users, without those who are in the core, were removed, or were refused by the core in this hand-over.
 * `lastUserId` is the id of the last user, even if that user is left out.
 * @param which condition on users, and their order
 */
async function readDeparting(
  db: Queryable,
  which: string,
  values: readonly unknown[],
  handOverId: string | undefined,
): Promise<{ users: DepartingUser[]; lastUserId?: string }> {
  const rows = await db.query<{ user_id: string; metadata: string | null; factors: Buffer | null }>(
    `select user_id, metadata, factors from users where ${which}`,
    values,
  );
  const ids = rows.map((row) => row.user_id);
  const lastUserId = ids.at(-1);
  if (lastUserId === undefined) return { users: [] };
  const known = await db.query<LoginRow>(
    'select user_id, state, hand_over_id, is_staged from handed_over_logins where user_id = any ($1::uuid[])',
    [ids],
  );
  const usersOf = (rows: readonly LoginRow[]) => new Set(rows.map((row) => row.user_id));
  const sending = known.filter(({ state }) => state === 'sending');
  const mayBeThere = usersOf(sending);
  const unstaged = usersOf(sending.filter((row) => !row.is_staged));
  const done = usersOf(
    known.filter(({ state, hand_over_id: last }) =>
      state === 'refused' ? last === handOverId : state !== 'sending',
    ),
  );
  const users = await readUsers(db, ids);
  const logins = await db.query<CredentialRow & { recipe_user_id: string }>(
    `select recipe_user_id, password_hash, hash_algorithm, hash_secret_id, no_hash from password_logins
     where user_id = any ($1::uuid[])`,
    [ids],
  );
  const [hashes, noHashes] = [new Map<string, PasswordHash>(), new Map<string, NoHash>()];
  for (const row of logins) {
    if (hasHash(row)) hashes.set(row.recipe_user_id, toHash(row));
    else noHashes.set(row.recipe_user_id, row.no_hash);
  }
  const departing = rows.flatMap(({ user_id, metadata, factors }) => {
    const user = users.get(user_id);
    if (user === undefined || done.has(user_id)) return [];
    return {
      user,
      metadata: metadata ?? undefined,
      factors: factors ?? undefined,
      hashes,
      noHashes,
      mayBeThere: mayBeThere.has(user_id),
      isStaged: mayBeThere.has(user_id) && !unstaged.has(user_id),
    };
  });
  return { users: departing, lastUserId };
}
