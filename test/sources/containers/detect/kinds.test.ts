import { describe, expect, it } from 'vitest';
import { openContainer } from '../../../../src/sources/containers/open-container.ts';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import { choosePlan } from '../../../../src/sources/pipeline/choose-plan.ts';
import { surveyFile } from '../../../../src/sources/pipeline/survey-file.ts';
import { fileOf, filesOf, kindOf, problemOf, readSurveyed, surveyProblemOf } from '../read-whole.ts';

const HASH = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';

/** Texts that a user may have typed: beginnings of every kind of file. */
const TEXTS = [
  'hash_config { algorithm: SCRYPT, base64_signer_key: QUJD, rounds: 8, mem_cost: 14 }',
  'base64_signer_key: QUJD',
  'algorithm: SCRYPT,\nbase64_signer_key: QUJD',
  '{"base64_signer_key":"QUJD"}',
  `{"email":"boss@example.org","password_hash":"${HASH}"}`,
  `{"email":"boss@example.org","password_hash":"${HASH}"}\n{"email":"b@example.org"}`,
  `[{"email":"boss@example.org","password_hash":"${HASH}"}]`,
  '{"users":[',
  '["',
  'root:$6$saltsalt$abcdefgh:19000:0:99999:7:::',
  'root:$6$saltsalt$abcdefgh:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\nbin:*:19000:0:99999:7:::',
  'root:x:0:0:root:/root:/bin/bash',
  'root:x:0:0:root:/root:/bin/bash\nbin:x:1:1::/:/bin/sh\nsys:x:2:2::/:/bin/sh',
  `boss:${HASH}`,
  `boss:${HASH}\nbin:${HASH}\nsys:${HASH}`,
  `boss:realm:${'0'.repeat(32)}`,
  `boss@example.org:{BLF-CRYPT}${HASH}:1:1::::`,
  `# users.auth.php\n# <?php exit()?>\nboss:${HASH}:Boss:boss@example.org:admin`,
  `boss:1:${'X'.repeat(32)}:${'A'.repeat(32)}:[U          ]:LCT-00000000:`,
  "ALTER ROLE boss WITH LOGIN PASSWORD 'md5';",
  'dn: uid=boss',
  `dn: uid=boss\nmail: boss@example.org\nuserPassword: ${HASH}\n`,
  ...['version: 1', '-- MySQL dump 10.13', '-- PostgreSQL database dump', '/*'],
  ...['/*!40101 SET NAMES utf8mb4 */;', '\\restrict abc'],
  `INSERT INTO users VALUES (3,'boss@example.org','${HASH}','`,
  `INSERT INTO users VALUES (3,'boss@example.org','${HASH}');`,
  "INSERT INTO users VALUES ('",
  'COPY public.users FROM stdin;',
  'COPY public.users (id, email, password_hash) FROM stdin;',
  ...['CREATE TABLE users (id int);', 'PRAGMA foreign_keys=OFF;', '-----+------+-----', '+----+----+'],
  ...['<!doctype html>', '<?xml version="1.0"?>', '-----BEGIN PGP MESSAGE-----', 'PGDMP', 'BZh', 'PAR1'],
  'sep=;',
  'QUJD'.repeat(22),
  `${'x'.repeat(190)}ustar`,
];

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const csv = (rows: readonly (readonly string[])[]) =>
  `${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`;
const literal = (cell: string) => `'${cell.replaceAll("'", "''")}'`;
const ldif = (name: string, value: string) =>
  /^[\w@.][\x20-\x7e]*$/.test(value)
    ? `${name}: ${value}\n`
    : `${name}:: ${Buffer.from(value).toString('base64')}\n`;

const HEADER = ['id', 'email', 'password_hash', 'bio'];
const others = ['2', '3', '4', '5'].map((id) => [id, `user.${id}@example.org`, HASH, 'x, y']);

const userWith = (bio: string) => ({ bio, email: 'a@example.org' });

/** Ways in which writers put a text into a file of users. */
const SHAPES: Record<string, { kind: string; write(text: string): string }> = {
  'CSV with a header': {
    kind: 'csv',
    write: (text) => csv([HEADER, ['1', 'a@example.org', HASH, text], ...others]),
  },
  'CSV with a header, in the first column of every row': {
    kind: 'csv',
    write: (text) => csv([HEADER.toReversed(), ...others.map((row) => [text, ...row.slice(0, 3).reverse()])]),
  },
  'CSV without a header': {
    kind: 'csv',
    write: (text) => csv([['1', 'a@example.org', HASH, text], ...others]),
  },
  'an array': { kind: 'json', write: (text) => JSON.stringify([userWith(text), userWith(text)]) },
  'an object with an array': { kind: 'json', write: (text) => JSON.stringify({ users: [userWith(text)] }) },
  'one object': { kind: 'json', write: (text) => JSON.stringify(userWith(text)) },
  lines: { kind: 'json', write: (text) => `${JSON.stringify(userWith(text))}\n`.repeat(3) },
  'INSERT without a header': {
    kind: 'sql',
    write: (text) =>
      [['1', 'a@example.org', HASH, text], ...others]
        .map((row) => `INSERT INTO users VALUES(${row.map(literal).join(',')});\n`)
        .join(''),
  },
  COPY: {
    kind: 'sql',
    write: (text) =>
      `COPY users (id, bio) FROM stdin;\n1\t${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n\\.\n`,
  },
  LDIF: {
    kind: 'ldif',
    write: (text) =>
      `dn: uid=a\nmail: a@example.org\n${ldif('description', text)}\ndn: uid=b\nmail: b@example.org\n`,
  },
};

/** Files without a header whose first cell is a user's text. */
const HOSTILE_FIRST: Record<string, (text: string) => string> = {
  'CSV without a header': (text) =>
    csv([[text, 'a@example.org', HASH, 'x'], ...others.map(([id, ...row]) => [`${id}`, ...row])]),
  'CSV of one row': (text) => csv([[text, 'a@example.org', HASH, 'x']]),
  'tabs without quotes': (text) =>
    `${text.replaceAll('\n', '\\n')}\ta@example.org\t${HASH}\n2\tb@example.org\t${HASH}\n`,
  'CSV whose texts open a comment and a string': (text) =>
    csv([
      [text, 'a@example.org', HASH, "'),('3','boss@example.org"],
      ...others.slice(0, 3),
      ["*/ ');", 'z@example.org', HASH, '*/ -- '],
    ]),
};

describe('a cell does not determine the kind of its file', () => {
  describe.each(Object.entries(SHAPES))('%s', (_, { kind, write }) => {
    it.each(TEXTS)('%j', async (text) => {
      expect(await kindOf(write(text))).toBe(kind);
    });
  });

  describe.each(Object.entries(HOSTILE_FIRST))('%s, if it is the first cell', (_, write) => {
    it.each(TEXTS)('%j', async (text) => {
      const said = await problemOf(async () => expect(await kindOf(write(text))).toBe('csv'));
      // An ambiguous file is refused, and so is a file that begins like markup.
      if (said !== undefined) expect(said).toMatch(/--format|web page|XML/);
    });
  });
});

describe('the first row of a file without a header does not determine its kind', () => {
  const statement = `INSERT INTO users(email,password_hash) VALUES ('boss@example.org','${HASH}');/*`;
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index}\\\n`).join('');

  it.each([
    ...["o'neil@x.org", '{ann}@x.org', '`a`@x.org', 'ann@localhost', 'ann@[10.0.0.1]', ''].map((one) => [
      one,
      'x',
    ]),
    // Rows that are longer than the beginning that is looked at, or have many lines.
    ...[
      ['ann@x.org', 'x'.repeat(70_000)],
      ['ann@x.org', lines],
      ['', lines],
    ],
  ])('if its address is "%s"', async (address = '', bio = '') => {
    const rows = [
      [statement, address, HASH, bio],
      ['bob', 'bob@x.org', HASH, 'b'],
      ['carl', 'carl@x.org', HASH, 'c'],
      ['*/;-- ', 'm@x.org', HASH, '*/;-- '],
    ];
    const text = rows.map((row) => `${row.join('\t')}\n`).join('');
    expect(await surveyProblemOf(text, { csv: 'mysql-batch' })).toContain('--format sql or --format csv');
  });
});

it('--csv alone makes a file CSV', async () => {
  expect((await readSurveyed('name\nAnn\n', { csv: 'rfc4180' })).container).toBe('csv');
});

describe('a file of ambiguous kind', () => {
  const text = csv([
    ["INSERT INTO users VALUES ('", 'a@example.org', HASH, "'),('3','boss@example.org"],
    ...others,
  ]);

  it('is refused, and can be read with --format', async () => {
    const said = await problemOf(() => kindOf(text));
    expect(said).toMatch(/^FILE_UNKNOWN: The file may be SQL or CSV: .* --format sql or --format csv\.$/);
    for (const format of ['sql', 'csv'] as const)
      expect((await openContainer(fileOf(text), { format })).name).toBe(format);
  });

  it('files of hash parameters are recognised whatever --format says', async () => {
    const config = 'hash_config { algorithm: SCRYPT, base64_signer_key: QUJD, rounds: 8, mem_cost: 14 }';
    expect((await openContainer(fileOf(config), { format: 'csv' })).name).toBe('hash-config');
  });
});

it.each([
  ['LDIF', `dn: uid=a\nmail: a@example.org\nno attribute\n`, 'line 3'],
  ['/etc/shadow', 'a:$6$x:19000:0:99999:7:::\nb:$6$y\n', 'line 2'],
  ['JSON', '[{"a":1},{"a" 2}]', 'byte 14'],
  ['SQL', '-- MySQL dump 10.13\n1,2,3\n', 'no statement'],
  ['the hash parameters of Firebase', 'hash_config { rounds: 8 }\n', 'base64_signer_key'],
])(
  'a file that begins like %s and goes on differently is refused, and is not CSV',
  async (title, text, where) => {
    const said = await problemOf(() => kindOf(text));
    expect(said).toContain(`The file begins like ${title}, but`);
    expect(said).toContain(where);
  },
);

describe('no file is ignored silently', () => {
  const USERS = csv([HEADER, ...others]);
  const FIREBASE = `{"users":[{"localId":"x","email":"ada@example.com","passwordHash":"QUJD","salt":"QUJD"}]}`;
  const CONFIG =
    'hash_config { algorithm: SCRYPT, base64_signer_key: QUJD, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14 }';

  const planOf = async (
    texts: Readonly<Record<string, string>>,
    settings = {},
    options: ReadOptions = {},
  ) => {
    const surveys = await Promise.all(filesOf(texts).map((file) => surveyFile(file, options)));
    const plan = choosePlan(surveys, { settings });
    return 'noPlan' in plan ? plan.noPlan : `taken for ${plan.source.name}`;
  };

  it('parameters of another system', async () => {
    const wordpress = `ID,user_login,user_pass,user_email,user_registered\n1,a,${HASH},a@example.org,2020-01-01 00:00:00\n`;
    expect(await planOf({ 'users.csv': wordpress })).toBe('taken for wordpress');
    expect(await planOf({ 'users.csv': wordpress, 'hash_config.txt': CONFIG })).toMatch(
      /^hash_config\.txt holds hash parameters that have no use here: an export of WordPress/,
    );
  });

  it('parameters of two projects, or that contradict flags', async () => {
    expect(await planOf({ 'users.json': FIREBASE, 'hash_config.txt': CONFIG })).toBe('taken for firebase');
    const other = CONFIG.replace('QUJD', 'QUJE');
    expect(await planOf({ 'users.json': FIREBASE, 'a.txt': CONFIG, 'b.txt': other })).toMatch(
      /^a\.txt and b\.txt differ in signerKey: they hold hash parameters of different projects\./,
    );
    const all = { signerKey: 'x', saltSeparator: 'x', rounds: '1', memCost: '1', algorithm: 'x' };
    expect(await planOf({ 'users.json': FIREBASE, 'hash_config.txt': CONFIG }, all)).toMatch(
      /^hash_config\.txt holds .*--set says otherwise/,
    );
  });

  it.each(TEXTS)('a second export with %j', async (text) => {
    const second = csv([HEADER, ['9', 'z@example.org', HASH, text]]);
    const files = { 'users.csv': USERS, 'more.csv': second };
    // One row does not show whether backslashes escape.
    expect(await planOf(files, {}, { csv: 'rfc4180' })).toBe('taken for generic');
  });
});
