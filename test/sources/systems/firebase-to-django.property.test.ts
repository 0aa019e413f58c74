import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import type { Form } from '../../../src/sources/source.ts';
import { FIREBASE_TO_DJANGO } from './firebase-to-django.ts';
import { context } from './read-tables.ts';
import { filesOfSample, headOf, type SampleTable, tablesOfSample } from './sample-tables.ts';

const SETTINGS = [
  {},
  {
    memCost: '14',
    rounds: '8',
    saltSeparator: 'Bw==',
    signerKey: 'AAAA',
    usernameIsEmail: 'yes',
    pepper: 'yes',
  },
];

const FORMS = FIREBASE_TO_DJANGO.flatMap(({ name: system, forms }) => {
  const tables = filesOfSample(system).flatMap((file) => tablesOfSample(`${system}/${file}`));
  return forms.map((form) => ({ title: `${system}: ${form.name}`, form, tables }));
});

/** The members that the form asks for, and those of the samples. */
function columnsOf({ read, keyOf, details = {} }: Form, tables: readonly SampleTable[]): string[] {
  const names = new Set(tables.flatMap(({ head }) => [...head.columns]));
  for (const { head } of tables)
    if (head.cells !== undefined) for (let at = 0; at < 53; at += 1) names.add(`${at}`);
  const asked: SourceRecord = new Proxy(
    {},
    {
      get: (_target, name) => {
        if (typeof name === 'string') names.add(name);
        return undefined;
      },
    },
  );
  read(asked, context({ table: headOf([]) }));
  keyOf?.(asked);
  for (const detail of Object.values(details)) {
    detail.keyOf(asked);
    detail.keep(asked);
  }
  return [...names];
}

/** Whatever a member may be: the right value in the wrong place, objects like those that are there, JSON, and anything else. */
function membersOf(tables: readonly SampleTable[]) {
  const values = tables.flatMap(({ records }) => records.flatMap((record) => Object.values(record)));
  const name = fc.constantFrom(
    'type',
    'provider',
    'user_id',
    'id',
    'email',
    'value',
    'salt',
    'algorithm',
    'hash',
    'Name',
    'Value',
  );
  return fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('', '$', '{', '[]', '{}', '[{}]', 'true', '\u0000', '$2a$', '$fbscrypt$', '!', ...values),
    fc.anything(),
    fc.string(),
    fc.dictionary(name, fc.anything()),
    fc.array(fc.dictionary(name, fc.anything()), { maxLength: 3 }),
    fc.json(),
  );
}

describe.each(FORMS)('$title', ({ form, tables }) => {
  const columns = columnsOf(form, tables);
  const records = fc
    .tuple(
      fc.constantFrom({}, ...tables.flatMap((table) => table.records)),
      fc.array(fc.tuple(fc.constantFrom(...columns), membersOf(tables)), { maxLength: 12 }),
    )
    .map(([record, members]): SourceRecord => ({ ...record, ...Object.fromEntries(members) }));
  const containers = fc.constantFrom('json' as const, 'csv' as const, 'sql' as const);
  const settings = fc.constantFrom(...SETTINGS);

  it('reads whatever is in a record, and shows nothing of it', () => {
    fc.assert(
      fc.property(
        fc.array(records, { minLength: 1, maxLength: 3 }),
        settings,
        containers,
        (list, set, container) => {
          const table = headOf(list, { container, columns: new Set(columns) });
          const found = () => list;
          for (const record of list) {
            form.keyOf?.(record);
            for (const detail of Object.values(form.details ?? {})) {
              detail.keyOf(record);
              detail.keep(record);
              detail.readAlone?.(record, context({ table, settings: set }));
            }
            for (const details of [() => [], found]) {
              const user = form.read(record, context({ table, settings: set, details }));
              if (user?.password !== undefined && 'message' in user.password)
                expectNoneOf(record, user.password.message);
              expect(typeof (user?.externalUserId ?? '')).toBe('string');
              expect(typeof (user?.email ?? '')).toBe('string');
            }
          }
          form.isUsers(table, set, { tables: [table], isNamed: true });
          form.isUsers(table, set);
          for (const { text } of form.advice?.({ tables: [table], settings: set }) ?? []) {
            for (const record of list) expectNoneOf(record, text);
          }
        },
      ),
      { numRuns: 80 },
    );
  });
});

/** Texts that are long enough not to stand in a message by chance. */
function expectNoneOf(record: SourceRecord, message: string): void {
  for (const value of Object.values(record)) {
    if (typeof value === 'string' && value.length > 16) expect(message).not.toContain(value);
  }
}
