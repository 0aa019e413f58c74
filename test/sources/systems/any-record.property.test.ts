import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../src/lib/json/exact-json.ts';
import { EXPORT_FORMATS, type SourceRecord, type TableHead } from '../../../src/sources/containers/table.ts';
import { readMapping } from '../../../src/sources/mapping/mapping.ts';
import type { Form, Settings, Source } from '../../../src/sources/source.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import { SOURCES } from '../../../src/sources/sources.ts';
import { readSamples } from '../samples.ts';
import { contextOf, headOf, type TestTable, tablesIn } from './read-users.ts';

/** Runs of each form. RUNS sets another number. */
const RUNS = Number(process.env.RUNS ?? 8);
const SAMPLES = readSamples();

async function tablesOf({ name }: Source): Promise<TestTable[]> {
  const samples = SAMPLES.filter(({ system }) => system === name);
  return (
    await Promise.all(samples.flatMap(({ files, read }) => files.map((file) => tablesIn(file, read))))
  ).flat();
}

const FORMS = (
  await Promise.all(
    SOURCES.map(async (source) => {
      const tables = await tablesOf(source);
      return source.forms.map((form) => ({ name: `${source.name}: ${form.name}`, form, source, tables }));
    }),
  )
).flat();

function columnsOf(form: Form, tables: readonly TestTable[]): string[] {
  const names = new Set(['__proto__', 'constructor', ...tables.flatMap(({ head }) => [...head.columns])]);
  if (tables.some(({ head }) => head.cells !== undefined))
    for (let cell = 0; cell < 53; cell += 1) names.add(`${cell}`);
  const asked: SourceRecord = new Proxy(
    {},
    {
      get(_target, name) {
        if (typeof name === 'string') names.add(name);
        return undefined;
      },
    },
  );
  form.read(asked, contextOf());
  form.keyOf?.(asked);
  for (const { keyOf, keep } of Object.values(form.details ?? {})) {
    keyOf(asked);
    keep(asked);
  }
  return [...names];
}

/** Texts that have a meaning in one column, tried in others. */
const MEANT = [
  ...['', '\u0000', '0', '1', '-1', 't', 'true', 'NULL', '0000-00-00 00:00:00', '9999-12-31', '\ud800'],
  ...['{', '[', '{}', '[]', '[null]', '[{}]', '{"a":{"b":[]}}', '[{"provider":"x","subject":null}]'],
  ...['$', '!', ':', '$2a$', '{CRYPT}', '$fbscrypt$', '$firescrypt$ln=14,r=8,p=1$a$b$c$d', 's2:a:b'],
  ...['ada@example.com', 'public', 'thirdparty', 'emailpassword'],
];
const NUMBERS = [new ExactNumber('12345678901234567890'), -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324];
/** JSON that cannot become text: `String` and keys of objects throw. */
const NO_TEXT: unknown = JSON.parse('{"toString":0,"valueOf":0}');
const MEMBERS = [
  ...['type', 'provider', 'user_id', 'id', 'email', 'value', 'salt', 'algorithm', 'hash', 'password'],
  ...['Name', 'Value', 'via', 'address', 'recipeId', 'tenantIds', 'google', 'config', 'identifiers'],
];

/**
 * Returns values for members: right values in the wrong place, objects like existing ones, and anything else.
 */
function valuesOf(tables: readonly TestTable[]): fc.Arbitrary<unknown> {
  const seen = tables.flatMap(({ records }) => records.flatMap((record) => Object.values(record)));
  const object = fc.dictionary(fc.constantFrom(...MEMBERS), fc.anything());
  return fc.oneof(
    fc.constantFrom<unknown>(NO_TEXT, ...MEANT, ...NUMBERS, ...seen),
    fc.anything({
      withNullPrototype: true,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSparseArray: true,
    }),
    fc.json(),
    object,
    fc.array(fc.oneof(object, fc.constantFrom<unknown>(...MEANT, null)), { maxLength: 3 }),
  );
}

/** Returns settings for a source: none, nonsense, and some that make it read more. */
const settingsOf = ({ settings = {} }: Source): fc.Arbitrary<Settings> =>
  fc.dictionary(
    fc.constantFrom('none', ...Object.keys(settings)),
    fc.oneof(
      fc.constantFrom('yes', '8', 'AAAA', 'sha256', 'google_id,provider_id', 'email=email'),
      fc.string(),
    ),
    { maxKeys: 4 },
  );

describe.each(FORMS)('$name', ({ form, source, tables }) => {
  const columns = columnsOf(form, tables);
  // As in parsed JSON, `__proto__` is an own member.
  const changes = fc.array(fc.tuple(fc.constantFrom(...columns), valuesOf(tables)), { maxLength: 12 });
  const records = fc
    .tuple(fc.constantFrom({}, ...tables.flatMap((table) => table.records)), changes)
    .map(([record, members]): SourceRecord => Object.fromEntries([...Object.entries(record), ...members]));

  it('reads any record, and messages show nothing of it', () => {
    fc.assert(
      fc.property(
        fc.array(records, { minLength: 1, maxLength: 3 }),
        settingsOf(source),
        fc.constantFrom(...EXPORT_FORMATS),
        fc.boolean(),
        (list, settings, container, hasDetails) => {
          const table = headOf(list, { container, name: 'public.users' });
          lookAt(form, table, settings);
          // Nothing is read with a wrong mapping.
          if ('problem' in readMapping(settings)) return;
          const details = () => (hasDetails ? list : []);
          const context = contextOf({ table, settings, details, hasDetail: () => hasDetails });
          for (const record of list) {
            checkUser(form.read(record, context), record);
            for (const { readAlone } of Object.values(form.details ?? {}))
              checkUser(readAlone?.(record, context), record);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});

const textOrNone = (value: unknown) => value === undefined || typeof value === 'string';

function lookAt(form: Form, table: TableHead, settings: Settings): void {
  for (const isNamed of [true, false])
    expect(form.isUsers(table, settings, { tables: [table], isNamed })).toBeTypeOf('boolean');
  expect(form.isUsers(table, settings)).toBeTypeOf('boolean');
  for (const { text } of form.advice?.({ tables: [table], settings }) ?? []) {
    expect(text).toMatch(/\S$/);
    for (const record of table.first) expectNothingOf(record, text);
  }
  for (const record of table.first) {
    expect(textOrNone(form.keyOf?.(record))).toBe(true);
    for (const { fits, keyOf, keep } of Object.values(form.details ?? {})) {
      expect(fits(table)).toBeTypeOf('boolean');
      expect(textOrNone(keyOf(record))).toBe(true);
      expect(['object', 'undefined']).toContain(typeof keep(record));
    }
  }
}

function checkUser(user: SourceUser | undefined, record: SourceRecord): void {
  if (user === undefined) return;
  expect([user.externalUserId, user.email, ...(user.emails ?? [])].every(textOrNone)).toBe(true);
  expect([undefined, true, false]).toContain(user.isVerified);
  for (const { provider, userId } of user.identities ?? [])
    expect([typeof provider, typeof userId]).toEqual(['string', 'string']);
  const { password } = user;
  if (password === undefined) return;
  if ('encoded' in password) expect(password.encoded).toBeTypeOf('string');
  if ('message' in password) expectNothingOf(record, password.message);
}

/**
 * Checks that no text of the record is in the message. Only texts that are too long to occur by chance are
 * compared.
 */
function expectNothingOf(record: SourceRecord, message: string): void {
  for (const value of Object.values(record))
    if (typeof value === 'string' && value.length > 16) expect(message).not.toContain(value);
}
