import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRecord } from '../../../src/sources/containers/table.ts';
import { hashInBytea, readBytea } from '../../../src/sources/pipeline/read-tables.ts';
import { fileOf } from '../containers/read-whole.ts';
import { planOf, verdictsOf } from '../samples.ts';

const BCRYPT = '$2b$04$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const bytea = (text: string) => `\\x${Buffer.from(text).toString('hex')}`;

it('reads a hash that is stored as text in bytes', () => {
  for (const hash of [BCRYPT, '{SSHA}abcdef', 'pbkdf2_sha256$1$a$b', '5f4dcc3b5aa765d61d8327deb882cf99'])
    expect(hashInBytea(bytea(hash))).toBe(hash);
});

it('does not change other bytes and texts', () => {
  for (const text of [
    ...['', '\\', '\\x', '\\x2', '\\xzz'],
    BCRYPT,
    bytea('Ada'),
    bytea(`${BCRYPT}\n`),
    '\\x24ff24',
  ])
    expect(hashInBytea(text)).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 64 }), (bytes) => {
      const decoded = hashInBytea(`\\x${Buffer.from(bytes).toString('hex')}`);
      expect(decoded === undefined || Buffer.from(decoded).equals(bytes)).toBe(true);
    }),
  );
});

it('returns the same record if it has no such bytes', () => {
  const record = { id: '1', salt: '\\x0102', list: [1] };
  expect(readBytea(record)).toBe(record);
  const bad = new BadRecord('SQL_INVALID', 'x');
  expect(readBytea(bad)).toBe(bad);
  expect(readBytea({ id: '1', hash: bytea(BCRYPT) })).toEqual({ id: '1', hash: BCRYPT });
});

describe('a table with hashes in bytea', () => {
  const import_ = async (text: string, options: Record<string, string>) => {
    const verdicts = await verdictsOf(await planOf({ files: [{ ...fileOf(text), name: 'x' }], options }));
    return verdicts.map(({ line }) => JSON.parse(line ?? '{}').loginMethods?.[0]?.passwordHash);
  };
  const map = { map: 'id=id,email=email,hash=hash', table: 'public.password' };

  it.each([
    ['COPY', `COPY public.password (id, email, hash) FROM stdin;\n1\ta@x.org\t\\${bytea(BCRYPT)}\n\\.\n`],
    ['INSERT', `INSERT INTO public.password (id, email, hash) VALUES (1, 'a@x.org', '${bytea(BCRYPT)}');\n`],
  ])('is imported from %s', async (_, rows) => {
    const dump = `SET standard_conforming_strings = on;\nCREATE TABLE public.password (id integer, email text, hash bytea NOT NULL);\n${rows}`;
    expect(await import_(dump, map)).toEqual([BCRYPT]);
  });

  it('is imported from CSV', async () => {
    expect(await import_(`id,email,hash\n1,a@x.org,${bytea(BCRYPT)}\n`, {})).toEqual([BCRYPT]);
  });

  it('is imported from JSON, as json_agg writes it', async () => {
    const user = { id: 1, email: 'a@x.org', hash: bytea(BCRYPT) };
    expect(await import_(JSON.stringify([user]), {})).toEqual([BCRYPT]);
  });
});
