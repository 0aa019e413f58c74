import { expect } from 'vitest';
import { ndjson, type Report, type ResultLine } from '../support/ndjson.ts';
import { rowsOf } from '../support/rows-of.ts';
import { WITH_ALL_TABLES } from '../support/with-all-tables.ts';

/** From this line on, some lines change users of the first lines, which are in other chunks. */
const FAR = 7000;

/** Returns a valid hash that contains `label` (letters and digits). No password matches it. */
export const hashOf = (label: string): string => `$2b$04$${label.padEnd(53, '.')}`;

const email = (index: number) => `user-${index}@example.com`;

type Kind = 'password' | 'again' | 'far-again' | 'third-party' | 'form' | 'bad';

function kindOf(index: number): Kind {
  const place = index % 10;
  if (place === 5) return 'form';
  if (place === 6) return 'third-party';
  if (place === 7) return index < FAR ? 'password' : 'far-again';
  if (place === 8) return 'again';
  return place === 9 ? 'bad' : 'password';
}

function userOf(index: number): number {
  const kind = kindOf(index);
  if (kind === 'again') return index - 5;
  return kind === 'far-again' ? index % FAR : index;
}

/**
 * Returns line `index` of a migration, always the same. Most lines are new users of all kinds, some change
 * users, and some are bad.
 */
function lineOf(index: number): unknown {
  const passwordHash = hashOf(`${index}`);
  switch (kindOf(index)) {
    case 'bad':
      return { email: email(index), passwordHash: `${passwordHash}.` };
    case 'third-party':
      return {
        thirdPartyId: 'google',
        thirdPartyUserId: `${index}`,
        email: { id: email(index), isVerified: true },
      };
    case 'form':
      return {
        externalUserId: `old-${index}`,
        userMetadata: { index },
        loginMethods: [
          { recipeId: 'emailpassword', email: email(index), passwordHash, isPrimary: true },
          {
            recipeId: 'thirdparty',
            email: email(index),
            thirdPartyId: 'github',
            thirdPartyUserId: `${index}`,
          },
        ],
      };
    default:
      return { email: email(userOf(index)), passwordHash };
  }
}

/** Yields lines of new users with a password. Their addresses begin with `name`. */
export function* passwordLines(name: string, count: number): Generator<string> {
  for (let first = 0; first < count; first += 500) {
    const users = Array.from({ length: Math.min(500, count - first) }, (_, index) => ({
      email: `${name}-${first + index}@example.com`,
      passwordHash: hashOf(`${first + index}`),
    }));
    yield ndjson(...users);
  }
}

/** Yields lines `from` to `to`, some hundred at a time. */
export function* migrationLines(to: number, from = 0): Generator<string> {
  for (let start = from; start < to; start += 500) {
    yield ndjson(...Array.from({ length: Math.min(500, to - start) }, (_, place) => lineOf(start + place)));
  }
}

function outcomeOf(index: number): string {
  const kind = kindOf(index);
  if (kind === 'bad') return 'FAILED';
  return kind === 'again' || kind === 'far-again' ? 'UPDATED' : 'CREATED';
}

/** Checks that every line is reported as expected, in order, with its user. */
export function expectMigrationReport(report: Report, lines: number, { isDryRun = false } = {}): void {
  expect([report.error, report.summary?.lines]).toEqual([undefined, lines]);
  const ids = new Map<number, string | undefined>();
  const wrong = report.results.filter(({ line, status, userId }, index) => {
    if (line !== index + 1 || status !== outcomeOf(index)) return true;
    // Results of a dry run have no user ids.
    if (isDryRun) return userId !== undefined;
    if (status === 'CREATED') ids.set(index, userId);
    return userId !== ids.get(userOf(index));
  });
  expect(wrong).toEqual([]);
  expect(report.results).toHaveLength(lines);
}

/** Checks that a resumed import repeats the results that were reported before it was interrupted. */
export function expectContinues(broken: Report, { results }: Report): void {
  const differ = (one: ResultLine, index: number) => JSON.stringify(one) !== JSON.stringify(results[index]);
  expect(broken.results.filter(differ)).toEqual([]);
}

/** Checks that exactly the users of these lines exist, each once and as expected. */
export async function expectMigrated(uri: string, lines: number): Promise<void> {
  const hashes = new Map<string, string>();
  const identities = new Set<string>();
  let users = 0;
  for (let index = 0; index < lines; index += 1) {
    const kind = kindOf(index);
    if (kind === 'bad') continue;
    if (outcomeOf(index) === 'CREATED') users += 1;
    if (kind === 'third-party') identities.add(`google ${index} ${email(index)} true`);
    else hashes.set(email(userOf(index)), hashOf(`${index}`));
    if (kind === 'form') identities.add(`github ${index} ${email(index)} false`);
  }
  const passwords = await rowsOf<{ email: string; password_hash: string }>(
    uri,
    'select email, password_hash from password_logins',
  );
  expect(passwords.filter((login) => hashes.get(login.email) !== login.password_hash)).toEqual([]);
  expect(passwords).toHaveLength(hashes.size);
  const thirdParties = await rowsOf<{ identity: string }>(
    uri,
    `select concat_ws(' ', third_party_id, third_party_user_id, email, coalesce(email = any (verified_emails), false)::text)
       as identity from third_party_logins`,
  );
  expect(thirdParties.filter(({ identity }) => !identities.has(identity))).toEqual([]);
  expect(thirdParties).toHaveLength(identities.size);
  const [rest] = await rowsOf(uri, REST);
  const forms = await rowsOf(uri, 'select from users where metadata is not null');
  expect([rest, forms.length]).toEqual([
    { users, orphans: 0, external: forms.length },
    countOf('form', lines),
  ]);
}

const REST = `
  ${WITH_ALL_TABLES}, logins as (select user_id from password_logins union select user_id from third_party_logins)
  select (select count(*)::int from users) as users,
    (select count(*)::int from users full join logins using (user_id) where users is null or logins is null) as orphans,
    (select count(*)::int from user_aliases join users using (user_id)
       where kind = 'external' and alias = 'old-' || (metadata::jsonb->>'index')) as external`;

function countOf(kind: Kind, lines: number): number {
  let count = 0;
  for (let index = 0; index < lines; index += 1) if (kindOf(index) === kind) count += 1;
  return count;
}
