import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ImportRequest } from '../../../src/imports/import-request.ts';
import { RepeatedIds } from '../../../src/imports/stream/repeated-ids.ts';
import { createTestApp } from '../../support/app.ts';
import { removeEverything } from '../../support/database.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../support/example-hashes.ts';
import { rolledBack } from '../../support/import-calls.ts';
import { countUsers, signInStatus } from '../../support/service-calls.ts';
import { userRows } from '../../support/user-tables.ts';
import { type Cut, runStream } from '../import-under-test.ts';

const service = await createTestApp();
afterAll(() => service.close());
afterEach(() => removeEverything(service.database.db));

const password = (email: string, passwordHash: string, more: object = {}) => ({
  ...{ recipeId: 'emailpassword', email, passwordHash, timeJoinedInMSSinceEpoch: 1_500_000_000_001, ...more },
});
const google = (name: string, more: object = {}) => ({
  ...{
    recipeId: 'thirdparty',
    thirdPartyId: 'google',
    thirdPartyUserId: name,
    email: `${name}@b.c`,
    ...more,
  },
});
const user = (externalUserId: string, email: string, passwordHash = BCRYPT.hash) => ({
  ...{ externalUserId, loginMethods: [password(email, passwordHash)] },
});
const attacker = password('mallory@b.c', OTHER_BCRYPT.hash);

/** Ways to write a second line with the id `bob`. */
const SECOND: [way: string, line: string][] = [
  ['the same id', JSON.stringify({ externalUserId: 'bob', loginMethods: [attacker] })],
  ['a space behind it', JSON.stringify({ externalUserId: 'bob ', loginMethods: [attacker] })],
  ['control characters', JSON.stringify({ externalUserId: '\t\u0001bob\n', loginMethods: [attacker] })],
  ['escapes', JSON.stringify({ externalUserId: 'X', loginMethods: [attacker] }).replace('X', '\\u0062ob')],
  [
    'a member that occurs twice',
    JSON.stringify({ externalUserId: 'X', loginMethods: [attacker] }).replace(
      '"X"',
      '"x","externalUserId":"bob"',
    ),
  ],
  ['the primary method', JSON.stringify({ loginMethods: [{ ...attacker, externalUserId: 'bob' }] })],
  [
    'both',
    JSON.stringify({ externalUserId: 'bob', loginMethods: [{ ...attacker, externalUserId: ' bob' }] }),
  ],
  [
    'another method',
    JSON.stringify({
      externalUserId: 'mallory',
      loginMethods: [{ ...attacker, isPrimary: true }, google('m', { externalUserId: 'bob ' })],
    }),
  ],
];

/** First lines with the id, and what becomes of them. */
const FIRST: [what: string, line: unknown, status: string][] = [
  ['was imported', user('bob', 'bob@b.c'), 'CREATED'],
  ['was imported with a space', user(' bob ', 'bob@b.c'), 'CREATED'],
  ['has a wrong hash', user('bob', 'bob@b.c', 'no hash'), 'FAILED'],
  ['has no login', { externalUserId: 'bob' }, 'FAILED'],
  ['has a taken address', user('bob', 'taken@b.c'), 'FAILED'],
  [
    'names a login method',
    {
      externalUserId: 'b',
      loginMethods: [
        { ...google('b'), isPrimary: true },
        password('bob@b.c', BCRYPT.hash, { externalUserId: 'bob' }),
      ],
    },
    'CREATED',
  ],
];

const MODES: [mode: string, options: Partial<ImportRequest>][] = (['login', 'externalId'] as const).flatMap(
  (matchBy) =>
    [false, true].map((dryRun): [string, Partial<ImportRequest>] => [
      `${matchBy}${dryRun ? ', dry run' : ''}`,
      { matchBy, dryRun },
    ]),
);

const text = (lines: readonly unknown[]) =>
  lines.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');

let runs = 0;
function run(lines: readonly unknown[], options: Partial<ImportRequest>, maxLines: number, cut?: Cut) {
  runs += 1;
  const limits = { maxLines, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 };
  return runStream(
    { db: service.database.db, passwords: service.passwords },
    { importId: `run-${runs}`, source: 's', onConflict: 'fail', dryRun: false, ...options },
    { bytes: Buffer.from(text(lines)), pace: { sizes: [64_000], pauses: false }, limits },
    cut,
  );
}
const outcomes = ({ results }: Awaited<ReturnType<typeof run>>) =>
  results.map(({ status, code }) => code ?? status);

describe.each(MODES)('a second line with an external id (%s)', (_, options) => {
  describe.each([
    ['one chunk', 2000],
    ['several chunks', 1],
  ])('in %s', (__, maxLines) => {
    const isExact = ([what]: readonly [string, ...unknown[]]) => !/space|control|both|another/.test(what);
    const isMatching = options.matchBy === 'externalId';
    const seconds = isMatching ? SECOND.filter(isExact) : SECOND;
    it.each(seconds)('fails, whatever became of the first: %s', async (way, second) => {
      const firsts = isMatching ? FIRST.filter(isExact) : FIRST;
      // Each way to write the second line is tried once, and one of them after every first line.
      for (const [what, first, status] of way === 'the same id' ? firsts : firsts.slice(0, 1)) {
        await run([user('taken', 'taken@b.c')], {}, 10);
        // The blank line and the users between them fill and delay chunks.
        const between = Array.from({ length: 4 }, (____, index) => user(`${index}`, `${index}@b.c`));
        const [result, ...rest] = outcomes(
          await run(
            [first, '', ...between, second],
            { ...options, importId: `${what}-${maxLines}` },
            maxLines,
          ),
        );
        expect([what, status === 'FAILED' ? result !== 'CREATED' : result === 'CREATED']).toEqual([
          what,
          true,
        ]);
        expect([what, rest.at(-1)]).toEqual([what, 'EXTERNAL_ID_REPEATED']);
        expect(await signInStatus(service, attacker.email, OTHER_BCRYPT.password)).toBe(
          'WRONG_CREDENTIALS_ERROR',
        );
        await removeEverything(service.database.db);
      }
    });
  });
});

it.each(SECOND.filter(([what]) => /space|control|both|another/.test(what)))(
  'an import that matches by external id refuses ids with blanks, and keeps their place free: %s',
  async (_what, line) => {
    const options = { matchBy: 'externalId' as const, onConflict: 'overwrite' as const };
    for (const lines of [
      [line, user('bob', 'bob@b.c')],
      [user('bob', 'bob@b.c'), line],
    ]) {
      const results = outcomes(await run(lines, options, 10));
      expect(results[lines.indexOf(line)]).toBe('FIELD_INVALID');
      expect(results[1 - lines.indexOf(line)]).toMatch(/CREATED|UNCHANGED/);
    }
    const { body } = await service.send('GET', '/user/id?userId=bob');
    expect(body.user.emails).toEqual(['bob@b.c']);
    expect(await signInStatus(service, 'mallory@b.c', OTHER_BCRYPT.password)).toBe('WRONG_CREDENTIALS_ERROR');
    await removeEverything(service.database.db);
  },
);

describe('a second line with an external id', () => {
  const second = SECOND[0]?.[1];

  it.each([1, 2000])('fails when an interrupted import is resumed (chunks of %d)', async (maxLines) => {
    for (const first of [user('bob', 'bob@b.c'), user('bob', 'bob@b.c', 'no hash')]) {
      runs += 1;
      const options = {
        importId: `resumed-${runs}`,
        matchBy: 'externalId' as const,
        onConflict: 'overwrite' as const,
      };
      const lines = [first, '', user('1', '1@b.c'), second];
      await run(lines, options, maxLines, { of: 'bytes', after: text(lines.slice(0, 3)).length });
      expect(outcomes(await run(lines, options, maxLines)).at(-1)).toBe('EXTERNAL_ID_REPEATED');
      expect(outcomes(await run(lines, options, maxLines)).at(-1)).toBe('EXTERNAL_ID_REPEATED');
      await removeEverything(service.database.db);
    }
  });

  it.each([1, 2000])(
    'fails if the first is deferred, and if it is itself (chunks of %d)',
    async (maxLines) => {
      const options = { matchBy: 'externalId' as const, onConflict: 'overwrite' as const };
      await run([user('a', 'a@b.c'), user('b', 'b@b.c')], options, 10);
      const report = await run(
        [
          user('a', 'b@b.c'),
          '',
          user('b', 'a@b.c'),
          user('a', 'b@b.c', OTHER_BCRYPT.hash),
          user('b', 'c@b.c'),
        ],
        options,
        maxLines,
      );
      expect(report.results.map(({ line, status, code }) => [line, code ?? status])).toEqual([
        [1, 'DEFERRED'],
        [3, 'DEFERRED'],
        [4, 'EXTERNAL_ID_REPEATED'],
        [5, 'EXTERNAL_ID_REPEATED'],
        [1, 'UPDATED'],
        [3, 'UPDATED'],
      ]);
      expect(await signInStatus(service, 'b@b.c', BCRYPT.password)).toBe('OK');
    },
  );

  it('changes nothing, so that a rollback restores what was before, also after a sign-in', async () => {
    await run([user('bob', 'bob@b.c')], {}, 10);
    const before = await userRows(service.database.db);
    const options = { importId: 'again', matchBy: 'externalId' as const, onConflict: 'overwrite' as const };
    const report = await run([user('bob', 'robert@b.c'), '', second], options, 10);
    expect(outcomes(report)).toEqual(['UPDATED', 'EXTERNAL_ID_REPEATED']);
    expect(await signInStatus(service, attacker.email, OTHER_BCRYPT.password)).toBe(
      'WRONG_CREDENTIALS_ERROR',
    );
    expect(await rolledBack(service, 'again')).toEqual({ usersRestored: 1 });
    expect(await userRows(service.database.db)).toEqual(before);
  });

  it('counts a mention as the first line, and is no error if it is one', async () => {
    const options = { matchBy: 'externalId' as const, onConflict: 'overwrite' as const, deleteMissing: 0 };
    const lines = [{ externalUserId: 'bob' }, '', second, { externalUserId: ' bob' }];
    expect(outcomes(await run(lines, options, 10))).toEqual(['EXTERNAL_ID_REPEATED', 'FIELD_INVALID']);
    expect(await countUsers(service)).toBe(0);
  });
});

it('finds every repeated id among many, and no other', () => {
  const ids = new RepeatedIds();
  let line = 0;
  const repeats = (id: string) => {
    line += 1;
    return ids.isRepeat(line, [id]);
  };
  const wrong: number[] = [];
  for (let index = 0; index < 300_000; index += 1) if (repeats(`${index}`)) wrong.push(index);
  for (let index = 0; index < 300_000; index += 997) if (!repeats(`${index}`)) wrong.push(index);
  expect(wrong).toEqual([]);
});

it('a line has the same answer whenever it is read, and lines must come in order', () => {
  const ids = new RepeatedIds();
  expect([ids.isRepeat(1, ['a', 'a']), ids.isRepeat(2, ['b', 'a']), ids.isRepeat(3, ['b'])]).toEqual([
    ...[false, true, true],
  ]);
  expect([ids.isRepeat(1, ['a']), ids.isRepeat(2, ['b', 'a']), ids.isRepeat(3, ['b'])]).toEqual([
    ...[false, true, true],
  ]);
  expect(() => ids.isRepeat(5, ['c'])).toThrow('out of order');
});
