import { describe, expect, it } from 'vitest';
import { BCRYPT, type Finished, readNdjson, runCli, scratchFile as write } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();
const run = (command: string, file: string, ...flags: string[]): Promise<Finished> =>
  runCli([command, file, ...flags]);

const LARAVEL = 'id,name,email,email_verified_at,password,remember_token,created_at,updated_at';
const laravelRow = (id: number, email = `u${id}@example.com`) =>
  `${id},N,${email},,${BCRYPT},t,2024-01-01,2024-01-01`;

/**
 * A table of Laravel, with a column that an app has added, in which each word is one user. The address begins with
 * `u` and the place of the word.
 */
const csvOf = (column: string, words: readonly string[]) =>
  write(
    'people.csv',
    `${LARAVEL},${column}\n${words.map((word, at) => `${laravelRow(at)},${word}\n`).join('')}`,
  );

const addressesIn = ({ stdout }: Finished) =>
  readNdjson(stdout).map(({ loginMethods }) => (loginMethods as { email: string }[])[0]?.email);

/** The words of those who are let in. @param flags must answer all questions */
async function letIn(column: string, words: readonly string[], ...flags: string[]): Promise<string[]> {
  const converted = await run('convert', csvOf(column, words), ...flags);
  expect([converted.code, converted.stderr]).toEqual([0, expect.stringContaining(' 0 errors')]);
  return addressesIn(converted).map((email) => words[Number(/\d+/.exec(email ?? '')?.[0])] ?? '');
}

describe('a column that an app has added to a known system', () => {
  it.each([
    ['status', ['active', 'gold', 'banned']],
    ['plan', ['free', 'pro']],
    ['gesperrt', ['ja', 'nein']],
    ['notifications_enabled', ['0', '1']],
    ['enable', ['0', '1']],
    ['banned_until', ['2001-01-01', '2999-01-01']],
  ])('stops the import whatever it is called, and its values are shown: %s', async (column, words) => {
    const file = csvOf(column, [...words, ...words]);
    const before = await cli.userCount();
    for (const [command, ...more] of [
      ['import', '--yes', '--url', cli.url],
      ['import', '--dry-run', '--url', cli.url],
      ['convert'],
    ] as const) {
      const { code, stdout, stderr } = await run(command, file, ...more);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`${column}: ${words.map((word) => `${word} 2`).join(', ')}`);
    }
    expect(await cli.userCount()).toBe(before);
    expect(await letIn(column, words, '--ignore', column)).toEqual(words);
    const [first = ''] = words;
    expect(await letIn(column, words, '--active', `${column}=${first}`)).toEqual([first]);
  });

  it('does not hide behind --disabled include', async () => {
    const { code } = await run('convert', csvOf('status', ['gold', 'banned']), '--disabled', 'include');
    expect(code).toBe(2);
  });

  it.each([
    'V1StGXR8Z5jdHi6BmyTa9c',
    'JBSWY3DPEHPK3PXP',
    '203.0.113.7',
    'password=hunter2',
    'eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNryP4J3',
  ])('shows no secret, in whatever message: %s', async (secret) => {
    const stopped = await run('convert', csvOf('status', [secret]));
    expect([stopped.code, stopped.stderr.includes('status')]).toEqual([2, true]);
    const users = [
      { id: '1', email: 'a@example.com', status: secret, federatedIdentities: [], createdTimestamp: 1 },
    ];
    const realm = write(
      'realm.json',
      JSON.stringify({ realm: secret, users: users.map((user) => ({ ...user, username: 'a' })) }),
    );
    const provider = write('p.csv', `id,email,provider,provider_user_id\n1,a@example.com,${secret},17\n`);
    const others = [
      await run('inspect', realm, '--set', 'realm=other', '--json'),
      await run('inspect', provider, '--active', 'everybody', '--json'),
      await run('convert', provider, '--active', 'everybody', '--rejects', `${provider}.rejects`),
    ];
    for (const { stdout, stderr } of [stopped, ...others]) expect(stdout + stderr).not.toContain(secret);
  });
});

describe('a state of a known system that its declaration does not know', () => {
  const identities = (...states: string[]) =>
    write(
      'identities.json',
      JSON.stringify(
        states.map((state, at) => ({
          ...{ id: `i${at}`, schema_id: 'default', state, traits: { email: `u${at}@example.com` } },
          credentials: { password: { type: 'password', config: { hashed_password: BCRYPT } } },
        })),
      ),
    );

  it('stops the import, with its counts and the flag', async () => {
    const { code, stdout, stderr } = await run('convert', identities('active', 'frozen', 'frozen'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('state: frozen 2');
    expect(stderr).toContain('--active state=WORD,WORD');
  });

  it('is what a rule says it is, and the words that the system knows stay what they are', async () => {
    const file = identities('active', 'inactive', 'frozen', 'thawed');
    const converted = await run('convert', file, '--active', 'state=active,inactive,thawed');
    expect(addressesIn(converted)).toEqual(['u0@example.com', 'u3@example.com']);
  });

  it('is not shown if it is long, an address or a secret', async () => {
    const hidden = ['see ada@example.com', 'x '.repeat(40), BCRYPT, 'JBSWY3DPEHPK3PXP'];
    const { code, stderr } = await run('convert', identities(...hidden));
    expect([code, stderr]).toEqual([2, expect.stringContaining('state: •• 4')]);
    expect(stderr).not.toMatch(/ada@|JBSWY|\$2y/);
  });
});

describe('tables whose people are no users', () => {
  it.each([...['pending_users', 'deleted_users', 'usersBackup', 'users_old', 'archived_user']])(
    'people of the table %s do not win against users',
    async (aside) => {
      const columns =
        'id int, email text, hashed_password text, is_active bool, is_superuser bool, is_verified bool';
      const dump = [
        `CREATE TABLE public."${aside}" (${columns});\nCREATE TABLE public."user" (${columns});`,
        `INSERT INTO public."${aside}" VALUES (9, 'boss@example.com', '$2b$10$${'a'.repeat(53)}', true, false, true);`,
        `INSERT INTO public."user" VALUES (1, 'boss@example.com', '${BCRYPT}', true, false, true);`,
      ].join('\n');
      const converted = await run(
        'convert',
        write('dump.sql', `-- PostgreSQL database dump\n${dump}\n-- PostgreSQL database dump complete\n`),
        ...['--ignore-table', aside],
      );
      expect(readNdjson(converted.stdout)).toMatchObject([{ externalUserId: '1' }]);
    },
  );
});

describe('what an operator should know of imported users is said', () => {
  const credential = {
    type: 'password',
    secretData: JSON.stringify({ value: Buffer.alloc(32, 1).toString('base64'), salt: 'c2FsdHNhbHQ=' }),
    credentialData: JSON.stringify({ algorithm: 'pbkdf2-sha256', hashIterations: 27500 }),
  };
  const users = ['a', 'b', 'c', 'd'].map((id) => ({
    ...{ id, username: id, email: `${id}@example.com`, emailVerified: true, enabled: id !== 'a' },
    ...{ requiredActions: id < 'd' ? ['UPDATE_PASSWORD'] : [], credentials: [credential] },
  }));

  it.each([
    ['skip', 0, 2],
    ['keep', 1, 3],
  ])(
    'with --disabled %s: %i disabled, and %i who had to choose a password',
    async (what, disabled, forced) => {
      const file = write('realm.json', JSON.stringify({ realm: 'shop', enabled: true, users }));
      const { stdout } = await run('inspect', file, '--disabled', what);
      const count = (text: string) =>
        Number(new RegExp(`${text}: (\\d+)`).exec(stdout.replace(/\s+/g, ' '))?.[1] ?? 0);
      expect([count('as disabled, and cannot sign in'), count('make choose another password')]).toEqual([
        disabled,
        forced,
      ]);
    },
  );
});
