import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createTestApp } from '../../support/app.ts';
import { bodyOf } from '../../support/staging.ts';
import { PASSWORD } from '../../support/user-forms.ts';
import { WITH_ALL_TABLES } from '../../support/with-all-tables.ts';

const service = await createTestApp({ stagedWaits: true });
afterAll(() => service.close());

/** White space of JSON. */
const space = fc.constantFrom('', '', '', ' ', '\t', ' \r ');
const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
/** Every number of the JSON grammar. */
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(25).map((text) => `1${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      digits(25).map((text) => `.${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), digits(3)).map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''));
/** Texts that could be mistaken for numbers, for the end of a text, or for punctuation. */
const text = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'1.0-e"\\,:{}[] ü\ue000\u2028'), maxLength: 12 }),
    fc.constantFrom('\ue000exact', '__proto__', 'userMetadata', 'a\n'),
  )
  .map((value) => JSON.stringify(value));

const spaced = (...parts: string[]) =>
  fc
    .tuple(...parts.map(() => space))
    .map((spaces) => parts.flatMap((part, index) => [spaces[index], part]).join(''));

const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(number, number, text, fc.constantFrom('true', 'false', 'null')),
    fc.array(tie('value'), { maxLength: 5 }).chain((values) => spaced(`[${values.join(' ,')}`, ']')),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(text, tie('value')), { maxLength: 5, selector: ([name]) => name })
    // JSON.parse moves members with index names to the front.
    .map((members) => members.filter(([name]) => !/^"\d+"$/.test(name)))
    .chain((members) => spaced('{', members.map(([name, value]) => `${name} : ${value}`).join(','), '}')),
}));

/** Returns the tokens of a JSON text without white space. This parser is independent of the tested one. */
const tokensOf = (json: string) => json.match(/"(?:[^"\\]|\\.)*"|[^\s"[\]{}:,]+|[[\]{}:,]/g);

let place = 0;
/** Returns a new user with this metadata, as JSON. */
const userWith = (metadata: string) => {
  place += 1;
  const login = JSON.stringify({ ...PASSWORD, email: `${place}@b.c` });
  return {
    id: `id-${place}`,
    json: `{"externalUserId":"id-${place}","userMetadata":${metadata},"loginMethods":[${login}]}`,
  };
};

async function storedOf(ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await service.database.db.query<{ alias: string; metadata: string }>(
    `${WITH_ALL_TABLES} select alias, metadata from users join user_aliases using (user_id) where alias = any ($1)`,
    [ids],
  );
  return new Map(rows.map(({ alias, metadata }) => [alias, metadata]));
}

async function expectKept(users: { id: string }[], metadata: readonly string[]): Promise<void> {
  const stored = await storedOf(users.map(({ id }) => id));
  expect(users.map(({ id }) => tokensOf(stored.get(id) ?? ''))).toEqual(metadata.map(tokensOf));
}

it('metadata of any kind is stored and listed with the same names, texts and numbers', async () => {
  const some = fc.array(object, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(some, async (metadata) => {
      const streamed = metadata.map(userWith);
      const headers = { 'content-type': 'application/x-ndjson' };
      const lines = streamed.map(({ json }) => json).join('\n');
      expect((await service.send('POST', '/bulk-import/stream', lines, headers)).status).toBe(200);
      await expectKept(streamed, metadata);

      const staged = metadata.map(userWith);
      const body = `{"users":[${staged.map(({ json }) => json).join(',')}]}`;
      expect((await service.send('POST', '/bulk-import/users', body)).status).toBe(200);
      const listed = await service.send('GET', '/bulk-import/users?limit=500');
      expect(bodyOf(listed).users).toHaveLength(staged.length);
      const tokens = tokensOf(listed.text)?.join(' ');
      for (const one of metadata) expect(tokens).toContain(`"userMetadata" : ${tokensOf(one)?.join(' ')}`);
      await service.staged.idle();
      await expectKept(staged, metadata);

      const [first = '{}'] = metadata;
      const atOnce = userWith(first);
      expect((await service.send('POST', '/bulk-import/import', atOnce.json)).status).toBe(200);
      await expectKept([atOnce], [first]);
    }),
    { numRuns: 25 },
  );
});
