import { v7 as uuidv7 } from 'uuid';
import { Contended } from '../../lib/errors.ts';
import type { User } from '../../users/user.ts';
import type { IncomingLogin } from '../../users/user-store.ts';
import type { Queryable } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { queriesOf } from './queries-of.ts';
import { passwordUser } from './sole-login.ts';
import type { UnchangedLogins } from './unchanged-logins.ts';
import type { CopyNewLogins } from './user-queries.ts';
import { toUser } from './user-row.ts';
import { readUsersIfPossible } from './user-rows.ts';
import { type ExistingLogin, type NewLogin, newLoginRows } from './write-imported.ts';

export interface ImportedLogin {
  user: User;
  existed: boolean;
}

/** Faster statements that are tried before the one that writes both new and existing logins. */
interface FirstAttempts {
  copyNewLogins?: CopyNewLogins;
  unchangedLogins?: UnchangedLogins;
}

/**
 * Maximum number of attempts to write the logins of one batch. Each attempt writes logins that the one
 * before left out, because this service has upgraded their hashes.
 */
const MAX_ATTEMPTS = 10;

/**
 * Creates or overwrites imported password logins, in one statement if none of their hashes was upgraded
 * before. E-mails must be distinct. Results are in the order of `logins`.
 */
export async function importLogins(
  db: Database,
  logins: readonly IncomingLogin[],
  { copyNewLogins, unchangedLogins }: FirstAttempts = {},
): Promise<ImportedLogin[]> {
  const queries = queriesOf(db);
  const now = Date.now();
  const ids = logins.map(() => uuidv7());
  const existing = new Map<string, ExistingLogin>();
  let waiting = logins.map((login, index): NewLogin => ({ login, id: ids[index] as string }));
  const newLogins = () => ({ passwordLogins: waiting.map((one) => newLoginRows(one, now)) });
  const isCopied = await copyNewLogins?.attempt(newLogins);
  if (isCopied) waiting = [];
  for (const row of (await unchangedLogins?.find(db, waiting)) ?? []) existing.set(row.email, row);
  waiting = waiting.filter(({ login }) => !existing.has(login.email));
  const unchanged = existing.size;
  const isWritten = waiting.length > 0;
  let replaceable: string[] = [];
  for (let attempt = 1; waiting.length > 0; attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Contended(new Error('logins are upgraded again and again'));
    const rows = await queries.writeImported(db, waiting, { now, replaceable });
    for (const row of rows) if (row.user_id !== null) existing.set(row.email, row);
    const emails = new Set(rows.filter(({ user_id }) => user_id === null).map(({ email }) => email));
    if (emails.size === 0) break;
    const left = new Map((await queries.readLeft(db, [...emails])).map((row) => [row.email, row] as const));
    replaceable = [];
    waiting = waiting.filter(({ login }) => {
      if (!emails.has(login.email)) return false;
      const row = left.get(login.email);
      if (row !== undefined && login.matchesFingerprint?.(row.fingerprint) === true) {
        existing.set(row.email, row);
        return false;
      }
      if (row !== undefined) replaceable.push(row.fingerprint);
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
    return { user: linked.get(email) ?? passwordUser(login), existed: row !== undefined };
  });
}

/**
 * Returns the users of imported logins that already existed, by e-mail. The statement that wrote the logins
 * saw users as they were when it began, but may have waited for the row of a login. A user who was created or
 * changed meanwhile is read again. A user who was removed meanwhile is left out, because only the written
 * login is known.
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
