import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../src/cli/pipeline.ts';
import { BCRYPT, type Finished, readNdjson, runCli, scratchFile as write } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();
const run = (command: string, file: string, ...flags: string[]): Promise<Finished> =>
  runCli([command, file, ...flags], { pipeline: loadPipeline() });

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

/** The words of those who are let in. @param flags must leave no word that is not understood */
async function letIn(column: string, words: readonly string[], ...flags: string[]): Promise<string[]> {
  const converted = await run('convert', csvOf(column, words), ...flags);
  expect([converted.code, converted.stderr]).toEqual([0, expect.stringContaining(' 0 errors')]);
  return addressesIn(converted).map((email) => words[Number(/\d+/.exec(email ?? '')?.[0])] ?? '');
}

const IN = ['active', 'Enabled', 'CONFIRMED', 'verified', 'live', 'approved', 'registered', ' Active '];
const OUT = [
  ...['inactive', 'disabled', 'Suspended', 'ARCHIVED', 'draft', 'banned', 'blocked', 'locked', 'pending'],
  ...[
    'deleted',
    'trashed',
    'revoked',
    'invited',
    'expired',
    'on-hold',
    'Not Active',
    'soft_deleted',
    'closed',
  ],
];
const YES = ['Y', 'yes', 't', 'TRUE', '1', 'on'];
const NO = ['N', 'no', 'f', 'False', '0', 'Off'];

describe('a column of states', () => {
  it('is understood in both directions', async () => {
    expect(await letIn('status', [...IN, ...OUT])).toEqual(IN);
    expect(await letIn('gesperrt', [...YES, ...NO, ''])).toEqual([...NO, '']);
    expect(await letIn('deleted', [...YES, ...NO, '2024-01-01'])).toEqual(NO);
  });

  it.each([
    'is_active',
    'isActive',
    'active',
    'enabled',
    'is_enabled',
    'user_enabled',
    'IsApproved',
    'accountNonLocked',
    'can_login',
  ])('is known by its name where yes lets in: %s', async (column) => {
    expect(await letIn(column, [...YES, ...NO])).toEqual(YES);
  });

  it.each([
    'disabled',
    'isDisabled',
    'banned',
    'is_banned',
    'blocked',
    'suspended',
    'is_archived',
    'deactivated',
    'is_locked',
    'deleted',
    'is_deleted',
    'soft_deleted',
    'user_blocked',
  ])('is known by its name where yes keeps out: %s', async (column) => {
    expect(await letIn(column, [...YES, ...NO, ''])).toEqual([...NO, '']);
  });

  it.each([
    'deleted_at',
    'deletedAt',
    'archived_at',
    'banned_at',
    'DisabledOn',
    'suspended_date',
    'removed_at',
  ])('is known by its name where a time keeps out: %s', async (column) => {
    const times = ['2024-01-01 10:00:00+00', '1700000000', '', '0000-00-00 00:00:00'];
    expect(await letIn(column, times)).toEqual(['', '0000-00-00 00:00:00']);
  });

  it.each([
    ...['activo', 'está_activo', 'conta_ativa', 'actif', 'aktiv', 'freigeschaltet', 'attivo', 'aktywny'],
    ...['активен', 'Активный', 'включён', '启用', '有効', 'статус_active'],
  ])('is known by its name in another language where yes lets in: %s', async (column) => {
    expect(await letIn(column, [...YES, ...NO])).toEqual(YES);
  });

  it.each([
    ...['bloqueado', 'Desactivado', 'gesperrt', 'Konto gesperrt', 'désactivé', 'sospeso', 'zablokowany'],
    ...[
      'заблокирован',
      'отключён',
      '禁用',
      '無効',
      'eliminado',
      'gelöscht',
      'supprimé',
      'удалён',
      '削除済み',
    ],
    ...['is_deleted_удалён'],
  ])('is known by its name in another language where yes keeps out: %s', async (column) => {
    expect(await letIn(column, [...YES, ...NO, ''])).toEqual([...NO, '']);
  });

  it.each(['estado', 'statut', 'статус', '状态', 'ステータス', '상태'])(
    'is asked for where its words are in another language: %s',
    async (column) => {
      const file = csvOf(column, ['sí', 'нет', '1']);
      const stopped = await run('convert', file);
      expect([stopped.code, stopped.stdout]).toEqual([2, '']);
      expect(stopped.stderr).toContain(column);
    },
  );

  it('is not let in by a word that says that the ban is active', async () => {
    const stopped = await run('convert', csvOf('gesperrt', ['active']));
    expect(stopped.code).toBe(2);
  });

  it('passes with a ban that is over, and with none that is not', async () => {
    const times = ['2001-01-01', '2999-01-01', 'infinity', ''];
    expect(await letIn('banned_until', times)).toEqual(['2001-01-01', '']);
    expect(await letIn('active_until', times.slice(0, 3))).toEqual(['2999-01-01', 'infinity']);
  });

  it.each([
    'notifications_enabled',
    'last_active_at',
    'mfa_enabled',
    'two_factor_enabled',
    'blocked_users_count',
  ])('is not taken for one by a name that says something else: %s', async (column) => {
    expect(await letIn(column, ['0', 'x'])).toEqual(['0', 'x']);
  });
});

describe('a word that is not understood', () => {
  const words = ['active', 'gold', 'gold', 'Gesperrt', 'banned', ''];
  const LIST = 'status: gold 2, Gesperrt 1, empty 1.';

  it('stops the import before anything is sent', async () => {
    const flags: string[] = [];
    const file = csvOf('status', words);
    const inspected = await run('inspect', file, ...flags);
    expect(inspected.code).toBe(2);
    expect(inspected.stdout).toContain(LIST);
    expect(inspected.stdout).toContain('STATE_UNKNOWN 4');
    const before = await cli.userCount();
    const service = ['--url', cli.url];
    for (const [command, ...more] of [
      ['import', '--yes', ...service],
      ['import', '--dry-run', ...service],
      ['convert'],
    ] as const) {
      const { code, stdout, stderr } = await run(command, file, ...flags, ...more);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(LIST);
      expect(stderr).toContain('--set state.gold=active|disabled|deleted');
    }
    expect(await cli.userCount()).toBe(before);
  });

  it('is understood once the operator says what it means', async () => {
    const said = [
      'state.gold=active',
      'state.gesperrt=disabled',
      'state.empty=deleted',
      'state.active=disabled',
    ];
    const flags = said.flatMap((one) => ['--set', one]);
    expect(await letIn('status', words, ...flags)).toEqual(['gold', 'gold']);
  });

  it.each([
    ['status', ['0', '1']],
    ['account_status', ['x']],
    ['state', ['CA']],
    ['is_active', ['']],
    ['is_active', ['2024-01-01']],
    ['banned', ['active']],
    ['deleted', ['maybe']],
    ['disabled', ['3']],
  ] as [string, string[], ...string[]][])('lets nobody in: %s %j %s %s', async (column, some, ...flags) => {
    const { code, stdout, stderr } = await run('convert', csvOf(column, some), ...flags);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${column}: `);
  });

  it('can be named if it must not be shown', async () => {
    const hidden = ['see ada@example.com', 'active', 'x '.repeat(40)];
    const { stderr } = await run('convert', csvOf('status', hidden));
    expect(stderr).toContain('status: not-shown 2.');
    expect(stderr).toContain('--set state.not-shown=active|disabled|deleted');
    expect(stderr).not.toMatch(/ada@|••/);
    expect(await letIn('status', hidden, '--set', 'state.not-shown=disabled')).toEqual(['active']);
    const said = ['--set', 'state.not-shown=disabled', '--set', 'state.see ada@example.com=active'];
    expect(await letIn('status', hidden, ...said)).toEqual(['see ada@example.com', 'active']);
  });

  it('does not hide behind --include-disabled', async () => {
    const { code } = await run('convert', csvOf('status', ['gold', 'banned']), '--include-disabled');
    expect(code).toBe(2);
    expect(await letIn('status', ['banned', 'deleted', 'ok'], '--include-disabled')).toEqual([
      'banned',
      'ok',
    ]);
  });

  it('shows no address and no hash', async () => {
    const { stderr } = await run('convert', csvOf('status', ['a@example.com', BCRYPT]));
    expect(stderr).toContain('status: not-shown 2.');
    expect(stderr).not.toContain('example.com');
    expect(stderr).not.toContain(BCRYPT);
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

  it('is refused where it means nothing', async () => {
    const { code, stderr } = await run('inspect', csvOf('status', ['x']), '--set', 'state.x=yes');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('--set state.x: expected active, disabled, deleted; got yes.'),
    ]);
  });
});

describe('a state of a known system that nobody has heard of', () => {
  it('stops the import', async () => {
    const users = [
      { id: 'a', schema_id: 'default', state: 'active', traits: { email: 'a@example.com' } },
      { id: 'b', schema_id: 'default', state: 'frozen', traits: { email: 'b@example.com' } },
    ].map((one) => ({
      ...one,
      credentials: { password: { type: 'password', config: { hashed_password: BCRYPT } } },
    }));
    const { code, stdout, stderr } = await run('convert', write('identities.json', JSON.stringify(users)));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('state: frozen 1.');
  });
});

describe('what a stranger tried', () => {
  const convertCsv = (columns: string, cells: string, ...flags: string[]) =>
    run(
      'convert',
      write('people.csv', `${LARAVEL},${columns}\n${laravelRow(0, 'ok@example.com')},${cells}\n`),
      ...flags,
    );

  it.each([
    ['status,is_deleted', '1,1', 'state.1=active'],
    ['status,banned', '1,1', 'state.1=active'],
    ['status,is_active', '0,0', 'state.0=active'],
    ['status,approved_at', ',', 'state.empty=active'],
    ['status,banned_until', 'x,2999-01-01', 'state.x=active'],
  ])(
    'a word for one column lets in nobody whom another shuts out: %s = %s with %s',
    async (columns, cells, set) => {
      const converted = await convertCsv(columns, cells, '--set', set);
      expect([converted.code, addressesIn(converted)]).toEqual([0, []]);
    },
  );

  it.each([
    ...[
      'block',
      'ban',
      'disable',
      'deleteat',
      'del_flag',
      'delete_flag',
      'is_del',
      'closed_at',
      'cancelled_at',
    ],
    ...[
      'prohibit_login',
      'is_spam',
      'is_pending',
      'locked_out',
      'accountLockedOut',
      'usr_deleted',
      'player_banned',
    ],
  ])('a yes in %s shuts out', async (column) => {
    expect(addressesIn(await convertCsv(column, '1'))).toEqual([]);
  });

  it.each([
    ['usr_active', '0'],
    ['user_account_status', 'banned'],
    ['approval_status', 'rejected'],
    ['record_status', 'deleted'],
    ['country,state', 'DE,blocked'],
    // The end of the year 9999, in seconds and in milliseconds.
    ['banned_until', '253402300799'],
    ['banned_until', '253402300799000'],
  ])('%s = %s shuts out', async (columns, cells) => {
    expect(addressesIn(await convertCsv(columns, cells))).toEqual([]);
  });

  it('a state of a country says nothing', async () => {
    expect(addressesIn(await convertCsv('country,state', 'US,CA'))).toEqual(['ok@example.com']);
  });

  it('a ban that was over in 2021 shuts nobody out', async () => {
    expect(addressesIn(await convertCsv('banned_until', '1609459200000'))).toEqual(['ok@example.com']);
  });

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
      );
      expect(readNdjson(converted.stdout)).toMatchObject([{ externalUserId: '1' }]);
    },
  );

  it.each([
    ['account_status', 'BANNED'],
    ['is_deleted', '1'],
    ['locked', 'true'],
  ])('Spring Security: a column of the app shuts out, %s = %s', async (column, cell) => {
    const file = write(
      'users.csv',
      `username,password,enabled,${column}\na@example.com,{bcrypt}${BCRYPT},true,${cell}\n`,
    );
    const converted = await run('convert', file, '--from', 'spring-security', '--set', 'usernameIsEmail=yes');
    expect(addressesIn(converted)).toEqual([]);
  });
});
