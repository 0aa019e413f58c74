import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import {
  copyBigint,
  copyBoolean,
  copyBytes,
  copyInteger,
  copyOf,
  copyText,
  copyTexts,
  copyTime,
  copyUuid,
} from '../../../src/postgres/client/copy-in.ts';
import { useTestDatabase } from '../../support/database.ts';

/** Everything that PostgreSQL can store: all of Unicode but NUL, and texts of all lengths that differ in how they are sent. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom(
    '',
    '\\N',
    'a\tb\\\n',
    'NULL',
    '{"}',
    'é'.repeat(70_000),
    'a'.repeat(1023),
    'a'.repeat(1024),
  ),
);
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
/** In microseconds. Times before 1715 and after 2284 are no numbers that JavaScript represents exactly. */
const times = fc
  .tuple(
    fc.date({ min: new Date('1715-01-01'), max: new Date('2284-12-31'), noInvalidDate: true }),
    fc.integer({ min: 0, max: 999_999 }),
  )
  .map(([date, micros]) => `${date.toISOString().slice(0, 19)}.${`${micros}`.padStart(6, '0')}`)
  // PostgreSQL writes no zeros at the end.
  .map((time) => `${time.replace(/\.?0*$/, '')}+00:00`);

const values = fc.record({
  text: optional(texts),
  texts: fc.array(texts, { maxLength: 3 }),
  // Rows may be cut anywhere between messages, also before bytes that look like the end of a file.
  bytes: optional(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.constant(Buffer.alloc(100_000, 0xff)),
    ),
  ),
  boolean: fc.boolean(),
  integer: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  bigint: fc.maxSafeInteger(),
  uuid: fc.uuid(),
  time: times,
});

const COLUMNS = {
  text: 'text',
  texts: 'text[]',
  bytes: 'bytea',
  boolean: 'boolean',
  integer: 'integer',
  bigint: 'bigint',
  uuid: 'uuid',
  time: 'timestamptz',
};

it('PostgreSQL reads back the values that were written', async () => {
  const { db } = await useTestDatabase();
  const names = Object.keys(COLUMNS);
  const types = Object.entries(COLUMNS).map((column) => column.join(' '));
  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 300 }), async (written) => {
      const rows = written.map(
        ({ text, texts, bytes, boolean, integer, bigint, uuid, time }) =>
          copyText(text) +
          copyTexts(texts) +
          copyBytes(bytes) +
          copyBoolean(boolean) +
          (copyInteger(integer) + copyBigint(bigint) + copyUuid(uuid) + copyTime(time)),
      );
      const read = await db.connection((connection) =>
        connection.transaction(async () => {
          await connection.query(
            `create temporary table read (n serial, ${types.join(', ')}) on commit drop`,
          );
          await connection.copy([copyOf('read', names, rows)]);
          return connection.query(
            `select text, texts, bytes, "boolean", "integer", "bigint", uuid, to_json(time) #>> '{}' as time
             from read order by n`,
          );
        }, "begin; set local timezone = 'UTC'"),
      );
      expect(read).toEqual(
        written.map(({ text, texts, bytes, bigint, ...others }) => ({
          ...others,
          text: text ?? null,
          texts: texts.length === 0 ? null : texts,
          bytes: bytes ?? null,
          bigint: `${bigint}`,
        })),
      );
    }),
    { numRuns: 50 },
  );
});

it('accepts times of any time zone', () => {
  const utc = copyTime('2026-12-01T03:04:05.06+00:00');
  expect(copyTime('2026-12-01T08:34:05.06+05:30')).toBe(utc);
  expect(copyTime('2026-11-30T23:04:05.060000-04:00')).toBe(utc);
});

it('leaves NUL to PostgreSQL, which refuses it, and replaces half surrogate pairs', () => {
  expect(copyText('\0')).toBe('\0\0\0\x01\0');
  expect(copyText('\ud83d')).toBe(copyText('\ufffd'));
});

const REFUSED: [string, string, (() => string)[]][] = [
  [
    'times',
    'not a',
    ['2026-12-01 00:00:00+00', '2026-12-01T00:00:00Z', '2300-01-01T00:00:00+00:00', 'infinity', ''].map(
      (time) => () => copyTime(time),
    ),
  ],
  [
    'UUIDs',
    'not a UUID in lower case',
    ['', '0190A1B2-C3D4-7E5F-8A6B-7C8D9E0F1A2B', '0190a1b2c3d47e5f8a6b7c8d9e0f1a2b', 'nonsense'].map(
      (id) => () => copyUuid(id),
    ),
  ],
  [
    'integers',
    'not an integer of four bytes',
    [2 ** 31, -(2 ** 31) - 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY].map(
      (value) => () => copyInteger(value),
    ),
  ],
  [
    'bigints',
    'not a safe integer',
    [2 ** 53, -(2 ** 53), -0.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY].map(
      (value) => () => copyBigint(value),
    ),
  ],
];

it.each(REFUSED)('refuses what would become another value: %s', (_, message, writes) => {
  for (const write of writes) expect(write).toThrow(message);
});

it('refuses an empty id also if it is the first', async () => {
  vi.resetModules();
  const fresh = await import('../../../src/postgres/client/copy-in.ts');
  expect(() => fresh.copyUuid('')).toThrow('not a UUID in lower case');
});
