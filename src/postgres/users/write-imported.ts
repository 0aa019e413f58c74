import { emailKey, type InCore, soleUser } from '../../imports/resolve/person.ts';
import type { IncomingLogin } from '../../users/user-store.ts';
import type { Queryable, Transaction } from '../client/connection.ts';
import type { Database } from '../client/database.ts';
import { inCoreOf, readStanding, recordWaitingHashes } from './in-core.ts';
import type { UserRow } from './user-row.ts';
import { wholeUser } from './whole-user.ts';

/**
 * Condition for a login whose address a call of this service has set, so that an import may mean somebody else,
 * and whose user could still sign in by another login, or has the external id of somebody else.
 */
export const ANOTHER_PERSON = "(login.linked and login.email_set_by is not distinct from 'change')";

/**
 * Creates or overwrites imported password logins, and returns those that existed before. Rows are inserted in
 * the order of their keys, so that two such statements that write the same logins cannot deadlock.
 * A login whose imported hash this service has replaced stays as it is, and is returned without a user,
 * unless its fingerprint is in $8. So does a login of ANOTHER_PERSON.
 * If users were ever handed over to a SuperTokens core, all existing logins stay as they are unless $9 is
 * set: then the caller checks in the same transaction that the core does not have them.
 */
const IMPORT = `
  with incoming as (
    select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $6::text[], $7::text[])
      as t (email, user_id, password_hash, hash_algorithm, hash_secret_id, hash_class)
  ), kept as (
    insert into password_logins as login
      (email, user_id, recipe_user_id, time_joined_ms, password_hash, hash_algorithm, hash_secret_id, hash_class,
       hash_set_by, hash_set_at)
    select email, user_id, user_id, $5, password_hash, hash_algorithm, hash_secret_id, hash_class, 'import', now()
    from incoming order by email
    on conflict (email) do update set
      password_hash = excluded.password_hash, hash_algorithm = excluded.hash_algorithm,
      hash_secret_id = excluded.hash_secret_id, hash_class = excluded.hash_class,
      hash_set_at = excluded.hash_set_at, hash_set_by = 'import', imported_fingerprint = null, no_hash = null
    where ($9 or not exists (select from hand_overs))
      and (login.imported_fingerprint is null or encode(login.imported_fingerprint, 'hex') = any ($8))
      and not ${ANOTHER_PERSON}
    returning email, user_id, recipe_user_id, linked, disabled, time_joined_ms, hash_algorithm,
      email = any (verified_emails) as verified, user_id <> all ($2::uuid[]) as existed
  ), created as (
    insert into users (user_id, time_joined_ms)
    select user_id, $5 from kept where not existed
  ), changed as (
    insert into hash_changes (recipe_user_id, changed_by, hash_algorithm)
    select recipe_user_id, 'import', hash_algorithm from kept where existed
  )
  select email, kept.user_id, recipe_user_id, linked, disabled, time_joined_ms, coalesce(verified, false) as verified,
    case when linked then ${wholeUser('kept.user_id')} end as linked_user
  from incoming left join kept using (email) where existed is not false`;

/** Login that existed before. `linked_user` is null unless the writing statement read the user as well. */
export interface ExistingLogin {
  email: string;
  user_id: string;
  recipe_user_id: string;
  linked: boolean;
  time_joined_ms: string;
  verified: boolean;
  disabled: boolean;
  linked_user: UserRow | null;
}

/** Login that stayed as it is when it was imported, with its credential. */
export interface LeftLogin extends ExistingLogin {
  fingerprint: string | null;
  password_hash: string | null;
  hash_algorithm: string | null;
  hash_secret_id: string | null;
  is_another_person: boolean;
}

export type KeptLogin = ExistingLogin | { email: string; user_id: null };

export interface NewLogin {
  login: IncomingLogin;
  id: string;
}

export const newUser = ({ login: { email, hash }, id }: NewLogin, timeJoinedMs: number) =>
  soleUser(id, { key: emailKey(email), email, hash, hashSetBy: 'import', timeJoinedMs });

export interface WriteOptions {
  now: number;
  /** Fingerprints of logins that may be overwritten although the service has replaced their imported hash. */
  replaceable: readonly string[];
  /** Checks existing logins in a transaction. If not, none is overwritten once a hand-over was started. */
  isChecked: boolean;
}

/** Thrown if the SuperTokens core has the password of a login to overwrite. Nothing is written. */
export class LoginsInCore extends Error {
  readonly emails: ReadonlySet<string>;

  constructor(emails: readonly string[]) {
    super('the passwords of these logins are in the core');
    this.emails = new Set(emails);
  }
}

export const writeImported = (
  db: Database,
  logins: readonly NewLogin[],
  options: WriteOptions,
): Promise<KeptLogin[]> =>
  options.isChecked
    ? db.transaction(async (client) => {
        const rows = await write(client, logins, options);
        await checkOverwritten(client, rows.filter(isOverwritten), logins);
        return rows;
      })
    : write(db, logins, options);

const isOverwritten = (row: KeptLogin): row is ExistingLogin => row.user_id !== null;

/**
 * Checks that the SuperTokens core does not have the passwords that this transaction has overwritten. A hash
 * may be replaced while its login waits for the first sign-in.
 * @throws {LoginsInCore}
 */
export async function checkOverwritten(
  client: Transaction,
  overwritten: readonly ExistingLogin[],
  logins: readonly NewLogin[],
): Promise<void> {
  const standing = await readStanding(
    client,
    overwritten.map((row) => row.user_id),
  );
  if (standing.users.size === 0) return;
  const having = (state: InCore) =>
    overwritten.filter((row) => inCoreOf(standing, row.user_id, row.recipe_user_id) === state);
  const settled = having('settled');
  if (settled.length > 0) throw new LoginsInCore(settled.map(({ email }) => email));
  const algorithms = new Map(logins.map(({ login }) => [login.email, login.hash.algorithm]));
  await recordWaitingHashes(
    client,
    having('waiting').map(({ recipe_user_id: recipeUserId, email }) => ({
      recipeUserId,
      algorithm: algorithms.get(email) ?? '',
    })),
  );
}

async function write(
  db: Queryable,
  logins: readonly NewLogin[],
  { now, replaceable, isChecked }: WriteOptions,
): Promise<KeptLogin[]> {
  return db.query<KeptLogin>(IMPORT, [
    logins.map(({ login }) => login.email),
    logins.map(({ id }) => id),
    logins.map(({ login }) => login.hash.encoded),
    logins.map(({ login }) => login.hash.algorithm),
    now,
    logins.map(({ login }) => login.hash.secretId ?? null),
    logins.map(({ login }) => login.hash.strength),
    replaceable,
    isChecked,
  ]);
}

/** @param linkedUser SQL for the user of a login that is one of several */
export const leftLogins = (linkedUser: string) => `
  select email, user_id, recipe_user_id, linked, disabled, time_joined_ms, encode(imported_fingerprint, 'hex') as fingerprint,
    password_hash, hash_algorithm, hash_secret_id, ${ANOTHER_PERSON} as is_another_person, coalesce(email = any (verified_emails), false) as verified,
    case when linked then ${linkedUser} end as linked_user
  from password_logins login where email = any ($1)`;

const LEFT = leftLogins(wholeUser('login.user_id'));

export const readLeft = (db: Queryable, emails: readonly string[]): Promise<LeftLogin[]> =>
  db.query<LeftLogin>(LEFT, [emails]);
