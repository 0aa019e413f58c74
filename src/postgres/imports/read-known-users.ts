import type { PasswordHash } from '../../hashing/verifier.ts';
import { type KnownUsers, noKnownUsers, type Person } from '../../imports/resolve/known-users.ts';
import type { LoginKeys } from '../../imports/resolve/login-keys.ts';
import { Contended } from '../../lib/errors.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import type { HashSetBy } from '../../passwords/hash-store.ts';
import type { NoHash } from '../../passwords/no-hash.ts';
import { identityKey } from '../../users/user.ts';
import type { Queryable } from '../client/connection.ts';
import { readingRows } from '../client/engine.ts';
import { readInCore } from '../users/in-core.ts';
import { PROFILE, profileOf } from '../users/profile-columns.ts';
import { identityValues, thirdPartyLoginsByKey } from '../users/rows-to-lock.ts';
import { findSources } from './find-sources.ts';
import { idsOf, type LoginRow, STATE, stateOf } from './login-row.ts';

interface OwnerRow {
  alias: string;
  user_id: string;
  recipe_user_id: string;
  is_person: boolean;
}

interface PasswordRow extends LoginRow {
  password_hash: PasswordHash['encoded'] | null;
  hash_algorithm: string | null;
  no_hash: NoHash | null;
  hash_secret_id: string | null;
  hash_set_by: HashSetBy;
  fingerprint: string | null;
  verified_emails: string[] | null;
  is_changed_here: boolean;
  has_new_email: boolean;
  time_joined_ms: string;
  version: string;
}

interface ThirdPartyRow extends LoginRow {
  third_party_id: string;
  third_party_user_id: string;
  verified_emails: string[] | null;
  has_signed_in: boolean;
  is_changed: boolean;
  time_joined_ms: string;
  version: string;
}

/** If an external id is also the id of a user, it refers to that user. */
const OWNERS = `
  select alias, user_id, recipe_user_id, kind = 'external' and user_id = recipe_user_id as is_person
  from user_aliases where alias = any ($1)
  union all select user_id::text, user_id, user_id, false from users where user_id = any ($2::uuid[])`;

/** One statement by address and by user sees a login whose address is being changed once. */
const PASSWORDS = `
  select email, user_id, recipe_user_id, password_hash, hash_algorithm, hash_secret_id, no_hash, hash_set_by,
    encode(imported_fingerprint, 'hex') as fingerprint, verified_emails, time_joined_ms,
    changed_at is not null and changed_at is distinct from changed_by_import_at as is_changed_here,
    email_set_by is not distinct from 'change' as has_new_email,
    concat_ws(' ', hash_set_at, changed_at, state_set_at) as version, ${STATE}
  from password_logins where email = any ($1) or user_id = any ($2::uuid[])`;

const THIRD_PARTY_COLUMNS = `login.third_party_id, login.third_party_user_id, email, user_id, recipe_user_id, verified_emails, time_joined_ms,
  last_sign_in_at is not null as has_signed_in, changed_at is not null as is_changed, concat_ws(' ', last_sign_in_at, changed_at, state_set_at) as version, ${STATE}`;

const THIRD_PARTIES = `${readingRows(thirdPartyLoginsByKey(THIRD_PARTY_COLUMNS))} and login.third_party_user_id = any ($2)`;

const THIRD_PARTIES_OF_USERS = `
  select ${THIRD_PARTY_COLUMNS} from third_party_logins login where user_id = any ($1::uuid[])`;

const PROFILES = `select user_id, ${PROFILE} from users where user_id = any ($1::uuid[])`;

/**
 * Reads the users with these external ids, with all their logins, and the owners of the other keys. Locks
 * nothing, because nearly all users of a repeated import are unchanged.
 * @throws {Contended} if a user is being changed
 */
export async function readKnownUsers(
  db: Queryable,
  keys: LoginKeys,
  source: string | undefined,
): Promise<KnownUsers> {
  const known = noKnownUsers();
  const externalIds = [...keys.externalIds];
  const owners = await db.query<OwnerRow>(OWNERS, [externalIds, externalIds.filter(isUuid)]);
  for (const row of owners) known.owners.set(row.alias, { ...idsOf(row), isPerson: row.is_person });
  const userIds = owners.filter((row) => row.is_person).map((row) => row.user_id);
  for (const person of await readPersons(db, userIds, source)) known.persons.set(person.userId, person);

  const passwords = await db.query<PasswordRow>(PASSWORDS, [[...keys.emails], userIds]);
  for (const row of passwords) {
    if (keys.emails.has(row.email)) known.emails.set(row.email, idsOf(row));
    const person = known.persons.get(row.user_id);
    person?.passwords.push(passwordOf(row));
    // All logins of a user have the same state (disabled or not), so any of them may set it.
    if (person !== undefined) person.state = stateOf(row);
  }
  const identities = [...keys.identities.values()];
  const thirdParties = [
    ...(identities.length === 0
      ? []
      : await db.query<ThirdPartyRow>(THIRD_PARTIES, identityValues(identities))),
    ...(userIds.length === 0 ? [] : await db.query<ThirdPartyRow>(THIRD_PARTIES_OF_USERS, [userIds])),
  ];
  const seen = new Set<string>();
  for (const row of thirdParties) {
    const identity = { id: row.third_party_id, userId: row.third_party_user_id };
    const key = identityKey(identity);
    if (keys.identities.has(key)) known.identities.set(key, idsOf(row));
    if (seen.has(key)) continue;
    seen.add(key);
    const person = known.persons.get(row.user_id);
    if (person !== undefined) person.state = stateOf(row);
    person?.thirdParties.push({
      recipeUserId: row.recipe_user_id,
      timeJoinedMs: Number(row.time_joined_ms),
      identity,
      email: row.email,
      verifiedEmails: row.verified_emails ?? [],
      hasSignedIn: row.has_signed_in,
      isChanged: row.is_changed,
      version: row.version,
    });
  }
  for (const person of known.persons.values()) assertWhole(person);
  const inCore = await readInCore(
    db,
    [...passwords, ...thirdParties].filter((row) => known.persons.has(row.user_id)),
  );
  for (const person of known.persons.values())
    for (const login of [...person.passwords, ...person.thirdParties])
      login.inCore = inCore.get(login.recipeUserId);
  return known;
}

async function readPersons(
  db: Queryable,
  userIds: readonly string[],
  source: string | undefined,
): Promise<Person[]> {
  if (userIds.length === 0) return [];
  const rows = await db.query<{ user_id: string } & Record<string, unknown>>(PROFILES, [userIds]);
  if (rows.length < userIds.length) throw new Contended(new Error('a user is being removed'));
  const sources = await findSources(db, userIds);
  return rows.map((row) => ({
    ...{ userId: row.user_id, profile: profileOf(row), passwords: [], thirdParties: [] },
    state: { disabled: false, isByCall: false },
    isOfSource: sources.get(row.user_id) === source,
  }));
}

const passwordOf = (row: PasswordRow): Person['passwords'][number] => ({
  recipeUserId: row.recipe_user_id,
  timeJoinedMs: Number(row.time_joined_ms),
  email: row.email,
  hash:
    row.password_hash === null || row.hash_algorithm === null
      ? undefined
      : {
          encoded: row.password_hash,
          algorithm: row.hash_algorithm,
          secretId: row.hash_secret_id ?? undefined,
        },
  ...(row.no_hash !== null && { noHash: row.no_hash }),
  hashSetBy: row.hash_set_by,
  ...(row.fingerprint !== null && { importedFingerprint: row.fingerprint }),
  verifiedEmails: row.verified_emails ?? [],
  isChangedHere: row.is_changed_here,
  isEmailChanged: row.has_new_email,
  version: row.version,
});

/** Throws if a login moves from one node to another (rule 4 of citus/citus.ts): missing, or read twice. */
function assertWhole({ passwords, thirdParties }: Person): void {
  const ids = new Set([...passwords, ...thirdParties].map(({ recipeUserId }) => recipeUserId));
  if (ids.size > 0 && ids.size === passwords.length + thirdParties.length) return;
  throw new Contended(new Error('a user is being changed'));
}
