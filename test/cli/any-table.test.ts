import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BCRYPT, type Finished, readNdjson, runCli, scratch, scratchFile as write } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();
const run = (command: string, file: string, ...flags: string[]): Promise<Finished> =>
  runCli([command, file, '--active', 'everybody', ...flags]);

const MD5 = '5f4dcc3b5aa765d61d8327deb882cf99';
const quoted = (value: string | number | null) =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value}'`;

/** A dump of SQLite. */
const dumpOf = (tables: Record<string, Record<string, string | number | null>[]>) =>
  write(
    'dump.sql',
    [
      'PRAGMA foreign_keys=OFF;',
      'BEGIN TRANSACTION;',
      ...Object.entries(tables).flatMap(([name, rows]) => [
        `CREATE TABLE ${name} (${Object.keys(rows[0] ?? {})
          .map((column) => `${column} TEXT`)
          .join(', ')});`,
        ...rows.map((row) => `INSERT INTO ${name} VALUES(${Object.values(row).map(quoted).join(',')});`),
      ]),
      'COMMIT;',
      '',
    ].join('\n'),
  );

const ADA = { id: 1, email: 'ada@example.com', password: BCRYPT };
const linesOf = ({ stdout }: Finished) => readNdjson(stdout);
const methodsOf = (finished: Finished) =>
  linesOf(finished).map(({ loginMethods }) => (loginMethods as Record<string, unknown>[])[0]);

describe('a dump with tables of no known system', () => {
  it('is read where one table alone can hold the users', async () => {
    const tables = { orders: [{ id: 7, total: 3 }], newsletter: [{ email: 'x@example.com' }], users: [ADA] };
    const converted = await run('convert', dumpOf(tables), '--ignore-table', 'newsletter');
    expect([converted.code, linesOf(converted)]).toEqual([
      0,
      [expect.objectContaining({ externalUserId: '1' })],
    ]);
    expect((await run('inspect', dumpOf(tables))).stdout).toContain('users: users has id, email, password');
  });

  it('is read where another such table has no hashes in it', async () => {
    const smtp = { id: 1, email: 'smtp', password: '' };
    expect((await run('convert', dumpOf({ smtp_settings: [smtp], users: [ADA] }))).code).toBe(0);
  });

  it('names those that it may be where there are several', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`t${at}`, [{ id: 1, note: 'x' }]]),
    );
    const file = dumpOf({ ...others, users: [ADA], users_old: [ADA] });
    const { code, stderr } = await run('inspect', file);
    expect(code).toBe(1);
    expect(stderr).toContain('sql users: id, email, password; sql users_old: id, email, password.');
    expect(stderr).toContain('Name the table: --table users.');
    expect(stderr).not.toMatch(/\bt\d+\b/);
    expect((await run('convert', file, '--table', 'users', '--ignore-table', 'users_old')).code).toBe(0);
    const wrong = await run('inspect', file, '--table', 'user');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('has no such table')]);
    const mapped = await run('inspect', file, '--map', 'email=email');
    expect([mapped.code, mapped.stderr]).toEqual([1, expect.stringContaining('--table users')]);
  });

  it.each([
    ['staff', { admins: [ADA] }],
    ['others than the users', { people_login_log: [ADA], users: [{ id: 1, email: 'x@example.com' }] }],
  ])('is not read by itself where the table is of %s', async (_, tables) => {
    const { code, stderr } = await run('convert', dumpOf(tables));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`--table ${Object.keys(tables)[0]}`)]);
  });

  it('shows tables like those of users first where none has all', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`t${at}`, [{ id: 1, note: 'x' }]]),
    );
    const { stderr } = await run(
      'inspect',
      dumpOf({ ...others, people: [{ id: 1, mail: 'a@example.com' }] }),
    );
    expect(stderr).toMatch(/\(sql people: id, mail; sql t0: /);
  });
});

describe('--algorithm', () => {
  const csv = (hashes: readonly string[]) =>
    write(
      'users.csv',
      `id,email,hash\n${hashes.map((hash, at) => `${at},u${at}@example.com,${hash}\n`).join('')}`,
    );
  const ARGON2 =
    '$argon2id$v=19$m=4096,t=3,p=1$cmFuZG9tc2FsdGlzaGFyZA$DYojYpnUWSMmTtrkVXyaNWVGxLmGe1n8VJBPDdFkbjU';
  const algorithms = async (hashes: readonly string[], algorithm: string) => {
    const report = await run(
      'inspect',
      csv(hashes.map((hash) => `"${hash}"`)),
      '--algorithm',
      algorithm,
      '--json',
    );
    return JSON.parse(report.stdout)
      .hashes.map((one: { algorithm: string }) => one.algorithm)
      .sort();
  };

  it('is for hashes that do not tell it, and for those that look so', async () => {
    expect(await algorithms([MD5, BCRYPT, ARGON2], 'hex-md5')).toEqual(['argon2', 'bcrypt', 'hex-md5']);
    expect(await algorithms([BCRYPT, ARGON2], 'bcrypt-md5')).toEqual(['argon2', 'bcrypt-md5']);
  });

  it('is not for whole hashes in a column of pieces', async () => {
    const file = write(
      'users.csv',
      `id,email,salt,hash\n1,a@example.com,ab,${MD5}\n2,b@example.com,,${BCRYPT}\n3,c@example.com,,zz\n`,
    );
    const template = '$salted-md5$o=sp$\\{salt|utf8\\}$\\{hash|hex\\}';
    const { stdout } = await run('inspect', file, '--hash', template, '--algorithm', 'salted-md5', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      hashes: expect.arrayContaining([
        expect.objectContaining({ algorithm: 'bcrypt', count: 1 }),
        expect.objectContaining({ algorithm: 'salted-md5', count: 1 }),
      ]),
      reasons: { PASSWORD_HASH_INVALID: 1 },
    });
  });

  it('stays with a row that was refused and mended', async () => {
    const file = csv([MD5, `${MD5}x`]);
    const rejects = join(scratch(), 'rejects.ndjson');
    const first = await run('convert', file, '--algorithm', 'hex-md5', '--rejects', rejects);
    expect(first.code).toBe(2);
    const mended = write('mended.ndjson', readFileSync(rejects, 'utf8').replaceAll(`${MD5}x`, MD5));
    const again = await runCli(['convert', mended]);
    expect(methodsOf(again)).toEqual([expect.objectContaining({ hashingAlgorithm: 'hex-md5' })]);
  });
});

describe('columns of a table of your own', () => {
  const HEADER = 'id,email,hash,googleId,github_id,Full name,plan';
  const people = () =>
    write('people.csv', `${HEADER}\n1,ada@example.com,${BCRYPT},g-1,h-2,Ada Lovelace,pro\n`);

  it('are offered as identities, with the flag that takes them', async () => {
    const { stdout } = await run('inspect', people());
    expect(stdout).toContain('not used as logins: googleId, github_id');
    const flag = 'identity.google=googleId,identity.github=github_id';
    expect(stdout).toContain(`add ${flag} to --map`);
    const taken = await run('inspect', people(), '--map', flag, '--json');
    expect(JSON.parse(taken.stdout).advice).not.toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('not used as logins') }),
    );
    const [line] = linesOf(await run('convert', people(), '--map', flag, '--ignore-rest'));
    expect(line?.loginMethods).toHaveLength(3);
  });

  it('are offered where they stand in an object of JSON', async () => {
    const one = { id: 1, email: 'ada@example.com', hash: BCRYPT, facebook: { id: '17', token: 't' } };
    const { stdout } = await run('inspect', write('people.json', JSON.stringify([one])));
    expect(stdout).toContain('add identity.facebook=facebook.id to --map');
  });

  it('go into the metadata only if the operator keeps them', async () => {
    const kept = async (...flags: string[]) =>
      linesOf(await run('convert', people(), '--ignore-rest', ...flags))[0]?.userMetadata;
    expect(await kept()).toBeUndefined();
    expect(await kept('--keep', 'plan')).toEqual({ plan: 'pro' });
    expect(await kept('--keep', 'plan, name="Full name"')).toEqual({ plan: 'pro', name: 'Ada Lovelace' });
    expect(await kept('--keep', 'Full name')).toEqual({ 'Full name': 'Ada Lovelace' });
    const { stdout } = await run('inspect', people(), '--keep', 'plan');
    expect(stdout).toMatch(/^ {7}github_id: .*\n {7}Full name: /m);
    expect(stdout).toMatch(/plan +metadata +by --keep/);
    const { code, stderr } = await run('convert', people(), '--keep', 'Name');
    expect([code, stderr]).toEqual([2, expect.stringContaining('names columns that no user has: Name')]);
    for (const [flags, said] of [[['--map', 'metadata.name=Full name'], 'are named by --keep']] as const)
      expect((await run('convert', people(), ...flags)).stderr).toContain(said);
  });

  it('are kept as they are, also members of objects, if the operator names them', async () => {
    const one = {
      id: 1,
      email: 'ada@example.com',
      hash: BCRYPT,
      profile: { city: 'Ulm' },
      apiKey: 'sk_live_1',
    };
    const file = write('people.json', JSON.stringify([one]));
    const [line] = linesOf(await run('convert', file, '--keep', 'city=profile.city,apiKey'));
    expect(line?.userMetadata).toEqual({ city: 'Ulm', apiKey: 'sk_live_1' });
  });

  it('may leave the id out', async () => {
    const [line] = linesOf(await run('convert', people(), '--map', 'id=', '--ignore-rest'));
    expect(line).not.toHaveProperty('externalUserId');
    const { stdout } = await run('inspect', people(), '--map', 'id=');
    expect(stdout).toMatch(/id +left out +not wanted/);
  });
});

describe('what is said of a row', () => {
  const TWO = {
    users: [ADA, { ...ADA, id: 2 }, { id: 3, email: 'bob@example.com', password: 'x' }],
    orders: [{ id: 7, total: 3 }],
  };

  it('names the table where the file has several', async () => {
    const file = dumpOf(TWO);
    const report = join(scratch(), 'report.ndjson');
    const { code, stdout } = await run('inspect', file);
    expect(code).toBe(2);
    expect(stdout).toContain(
      `  2  ADDRESS_SHARED         row 1 of ${file}, users: the same e-mail address as row 2 of users, and nothing shows`,
    );
    await run('convert', file, '--report', report);
    const rows = readNdjson(readFileSync(report, 'utf8'));
    expect(rows.map(({ table, row, result }) => [table, row, result])).toEqual([
      ['users', 1, 'error'],
      ['users', 2, 'error'],
      ['users', 3, 'error'],
    ]);
    const proved = await runCli(['prove', file, '--email', 'ada@example.com', '--url', cli.url], {
      input: 'password\n',
    });
    expect([proved.code, proved.stdout]).toEqual([0, expect.stringMatching(/ row 1 of .*, users: bcrypt/)]);
  });

  it('names the query where the rows are of one, and not its files', async () => {
    const users = write('users.csv', 'nr,mail\n1,ada@example.com\n2,no address\n');
    const hashes = write('hashes.csv', `nr,pw\n1,${BCRYPT}\n2,${BCRYPT}\n`);
    const query = 'select mail as email, pw as hash from users join hashes using (nr)';
    const { stdout } = await run('inspect', users, hashes, '--query', query, '--ignore-rest');
    expect(stdout).toMatch(/ 1 {2}EMAIL_INVALID +row 2 of the query: /);
  });

  it('is not longer where the file has one', async () => {
    const { stdout } = await run('inspect', dumpOf({ users: TWO.users }));
    expect(stdout).toMatch(
      / 2 {2}ADDRESS_SHARED +row 1 of \S+dump\.sql: the same e-mail address as row 2 of \S+dump\.sql/,
    );
  });

  it('names the earlier row with the same identity, and the reasons without a terminal', async () => {
    const file = dumpOf({
      users: [1, 2].map((id) => ({
        id,
        email: `same${id}@example.com`,
        password: BCRYPT,
        google_id: 'g-77',
      })),
      orders: [{ id: 7, total: 3 }],
    });
    const report = join(scratch(), 'report.ndjson');
    const flags = ['--map', 'identity.google=google_id', '--yes', '--url', cli.url, '--report', report];
    const { code, stderr } = await run('import', file, ...flags);
    expect(code).toBe(2);
    const [, second] = readNdjson(readFileSync(report, 'utf8'));
    expect(second?.message).toMatch(/^Same identity as row 1 of users\. /);
    expect(stderr).toContain(
      `  ${second?.result === 'conflict' ? 'conflicts' : 'errors'}: ${second?.reason} 1`,
    );
  });
});

describe('a hash of a role of PostgreSQL', () => {
  it('points to the form that it needs, which signs in', async () => {
    // Of the password `secret` and the role `ada`.
    const digest = createHash('md5').update('secretada').digest('hex');
    const file = write('roles.csv', `id,email,name,hash\n1,ada@example.com,ada,md5${digest}\n`);
    const { stdout } = await run('inspect', file);
    const [, template = ''] = /--hash '([^']+)'/.exec(stdout) ?? [];
    const proved = await runCli(
      [
        ...['prove', file, '--email', 'ada@example.com', '--url', cli.url],
        ...['--hash', template.replace('NAME', 'name').replace('HASH', 'hash')],
      ],
      { input: 'secret\n' },
    );
    expect([proved.code, proved.stdout]).toEqual([0, expect.stringContaining('postgres-md5')]);
  });
});

describe("a page of PocketBase's API", () => {
  it('is told where the hashes are', async () => {
    const ada = {
      ...{ id: 'abc123def456ghi', collectionId: '_pb_users_auth_', collectionName: 'users' },
      ...{ email: 'ada@example.com', emailVisibility: true, verified: true, name: 'Ada' },
    };
    const page = { items: [ada], page: 1, perPage: 30, totalItems: 1, totalPages: 1 };
    const file = write('users.json', JSON.stringify(page));
    const { stdout } = await runCli(['inspect', file]);
    expect(stdout).toContain('The API of PocketBase never shows hashes. Make a dump of its database instead');
  });
});

describe('a table whose column of ids has another name', () => {
  const inspect = async (text: string, ...more: string[]) =>
    (await run('inspect', write('people.csv', text), '--map', 'email=mail,hash=pw', ...more)).stdout;
  const people = (...ids: string[]) =>
    ['pk,mail,pw', ...ids.map((id, index) => `${id},${index}@example.com,${BCRYPT}`)].join('\n');
  const SUGGESTION = 'If pk has the ids, add id=pk to --map.';

  it('suggests the column, because a later import may need the ids', async () => {
    expect(await inspect(people('7', '8', '9'))).toContain(SUGGESTION);
    expect(await inspect(people('7', '7', '9'))).not.toContain(SUGGESTION);
    expect(await inspect(people('a', 'b', 'c'))).not.toContain(SUGGESTION);
  });

  it('does not ask again about ids that are not wanted', async () => {
    const file = write('people.csv', people('7', '8', '9'));
    const { stdout } = await run('inspect', file, '--map', 'id=,email=mail,hash=pw');
    expect(stdout).not.toContain(SUGGESTION);
  });
});
