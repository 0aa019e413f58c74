import { afterAll, expect, it } from 'vitest';
import { testPasswords } from '../../support/app.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runStream } from '../import-under-test.ts';

const passwords = testPasswords();
const database = await createTestDatabase();
afterAll(() => database.drop());

const SENT_BYTES = 20_000;
const LIMITS = { maxLines: 2000, maxBytes: 1024 * 1024, idleMs: 1000, maxAgeMs: 60_000 };

/** Yields pseudo-random numbers, the same in each run. */
function* random(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state;
  }
}

const numbers = random();
const oneOf = (values: readonly string[]) => values[numbers.next().value % values.length] as string;
const GARBAGE = Array.from('abcdefghijklmnopqrstuvwxyz#;/!?');
/** Lines that fail for different reasons. */
const FAILING = ['x', '1', '{}', '[]', '{"a":1}', '{"email":1}', '{"email":""}', '{"loginMethods":1}'];
let user = 0;

/** Kinds of lines that are cheap to send. */
const KINDS: Record<string, () => string> = {
  blank: () => '',
  'of blanks': () => oneOf(['', ' ', '\t', '  ', '\r']),
  empty: () => '{}',
  'one byte': () => oneOf(GARBAGE),
  'one byte each, all alike': () => 'x',
  'like comments': () => oneOf(['#', '//', '-- x', '# a comment', '']),
  'garbage between blanks': () => oneOf(['x', '']),
  'failing for several reasons': () => oneOf(FAILING),
  'failing, of random numbers': () => String(numbers.next().value),
  'of unknown fields': () => `{"${oneOf(GARBAGE)}${oneOf(GARBAGE)}":1}`,
  'of wrong addresses': () => `{"email":"${oneOf(GARBAGE)}${numbers.next().value % 1000}"}`,
  'of hashes that nobody knows': () => `{"email":"a@b","passwordHash":"$${numbers.next().value}$"}`,
  'of algorithms that nobody knows': () =>
    `{"email":"a@b","passwordHash":"x","hashingAlgorithm":"${numbers.next().value}"}`,
  'of secrets that nobody knows': () =>
    `{"email":"a@b","passwordHash":"x","hashingSecretId":"${numbers.next().value}"}`,
  'of many wrong members': () =>
    `{"loginMethods":[{"recipeId":${numbers.next().value % 10},"email":1,"isPrimary":1}]}`,
  'not UTF-8': () => '\xff',
  'the same user again and again': () =>
    '{"loginMethods":[{"recipeId":"thirdparty","email":"a@b.c","thirdPartyId":"g","thirdPartyUserId":"1"}]}',
  'the users before them again': () => {
    user += 1;
    const id = user % 500;
    return `{"loginMethods":[{"recipeId":"thirdparty","email":"a@b.c","thirdPartyId":"g","thirdPartyUserId":"${id}"}]}`;
  },
};

/** Returns the bytes of everything an import stores beside its users. */
async function storedBytes(): Promise<number> {
  const [row] = await database.db.query<{ bytes: string }>(`
    select coalesce((select sum(pg_column_size(c.*)) from import_chunks c), 0)
      + coalesce((select sum(pg_column_size(f.*)) from import_failures f), 0)
      + coalesce((select sum(pg_column_size(i.*)) from imports i), 0) as bytes`);
  return Number(row?.bytes);
}

it.each(Object.entries(KINDS))('lines %s take no more room than when they were sent', async (kind, make) => {
  for (const dryRun of [false, true]) {
    const lines: string[] = [];
    for (let bytes = 0; bytes < SENT_BYTES; bytes += (lines.at(-1)?.length ?? 0) + 1) lines.push(make());
    const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
    const stream = { bytes, pace: { sizes: [65_536], pauses: false }, limits: LIMITS };
    const before = await storedBytes();
    const request = { importId: `${kind} ${dryRun}`, dryRun, onConflict: 'update-unchanged' as const };
    await runStream({ db: database.db, passwords }, request, stream);
    const ratio = ((await storedBytes()) - before) / bytes.length;
    expect(ratio).toBeLessThanOrEqual(1.1);
  }
});
