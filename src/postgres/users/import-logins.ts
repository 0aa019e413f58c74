import { v7 as uuidv7 } from 'uuid';
import { Contended } from '../../lib/errors.ts';
import type { User } from '../../users/user.ts';
import type { ImportedLogin, ImportRefusal, IncomingLogin } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { queriesOf } from './queries-of.ts';
import { passwordUser } from './sole-login.ts';
import type { UnchangedLogins } from './unchanged-logins.ts';
import type { CopyNewLogins } from './user-queries.ts';
import { toUser } from './user-row.ts';
import { readUsersIfPossible } from './user-rows.ts';
import {
  type ExistingLogin,
  type KeptLogin,
  type LeftLogin,
  LoginsInCore,
  type NewLogin,
  newUser,
  type WriteOptions,
} from './write-imported.ts';

/** Faster statements that are tried before the one that writes both new and existing logins. */
interface FirstAttempts {
  copyNewLogins?: CopyNewLogins;
  unchangedLogins?: UnchangedLogins;
}

/**
 * Each attempt writes logins that the attempt before left out: this service has upgraded their hashes, or
 * users were handed over to a SuperTokens core, so that existing logins are written in a transaction that
 * checks them.
 */
const MAX_ATTEMPTS = 10;

/** E-mails must be distinct. Results are in the order of `logins`. */
export async function importLogins(
  db: Database,
  logins: readonly IncomingLogin[],
  { copyNewLogins, unchangedLogins }: FirstAttempts = {},
): Promise<ImportedLogin[]> {
  const queries = queriesOf(db);
  const now = Date.now();
  const ids = logins.map(() => uuidv7());
  const existing = new Map<string, ExistingLogin>();
  const refused = new Map<string, ImportRefusal>();
  let waiting = logins.map((login, index): NewLogin => ({ login, id: ids[index] as string }));
  const newUsers = () => waiting.map((one) => newUser(one, now));
  const isCopied = await copyNewLogins?.attempt(newUsers);
  if (isCopied) waiting = [];
  for (const row of (await unchangedLogins?.find(db, waiting)) ?? []) existing.set(row.email, row);
  waiting = waiting.filter(({ login }) => !existing.has(login.email));
  const unchanged = existing.size;
  const isWritten = waiting.length > 0;
  let replaceable: string[] = [];
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Contended(new Error('logins are upgraded again and again'));
    const written = await writeOrRefuse(db, waiting, { now, replaceable, isChecked: attempt > 1 });
    const emails = new Set<string>();
    if ('refused' in written) for (const { login } of waiting) emails.add(login.email);
    else
      for (const row of written)
        if (row.user_id === null) emails.add(row.email);
        else existing.set(row.email, row);
    if (emails.size === 0) break;
    const left = new Map((await queries.readLeft(db, [...emails])).map((row) => [row.email, row] as const));
    replaceable = [];
    waiting = waiting.filter(({ login }) => {
      if (!emails.has(login.email)) return false;
      const row = left.get(login.email);
      if (row === undefined) return true;
      const refusal = row.is_another_person
        ? 'another-person'
        : 'refused' in written && written.refused.has(login.email) && 'in-core';
      const isSame = wasReplaced(row, login) || (refusal && hasHash(row, login));
      if (isSame || refusal) {
        existing.set(row.email, row);
        if (refusal && !isSame) refused.set(row.email, refusal);
        return false;
      }
      if (row.fingerprint !== null) replaceable.push(row.fingerprint);
      return true;
    });
  }
  if (!isCopied) copyNewLogins?.wrote({ wereKnown: existing.size > 0 });
  if (isWritten) unchangedLogins?.wrote({ wereKnown: existing.size > unchanged });
  const linked = await linkedUsers(
    db,
    [...existing.values()].filter((row) => row.linked),
  );
  return logins.map(({ email }, index) => {
    const refusal = refused.get(email);
    const row = existing.get(email);
    const id = row?.user_id ?? (ids[index] as string);
    const login = {
      id,
      recipeUserId: row?.recipe_user_id ?? id,
      email,
      verified: row?.verified ?? false,
      timeJoinedMs: Number(row?.time_joined_ms ?? now),
      disabled: row?.disabled ?? false,
    };
    return {
      user: linked.get(email) ?? passwordUser(login),
      existed: row !== undefined,
      ...(refusal && { refusal }),
    };
  });
}

/** Writes none if the SuperTokens core has the passwords of some, whose e-mails are then `refused`. */
async function writeOrRefuse(
  db: Database,
  logins: readonly NewLogin[],
  options: WriteOptions,
): Promise<KeptLogin[] | { refused: ReadonlySet<string> }> {
  try {
    return await queriesOf(db).writeImported(db, logins, options);
  } catch (error) {
    if (error instanceof LoginsInCore) return { refused: error.emails };
    throw error;
  }
}

const wasReplaced = ({ fingerprint }: LeftLogin, { matchesFingerprint }: IncomingLogin): boolean =>
  fingerprint !== null && matchesFingerprint?.(fingerprint) === true;

const hasHash = (row: LeftLogin, { hash }: IncomingLogin): boolean =>
  row.password_hash === hash.encoded &&
  row.hash_algorithm === hash.algorithm &&
  row.hash_secret_id === (hash.secretId ?? null);

/**
 * Returns the users of logins that already existed, by e-mail. The statement that wrote the logins saw users
 * as they were when it began, but may have waited for the row of a login. A user who was created or changed
 * meanwhile is read again. A user who was removed meanwhile is left out, because only the written login is
 * known.
 */
async function linkedUsers(db: Queryable, rows: readonly ExistingLogin[]): Promise<Map<string, User>> {
  const users = new Map<string, User>();
  const changed: ExistingLogin[] = [];
  for (const row of rows) {
    const user = row.linked_user === null ? undefined : toUser(row.linked_user);
    const method = user && methodOf(user, row.email);
    if (user !== undefined && method?.recipeUserId === row.recipe_user_id) users.set(row.email, user);
    else changed.push(row);
  }
  const now = await readUsersIfPossible(
    db,
    changed.map((row) => row.user_id),
  );
  for (const { email, user_id } of changed) {
    const user = now?.get(user_id);
    if (user !== undefined && methodOf(user, email) !== undefined) users.set(email, user);
  }
  return users;
}

const methodOf = (user: User, email: string) =>
  user.loginMethods.find((method) => method.recipeId === 'emailpassword' && method.email === email);
