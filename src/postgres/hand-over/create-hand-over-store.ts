import type {
  DepartingUser,
  HandOver,
  HandOverCount,
  HandOverStore,
  LoginRecord,
  LoginState,
} from '../../hand-over/hand-over-store.ts';
import type { PasswordHash } from '../../hashing/verifier.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { FACTOR_KINDS } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { type CredentialRow, hasHash, toHash } from '../users/hash-row.ts';
import { passwordLoginsToLock, thirdPartyLoginsToLock, usersToLock } from '../users/rows-to-lock.ts';
import { readUsers } from '../users/user-rows.ts';

const NO_UUID = '00000000-0000-0000-0000-000000000000';

interface HandOverRow {
  hand_over_id: string;
  key_name: string;
  unlinked: boolean;
  started_at: Date;
  finished_at: Date | null;
  undo_started_at: Date | null;
  undo_finished_at: Date | null;
  total_users: string;
  problem: string | null;
  secret_check: Buffer;
}

interface UserRow {
  user_id: string;
  metadata: string | null;
  factors: Buffer | null;
}

interface LoginRow {
  recipe_user_id: string;
  user_id: string;
  hand_over_id: string;
  core_id: string;
  state: LoginState;
  is_staged: boolean;
  hash_algorithm: string | null;
  reason: string | null;
}

const COLUMNS = `hand_over_id, key_name, unlinked, started_at, finished_at, undo_started_at, undo_finished_at, total_users,
  problem, secret_check`;

const IS_DUE = `((finished_at is null and undo_started_at is null) or (undo_started_at is not null and undo_finished_at is null))`;

/** Locked while the state of the users' logins in the core is recorded. */
const USERS = usersToLock('user_id');
/** Imports lock logins, too. A hand-over waits for them before it reads users to send them. */
const LOGINS = [passwordLoginsToLock('user_id'), thirdPartyLoginsToLock('user_id')];

/** The id may be any text, not only a UUID. Reads all rows of the table, of which there are few. */
const IS_NAMED = 'hand_over_id::text = $1';

export function createHandOverStore(db: Database): HandOverStore {
  return {
    async count() {
      const [users] = await db.query<{ count: string }>('select count(*) from users');
      const [linked] = await db.query<{ count: string }>(
        `select count(*) from (
           select user_id from (
             select user_id from password_logins where linked union all select user_id from third_party_logins where linked
           ) logins group by user_id having count(*) > 1
         ) linked`,
      );
      const [thirdParty] = await db.query<{ count: string }>('select count(*) from third_party_logins');
      const passwords = await db.query<{ hash_algorithm: string; count: string }>(
        `select coalesce(hash_algorithm, no_hash) as hash_algorithm, count(*) from password_logins
         group by 1 order by count(*) desc, 1`,
      );
      const [factors] = await db.query<Record<keyof typeof FACTOR_KINDS, string>>(COUNT_FACTORS);
      const [disabled] = await db.query<{ count: string }>(
        `select (select count(*) from password_logins where disabled)
           + (select count(*) from third_party_logins where disabled) as count`,
      );
      return {
        totpUsers: Number(factors?.totpDevices),
        roleUsers: Number(factors?.userRoles),
        phoneUsers: Number(factors?.phoneNumbers),
        disabledLogins: Number(disabled?.count),
        users: Number(users?.count),
        linkedUsers: Number(linked?.count),
        thirdPartyLogins: Number(thirdParty?.count),
        passwordLogins: passwords.map((row) => ({
          algorithm: row.hash_algorithm,
          logins: Number(row.count),
        })),
      };
    },

    begin: ({ handOverId, keyName, unlinked, secretCheck }) =>
      db.transaction(async (client) => {
        // Because of this lock, two simultaneous callers get the same hand-over.
        await client.query('lock table hand_overs in share row exclusive mode');
        const [running] = await client.query<HandOverRow>(
          `select ${COLUMNS} from hand_overs where ${IS_DUE} order by hand_over_id desc limit 1`,
        );
        if (running !== undefined) return { handOver: toHandOver(running), isNew: false };
        // Citus cannot read the table of users in an insert into a table of the coordinator (rule 7 of
        // citus/citus.ts).
        const [users] = await client.query<{ count: string }>('select count(*) from users');
        const [row] = await client.query<HandOverRow>(
          `insert into hand_overs (hand_over_id, key_name, unlinked, secret_check, total_users)
           values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
          [handOverId, keyName, unlinked, secretCheck, users?.count],
        );
        return { handOver: toHandOver(row as HandOverRow), isNew: true };
      }),

    async find(handOverId) {
      const [row] = await db.query<HandOverRow>(`select ${COLUMNS} from hand_overs where ${IS_NAMED}`, [
        handOverId,
      ]);
      return row && toHandOver(row);
    },

    async list(limit) {
      const rows = await db.query<HandOverRow>(
        `select ${COLUMNS} from hand_overs order by hand_over_id desc limit $1`,
        [limit],
      );
      return rows.map(toHandOver);
    },

    async latest() {
      const [row] = await db.query<HandOverRow>(
        `select ${COLUMNS} from hand_overs order by hand_over_id desc limit 1`,
      );
      return row === undefined || row.undo_started_at !== null ? undefined : toHandOver(row);
    },

    async counts(handOverId) {
      const rows = await db.query<{ state: LoginState; hash_algorithm: string | null; count: string }>(
        `select state, hash_algorithm, count(*) from handed_over_logins where hand_over_id = $1
         group by state, hash_algorithm order by state, hash_algorithm`,
        [handOverId],
      );
      return rows.map(
        (row): HandOverCount => ({
          state: row.state,
          algorithm: row.hash_algorithm ?? undefined,
          logins: Number(row.count),
        }),
      );
    },

    async countWaiting() {
      const [row] = await db.query<{ waiting: string; unset: string }>(
        `select count(*) as waiting, count(*) filter (where hash_algorithm = 'unset') as unset from handed_over_logins
         where hand_over_id in (select hand_over_id from hand_overs) and state = 'waiting'`,
      );
      return { waiting: Number(row?.waiting), unset: Number(row?.unset) };
    },

    movedByDay: async (handOverId) =>
      (
        await db.query<{ day: string; count: string }>(
          `select to_char(state_since at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) from handed_over_logins
           where hand_over_id = $1 and state = 'moved' group by 1 order by 1`,
          [handOverId],
        )
      ).map(({ day, count }) => ({ day, logins: Number(count) })),

    async listRefused(handOverId, after, limit) {
      const rows = await db.query<LoginRow>(
        `select recipe_user_id, user_id, reason from handed_over_logins
         where hand_over_id = $1 and state = 'refused' and recipe_user_id > $2 order by recipe_user_id limit $3`,
        [handOverId, after ?? NO_UUID, limit],
      );
      return rows.map((row) => ({
        recipeUserId: row.recipe_user_id,
        userId: row.user_id,
        reason: row.reason ?? '',
      }));
    },

    async claim(owner, forMs) {
      const [row] = await db.query<HandOverRow>(
        `update hand_overs set claimed_by = $1, claimed_until = now() + $2 * interval '1 ms'
         where hand_over_id = (
           select hand_over_id from hand_overs where ${IS_DUE} order by hand_over_id desc limit 1 for update skip locked
         ) and (claimed_by = $1 or claimed_until is null or claimed_until < now())
         returning ${COLUMNS}`,
        [owner, forMs],
      );
      return row && toHandOver(row);
    },

    async release(owner) {
      await db.query('update hand_overs set claimed_by = null, claimed_until = null where claimed_by = $1', [
        owner,
      ]);
    },

    async setProblem(handOverId, problem) {
      await db.query('update hand_overs set problem = $2 where hand_over_id = $1', [handOverId, problem]);
    },

    async nextUsers({ handOverId }, limit) {
      const rows = await db.query<UserRow>(
        `select user_id, metadata, factors from users
         where user_id > coalesce((select after_user_id from hand_overs where hand_over_id = $2),
             '00000000-0000-0000-0000-000000000000')
         order by user_id limit $1`,
        [limit, handOverId],
      );
      const lastUserId = rows.at(-1)?.user_id;
      return {
        users: await departing(db, rows, handOverId),
        ...(lastUserId !== undefined && { lastUserId }),
      };
    },

    async departing(userId) {
      const rows = await db.query<UserRow>(
        'select user_id, metadata, factors from users where user_id = $1',
        [userId],
      );
      const [user] = await departing(db, rows, undefined);
      return user;
    },

    async sendingUsers(handOverId, after, limit) {
      const rows = await db.query<{ user_id: string }>(
        `select distinct user_id from handed_over_logins
         where hand_over_id = $1 and state = 'sending' and user_id > $2 order by user_id limit $3`,
        [handOverId, after ?? NO_UUID, limit],
      );
      const ids = rows.map((row) => row.user_id);
      return readSending(db, ids, handOverId);
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

    async countSending(handOverId) {
      const [row] = await db.query<{ count: string }>(
        `select count(*) from handed_over_logins where hand_over_id = $1 and state = 'sending'`,
        [handOverId],
      );
      return Number(row?.count);
    },

    async markStaged(recipeUserIds) {
      await db.query(
        `update handed_over_logins set is_staged = true where recipe_user_id = any ($1::uuid[])`,
        [recipeUserIds],
      );
    },

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

    async advance(handOverId, userId) {
      await db.query('update hand_overs set after_user_id = $2 where hand_over_id = $1', [
        handOverId,
        userId,
      ]);
    },

    async finish(handOverId) {
      await db.query(
        `update hand_overs set finished_at = now(), problem = null, claimed_by = null, claimed_until = null
         where hand_over_id = $1 and finished_at is null`,
        [handOverId],
      );
    },

    async beginUndo(handOverId) {
      const rows = await db.query(
        `update hand_overs set undo_started_at = coalesce(undo_started_at, now()) where ${IS_NAMED}
         and undo_finished_at is null returning hand_over_id`,
        [handOverId],
      );
      return rows.length > 0;
    },

    async nextToUndo(handOverId, limit) {
      const rows = await db.query<{ core_id: string; waiting: string[] | null; sending: string[] | null }>(
        `select core_id, array_agg(recipe_user_id::text) filter (where state = 'waiting') as waiting,
           array_agg(recipe_user_id::text) filter (where state = 'sending') as sending
         from handed_over_logins where hand_over_id = $1 and state in ('waiting', 'sending') group by core_id limit $2`,
        [handOverId, limit],
      );
      return rows.map((row) => ({
        coreId: row.core_id,
        waiting: row.waiting ?? [],
        sending: row.sending ?? [],
      }));
    },

    async forget(recipeUserIds) {
      await db.query(
        `delete from handed_over_logins where recipe_user_id = any ($1::uuid[]) and state in ('waiting', 'sending')`,
        [recipeUserIds],
      );
    },

    async finishUndo(handOverId) {
      await db.query(
        `update hand_overs set undo_finished_at = now(), problem = null, claimed_by = null, claimed_until = null
         where hand_over_id = $1`,
        [handOverId],
      );
    },

    async hasCoreUser(coreId) {
      const rows = await db.query('select from handed_over_logins where core_id = $1 limit 1', [coreId]);
      return rows.length > 0;
    },

    async findLogin(recipeUserId) {
      const [row] = await db.query<LoginRow>(
        `select recipe_user_id, user_id, hand_over_id, core_id, state, hash_algorithm, reason
         from handed_over_logins where recipe_user_id = $1`,
        [recipeUserId],
      );
      return row && toRecord(row);
    },

    async lock(recipeUserId, forMs) {
      const rows = await db.query(
        `update handed_over_logins set locked_until = now() + $2 * interval '1 ms'
         where recipe_user_id = $1 and state = 'waiting' and (locked_until is null or locked_until < now())
         returning recipe_user_id`,
        [recipeUserId, forMs],
      );
      return rows.length > 0;
    },

    async unlock(recipeUserId) {
      await db.query('update handed_over_logins set locked_until = null where recipe_user_id = $1', [
        recipeUserId,
      ]);
    },

    async endWaiting(recipeUserId, state) {
      const rows = await db.query(
        `update handed_over_logins set state = $2, state_since = now(), locked_until = null, hash_is_left = true
         where recipe_user_id = $1 and state = 'waiting' returning recipe_user_id`,
        [recipeUserId, state],
      );
      return rows.length > 0;
    },

    async hashRemoved(recipeUserId) {
      await db.query('update handed_over_logins set hash_is_left = false where recipe_user_id = $1', [
        recipeUserId,
      ]);
    },

    async withHashLeft(limit) {
      const rows = await db.query<{ recipe_user_id: string }>(
        'select recipe_user_id from handed_over_logins where hash_is_left order by recipe_user_id limit $1',
        [limit],
      );
      return rows.map((row) => row.recipe_user_id);
    },
  };
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
      ...columnsOf(logins, [
        (login) => login.recipeUserId,
        (login) => login.userId,
        (login) => login.coreId,
        (login) => login.state,
        (login) => login.algorithm ?? null,
        (login) => login.reason ?? null,
      ]),
    ],
  );
}

/**
 * Reads users whose logins are recorded as `sending`, after the imports that change them. An import locks
 * logins and then reads the records. So an import that has not seen a record holds its locks, unless it has
 * ended. The locks are taken after the record is committed, in a transaction for each table: imports lock
 * users after their logins, so a transaction that locks both could be in a deadlock with them.
 */
async function readSending(
  db: Database,
  userIds: readonly string[],
  handOverId: string,
): Promise<DepartingUser[]> {
  for (const rows of LOGINS)
    await db.transaction((client) => client.engine.lockRows(client, rows, [userIds]));
  const users = await db.query<UserRow>(
    'select user_id, metadata, factors from users where user_id = any ($1::uuid[]) order by user_id',
    [userIds],
  );
  return departing(db, users, handOverId);
}

/** The second byte of encrypted factors shows which kinds they contain (src/users/factor-vault.ts). */
const COUNT_FACTORS = `
  select ${Object.entries(FACTOR_KINDS)
    .map(([name, bit]) => `count(*) filter (where get_byte(factors, 1) & ${bit} <> 0) as "${name}"`)
    .join(', ')}
  from users where factors is not null`;

/** Leaves out users who are in the core, were removed, or were refused by the core in this hand-over. */
async function departing(
  db: Queryable,
  rows: readonly UserRow[],
  handOverId: string | undefined,
): Promise<DepartingUser[]> {
  const ids = rows.map((row) => row.user_id);
  if (ids.length === 0) return [];
  const known = await db.query<Pick<LoginRow, 'user_id' | 'state' | 'hand_over_id' | 'is_staged'>>(
    'select user_id, state, hand_over_id, is_staged from handed_over_logins where user_id = any ($1::uuid[])',
    [ids],
  );
  const isDone = ({ state, hand_over_id }: (typeof known)[number]) =>
    state === 'refused' ? hand_over_id === handOverId : state !== 'sending';
  const done = new Set(known.filter(isDone).map((row) => row.user_id));
  const mayBeThere = new Set(known.filter(({ state }) => state === 'sending').map((row) => row.user_id));
  const isUnstaged = ({ state, is_staged }: (typeof known)[number]) => state === 'sending' && !is_staged;
  const unstaged = new Set(known.filter(isUnstaged).map((row) => row.user_id));
  const users = await readUsers(db, ids);
  const logins = await db.query<CredentialRow & { recipe_user_id: string }>(
    `select recipe_user_id, password_hash, hash_algorithm, hash_secret_id, no_hash from password_logins
     where user_id = any ($1::uuid[])`,
    [ids],
  );
  const hashes = new Map<string, PasswordHash>();
  const noHashes = new Map<string, NoHash>();
  for (const row of logins) {
    if (hasHash(row)) hashes.set(row.recipe_user_id, toHash(row));
    else noHashes.set(row.recipe_user_id, row.no_hash);
  }
  return rows.flatMap(({ user_id, metadata, factors }) => {
    const user = users.get(user_id);
    if (user === undefined || done.has(user_id)) return [];
    return [
      {
        user,
        metadata: metadata ?? undefined,
        factors: factors ?? undefined,
        hashes,
        noHashes,
        mayBeThere: mayBeThere.has(user_id),
        isStaged: mayBeThere.has(user_id) && !unstaged.has(user_id),
      },
    ];
  });
}

const columnsOf = (
  logins: readonly LoginRecord[],
  columns: readonly ((login: LoginRecord) => string | null)[],
) => columns.map((column) => logins.map(column));

const toHandOver = (row: HandOverRow): HandOver => ({
  handOverId: row.hand_over_id,
  keyName: row.key_name,
  unlinked: row.unlinked,
  startedAtMs: row.started_at.getTime(),
  finishedAtMs: row.finished_at?.getTime(),
  undoStartedAtMs: row.undo_started_at?.getTime(),
  undoFinishedAtMs: row.undo_finished_at?.getTime(),
  totalUsers: Number(row.total_users),
  problem: row.problem ?? undefined,
  secretCheck: row.secret_check,
});

const toRecord = (row: LoginRow) => ({
  recipeUserId: row.recipe_user_id,
  userId: row.user_id,
  handOverId: row.hand_over_id,
  coreId: row.core_id,
  state: row.state,
  algorithm: row.hash_algorithm ?? undefined,
  reason: row.reason ?? undefined,
});
