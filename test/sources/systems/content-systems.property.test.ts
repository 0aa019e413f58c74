import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/sources/containers/table.ts';
import type { Form, Source } from '../../../src/sources/source.ts';
import { discourse } from '../../../src/sources/systems/discourse.ts';
import { drupal } from '../../../src/sources/systems/drupal.ts';
import { generic } from '../../../src/sources/systems/generic.ts';
import { ghost } from '../../../src/sources/systems/ghost.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { magento } from '../../../src/sources/systems/magento.ts';
import { meteor } from '../../../src/sources/systems/meteor.ts';
import { nhost } from '../../../src/sources/systems/nhost.ts';
import { parse } from '../../../src/sources/systems/parse.ts';
import { passportLocalMongoose } from '../../../src/sources/systems/passport-local-mongoose.ts';
import { shadow } from '../../../src/sources/systems/shadow.ts';
import { strapi } from '../../../src/sources/systems/strapi.ts';
import { readSamples } from '../samples.ts';
import { NOW_MS } from './small-pipeline.ts';
import { smallTable, smallTablesOf } from './small-tables.ts';

const SYSTEMS: readonly Source[] = [
  nhost,
  strapi,
  parse,
  meteor,
  passportLocalMongoose,
  discourse,
  drupal,
  magento,
  ghost,
  ldif,
  shadow,
  generic,
];

/** Columns that the samples lack. */
const FURTHER = [
  ...['_auth_data_x', '_auth_data_mfa', 'authData', '_account_lockout_expires_at', 'objectId', '_verified'],
  ...[
    'suspended_till',
    'salt',
    'password_algorithm',
    'moderator',
    'default_langcode',
    'lock_expires',
    'deleted_at',
  ],
  ...['userpassword', 'pwdaccountlockedtime', 'useraccountcontrol', 'nsaccountlock', 'mobile', 'memberof'],
  ...['provider', 'provider_user_id', 'type', 'active', 'roles', '__proto__', 'constructor'],
];

const columnsOf = (source: Source) => {
  const files = readSamples()
    .filter(({ system }) => system === source.name)
    .flatMap((sample) => sample.files);
  const tables = files.flatMap(({ name }) => smallTablesOf(`${source.name}/${name}`));
  return [...new Set([...tables.flatMap(({ head }) => [...head.columns]), ...FURTHER])];
};

/** Anything, and what comes near to what is expected. */
const value = fc.oneof(
  fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true, withSparseArray: true }),
  fc.json(),
  fc.array(fc.string()),
  fc.constantFrom<unknown>(
    '{',
    '[',
    '$',
    ':',
    '$2a$',
    '{CRYPT}',
    '!',
    '0',
    '-1',
    '{}',
    '[null]',
    [null],
    [[]],
  ),
  fc.record({ password: fc.anything(), google: fc.anything(), id: fc.anything(), address: fc.anything() }),
);

/** Records that have some of the columns, as JSON makes them: `__proto__` is a member of its own. */
const recordOf = (columns: readonly string[]): fc.Arbitrary<SourceRecord> =>
  fc.array(fc.tuple(fc.constantFrom(...columns), value), { maxLength: 12 }).map(Object.fromEntries);

describe.each(SYSTEMS)('$name', (source) => {
  const record = recordOf(columnsOf(source));
  const containers = fc.constantFrom('json', 'csv', 'sql', 'ldif', 'shadow', 'hash-config');
  const settings = fc.dictionary(
    fc.constantFrom('emailDomain', 'digest', 'iterations', 'map', 'hash', 'plainTextPasswords'),
    fc.string(),
  );

  it('reads anything that stands in a record', () => {
    fc.assert(
      fc.property(record, fc.array(record, { maxLength: 3 }), (one, found) => {
        for (const form of source.forms) readWith(form, one, found);
      }),
      { numRuns: 300 },
    );
  });

  it('looks at any table', () => {
    fc.assert(
      fc.property(containers, fc.array(record, { maxLength: 3 }), settings, (container, records, said) => {
        const { head } = smallTable(container, records, { name: 'public.users' });
        for (const form of source.forms) {
          expect(typeof form.isUsers(head, said)).toBe('boolean');
          for (const detail of Object.values(form.details ?? {})) detail.fits(head);
          for (const { text } of form.advice?.({ tables: [head], settings: said }) ?? [])
            expect(text).toMatch(/\S$/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function readWith(form: Form, record: SourceRecord, found: readonly SourceRecord[]): void {
  const { head } = smallTable('json', [record]);
  for (const detail of Object.values(form.details ?? {}))
    for (const one of found) {
      detail.keyOf(one);
      detail.keep(one);
    }
  form.keyOf?.(record);
  form.read(record, {
    table: head,
    settings: {},
    nowMs: NOW_MS,
    details: () => found,
    hasDetail: () => true,
    drop: () => undefined,
  });
}
