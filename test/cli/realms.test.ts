import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../../src/sources/sources.ts';
import { SAMPLES } from '../sources/samples.ts';
import { BCRYPT, CliRun, readNdjson, runCli, scratchFile, words } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

type Row = Record<string, unknown>;
type Text = (name: string, rows: readonly Row[]) => string;

const json: Text = (_, rows) => JSON.stringify(rows);
const cell = (value: unknown) => (value === null ? '' : String(value));
const csv: Text = (_, rows) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(cell))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');
const sql: Text = (name, rows) => {
  const columns = Object.keys(rows[0] ?? {}).map((column) => `"${column}" text`);
  const values = rows.map((row) =>
    Object.values(row).map((value) => (value === null ? 'NULL' : `'${value}'`)),
  );
  return [
    '-- PostgreSQL database dump',
    `CREATE TABLE public."${name}" (${columns.join(', ')});`,
    ...values.map((cells) => `INSERT INTO public."${name}" VALUES (${cells.join(', ')});`),
    '-- PostgreSQL database dump complete\n',
  ].join('\n');
};

/** More users than the tables show before they are read. */
const MANY = 25;

interface Case {
  /** Name of the system, and of the form that reads the files. */
  from: string;
  form: string;
  /** Files of an export with these users, in this order. */
  files(users: readonly User[]): string[];
  /** More options of the command. */
  options?: readonly string[];
}

interface User {
  id: string;
  email: string;
  realm: string;
}

/** An export in one table. */
const inTable = (
  [from, form]: [from: string, form: string],
  text: Text,
  rowOf: (user: User) => Row,
  { name = 'users', options = [] }: { name?: string; options?: readonly string[] } = {},
): Case => ({
  from,
  form,
  options,
  files: (users) => [scratchFile('users', text(name, users.map(rowOf)))],
});

const aspnet = ({ id, email, realm }: User) => ({
  Id: id,
  Email: email,
  NormalizedEmail: email,
  SecurityStamp: 's',
  PasswordHash: BCRYPT,
  TenantId: realm,
});
const MAGENTO1 = `${'0a'.repeat(32)}:salt:1`;
const magento = ({ id, email, realm }: User) => ({
  ...{ entity_id: id, email, website_id: realm, password_hash: MAGENTO1 },
});
const casdoor = ({ id, email, realm }: User) => ({ owner: realm, name: id, id, email, password: BCRYPT });
const casdoorRow = (user: User) => ({
  ...casdoor(user),
  ...{ password_type: 'bcrypt', is_forbidden: 'f', signup_application: 'app' },
});
const auth0Flat = ({ id, email, realm }: User) => ({ Id: `auth0|${id}`, Email: email, Connection: realm });
const FIREBASE = ['memCost=14', 'rounds=8', 'saltSeparator=Bw=='].flatMap((pair) => ['--set', pair]);

const keycloakUser = ({ id, email }: User) => ({
  id,
  username: id,
  email,
  enabled: true,
  createdTimestamp: 1546227914789,
});

const fusionauthRow = ({ id, email, realm }: User) => ({
  ...{ users_id: id, email, tenants_id: realm, encryption_scheme: 'bcrypt', salt: 's', password: 'p' },
});
const LOGTO = {
  ...{ password_encrypted: BCRYPT, password_encryption_method: 'Bcrypt' },
  ...{ identities: '{}', is_suspended: 'f' },
};
const idAndEmail = (from: 'zulip' | 'logto' | 'prestashop', id: string, email: string) =>
  ({
    zulip: { id, delivery_email: email, is_active: 't' },
    logto: { id, primary_email: email },
    prestashop: { id_customer: id, email },
  })[from];

/** What the operator says about tables that the system may have, and these exports lack. */
function withoutTables(from: string): string[] {
  const details = SOURCES.filter(({ name }) => name === from).flatMap(({ forms }) =>
    forms.flatMap(({ details = {} }) => Object.entries(details)),
  );
  const states = details.flatMap(([name, { decides }]) => (decides === 'states' ? name : []));
  return [
    ...(states.length > 0 ? ['--without-table', [...new Set(states)].join(',')] : []),
    ...(details.some(([, { decides }]) => decides === 'factors') ? ['--mfa', 'none'] : []),
  ];
}

const CASES: readonly Case[] = [
  {
    from: 'keycloak',
    form: 'keycloak-realm',
    files: (users) =>
      [...new Set(users.map(({ realm }) => realm))].map((realm) =>
        scratchFile(
          'realm.json',
          JSON.stringify({
            realm,
            users: users.filter((user) => user.realm === realm).map(keycloakUser),
          }),
        ),
      ),
  },
  {
    from: 'keycloak',
    form: 'keycloak-tables',
    files: (users) => [
      scratchFile(
        'users.sql',
        sql(
          'user_entity',
          users.map(({ id, email, realm }) => ({
            ...{ id, username: id, email, email_verified: 't', enabled: 't' },
            ...{ realm_id: `id-of-${realm}`, created_timestamp: '1546227914789' },
          })),
        ),
      ),
      scratchFile(
        'realms.sql',
        sql(
          'realm',
          ['alpha', 'beta'].map((name) => ({ id: `id-of-${name}`, name, ssl_required: 'NONE' })),
        ),
      ),
    ],
  },
  inTable(['casdoor', 'casdoor-tables'], sql, casdoorRow, { name: 'user' }),
  inTable(['casdoor', 'casdoor-csv'], csv, casdoorRow),
  inTable(['casdoor', 'casdoor-json'], json, casdoorRow),
  inTable(['casdoor', 'casdoor-export'], json, (user) => ({
    ...casdoor(user),
    passwordType: 'bcrypt',
    isForbidden: false,
    signupApplication: 'app',
  })),
  inTable(['hanko', 'hanko-tables'], sql, ({ id, realm }) => ({
    ...{ id, tenant_id: realm, created_at: '2025-01-01', updated_at: '2025-01-01' },
  })),
  {
    ...{ from: 'htdigest', form: 'htdigest', options: ['--set', 'emailDomain=example.com'] },
    files: (users) => [
      scratchFile('htdigest', users.map(({ id, realm }) => `${id}:${realm}:${'0a'.repeat(16)}\n`).join('')),
    ],
  },
  inTable(['fusionauth', 'fusionauth-users'], json, ({ id, email, realm }) => ({
    ...{ id, email, tenantId: realm, insertInstant: 1_700_000_000_000, active: true },
  })),
  inTable(['fusionauth', 'fusionauth-tables'], sql, fusionauthRow),
  inTable(
    ['firebase', 'firebase-json'],
    json,
    ({ id, email, realm }) => ({ localId: id, email, tenantId: realm }),
    { options: FIREBASE },
  ),
  inTable(
    ['firebase', 'firebase-admin-sdk'],
    json,
    ({ id, email, realm }) => ({ uid: id, email, tenantId: realm, providerData: [], metadata: {} }),
    { options: FIREBASE },
  ),
  inTable(['kratos', 'kratos-sql'], sql, ({ id, realm }) => ({
    ...{ id, nid: realm, schema_id: 'default', state: 'active', traits: '{}' },
  })),
  inTable(['appwrite', 'appwrite-tables'], sql, ({ id, email, realm }) => ({
    ...{ _uid: id, email, _tenant: realm, emailVerification: '1', registration: '2025-01-01', prefs: '{}' },
  })),
  inTable(['aspnet-identity', 'aspnet-identity-csv'], csv, aspnet),
  inTable(['aspnet-identity', 'aspnet-identity-sql'], sql, aspnet, { name: 'AbpUsers' }),
  inTable(['aspnet-identity', 'aspnet-identity-json'], json, aspnet),
  inTable(['pocketbase', 'pocketbase-api'], json, ({ id, email, realm }) => ({
    ...{ id, email, verified: true, collectionName: realm, emailVisibility: true },
  })),
  inTable(['auth0', 'auth0-ndjson'], json, ({ id, email, realm }) => ({
    ...{ user_id: `auth0|${id}`, email },
    identities: [{ provider: 'auth0', user_id: id, connection: realm }],
  })),
  inTable(['auth0', 'auth0-dashboard-ndjson'], json, auth0Flat),
  inTable(['auth0', 'auth0-csv'], csv, auth0Flat),
  ...(
    [
      ['zulip', 'zerver_userprofile', 'realm_id', { is_bot: 'f', is_mirror_dummy: 'f', password: BCRYPT }],
      ['logto', 'users', 'tenant_id', LOGTO],
      ['prestashop', 'ps_customer', 'id_shop', { passwd: BCRYPT, active: '1', deleted: '0' }],
    ] as const
  ).flatMap(([from, name, column, row]) =>
    [sql, csv, json].map((text, at) =>
      inTable(
        [from, `${from}-${['sql', 'csv', 'json'][at]}`],
        text,
        ({ id, email, realm }) => ({ ...row, ...idAndEmail(from, id, email), [column]: realm }),
        { name },
      ),
    ),
  ),
  ...[csv, json].map((text, at) =>
    inTable(['fusionauth', `fusionauth-tables-${['csv', 'json'][at]}`], text, fusionauthRow),
  ),
  inTable(['auth0', 'auth0-password-export'], json, ({ id, email, realm }) => ({
    ...{ _id: id, email, passwordHash: BCRYPT, connection: realm },
  })),
];

/** Forms whose realms are usually one set of people. */
const ONE_SET: readonly Case[] = [
  inTable(['magento', 'magento-mysqldump'], sql, magento, { name: 'customer_entity' }),
  inTable(['magento', 'magento-csv'], csv, magento),
  inTable(['magento', 'magento-json'], json, magento),
  inTable(['magento', 'magento-customers-csv'], csv, ({ email, realm }) => ({
    ...{ email, _website: realm, password_hash: MAGENTO1, group_id: '1' },
  })),
];

const usersOf = (realm: string, count: number): User[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `${realm}${at}`,
    // The same addresses in each realm.
    email: `u${at}@example.com`,
    realm,
  }));

it('every form with realms is tested, and its system has the setting', () => {
  const forms = SOURCES.flatMap((source) =>
    source.forms.filter(({ realms }) => realms !== undefined).map(({ name }) => ({ source, name })),
  );
  // The samples of Zitadel have users of two organisations.
  const tested = forms.filter(({ source }) => source.name !== 'zitadel').map(({ name }) => name);
  expect([...CASES, ...ONE_SET].map(({ form }) => form).sort()).toEqual(tested.sort());
  const settable = SOURCES.filter(({ settings }) => Object.hasOwn(settings ?? {}, 'realm'));
  expect(settable).toEqual([...new Set(forms.map(({ source }) => source))]);
});

/** The tables here have none of the columns by which a system says who may sign in. */
function withoutStates(from: string): string[] {
  const table = { container: 'csv', name: 'users', columns: new Set<string>(), first: [], root: {} } as const;
  const forms = SOURCES.filter(({ name }) => name === from).flatMap((source) => source.forms);
  const columns = forms.flatMap((form) => form.stateColumns?.(table) ?? []);
  const names = [...new Set(columns.map((column) => column.split('|', 1)[0]))];
  return names.length === 0 ? [] : ['--ignore', names.join(',')];
}

const runCase = (
  { files, from, options = [] }: Case,
  command: string,
  users: readonly User[],
  ...more: readonly string[]
) =>
  runCli(
    words`${command} ${files(users)} --from ${from} ${withoutTables(from)} ${withoutStates(from)} ${options} ${more}`,
  );

const inspectCase = async (one: Case, users: readonly User[], ...more: string[]) => {
  const { stdout } = await runCase(one, 'inspect', users, '--json', ...more);
  const { advice, rows, dropped, forms } = JSON.parse(stdout);
  expect(forms).toContain(one.form);
  const stops: string[] = advice
    .filter(({ level }: { level: string }) => level === 'stop')
    .map(({ text }: { text: string }) => text);
  return { rows, stops, others: dropped['other tenants'] };
};
const TWO_REALMS = [...usersOf('alpha', MANY), ...usersOf('beta', 2)];

it.each(CASES.map((one) => [one.form, one] as const))('the users of %s are of a realm', async (_, one) => {
  const { stops } = await inspectCase(one, TWO_REALMS);
  expect(stops).toEqual([expect.stringContaining(': alpha 25, beta 2.\n')]);
  expect(stops[0]).toContain('Choose one: --set realm=alpha.');
  const ofBeta = { rows: 2, stops: [], others: MANY };
  expect(await inspectCase(one, TWO_REALMS, '--set', 'realm=beta')).toEqual(ofBeta);
});

/** A realm is of another table, or of a column. */
const OF_TWO_KINDS = ['keycloak-tables', 'casdoor-csv'];

describe.each(CASES.filter(({ form }) => OF_TWO_KINDS.includes(form)))('$form', (one) => {
  it('stops if a later row has another realm', async () => {
    const converted = await runCase(one, 'convert', TWO_REALMS);
    expect(converted.code).toBe(2);
    expect(converted.stderr).toContain(': alpha 25, beta 2.');
    expect(converted.stdout).not.toContain('beta');
  });

  it('imports the users of the chosen realm, whichever comes first', async () => {
    const ofAlpha = { rows: MANY, stops: [], others: 2 };
    expect(await inspectCase(one, TWO_REALMS, '--set', 'realm=alpha')).toEqual(ofAlpha);
  });

  it('imports the users of all realms if the operator says so', async () => {
    expect(await inspectCase(one, TWO_REALMS, '--set', 'realm=*')).toMatchObject({
      rows: MANY + 2,
      stops: [],
    });
  });

  it('stops if the chosen realm has no users', async () => {
    const { rows, stops } = await inspectCase(one, TWO_REALMS, '--set', 'realm=gamma');
    expect([rows, stops]).toEqual([0, [expect.stringContaining('alpha 25, beta 2.')]]);
    const converted = await runCase(one, 'convert', TWO_REALMS, '--set', 'realm=gamma');
    expect([converted.code, converted.stdout]).toEqual([2, '']);
    expect(converted.stderr).toContain('--set realm=gamma: no user belongs to it');
  });

  it('does not ask if there is one realm', async () => {
    expect(await inspectCase(one, usersOf('alpha', 2))).toMatchObject({ rows: 2, stops: [] });
  });
});

describe.each(ONE_SET.map((one) => [one.form, one] as const))('%s', (_, one) => {
  const SEVERAL = [...usersOf('alpha', MANY), ...usersOf('beta', 4)];

  it('imports all realms as one set, with a warning', async () => {
    const converted = await runCase(one, 'convert', SEVERAL, '--shared-address', 'oldest');
    // The addresses of beta are also those of alpha.
    expect([converted.code, readNdjson(converted.stdout).length]).toEqual([2, MANY]);
    const { advice } = JSON.parse((await runCase(one, 'inspect', SEVERAL, '--json')).stdout);
    expect(advice).toContainEqual({
      level: 'warn',
      text: expect.stringContaining('several websites (column '),
    });
    expect(advice).not.toContainEqual(expect.objectContaining({ level: 'stop' }));
  });

  it('imports the users of a chosen realm', async () => {
    const { stdout } = await runCase(one, 'inspect', SEVERAL, '--set', 'realm=beta', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4, dropped: { 'other tenants': MANY } });
  });
});

const HTDIGEST = join(SAMPLES, 'htdigest', 'htdigest');
const htdigest = (command: string, ...more: string[]) =>
  runCli([command, HTDIGEST, '--set', 'emailDomain=example.com', ...more]);

describe('users of several realms', () => {
  it('are not imported, by no way of calling it', async () => {
    for (const mode of [['--yes'], ['--dry-run'], ['--yes', '--set', 'realm=gamma']]) {
      const { code, stderr } = await htdigest('import', '--url', cli.url, ...mode);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Private Area 3')]);
    }
    const asked = await new CliRun(
      ['import', HTDIGEST, '--set', 'emailDomain=example.com', '--url', cli.url],
      { isTerminal: true },
    ).finished;
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Private Area 3')]);
    expect(await cli.userCount()).toBe(0);
  });

  it('are not proved before a realm is chosen, which decides about the hash', async () => {
    const prove = (...more: string[]) =>
      runCli(
        [
          ...['prove', HTDIGEST, '--set', 'emailDomain=example.com', '--url', cli.url],
          ...['--email', 'ada@example.com', ...more],
        ],
        { input: 'Analytical-Engine1\n' },
      );
    const { code, stderr } = await prove();
    expect([code, stderr]).toEqual([2, expect.stringContaining('Choose one: --set "realm=Private Area"')]);
    expect((await prove('--set', 'realm=Private Area')).stdout).toContain('It matches.');
    expect((await prove('--set', 'realm=Other realm')).stdout).toContain('It does not match.');
  });

  it('are imported one realm at a time', async () => {
    const { code, stderr } = await htdigest(
      'import',
      ...words`--url ${cli.url} --yes --set 'realm=Other realm'`,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining('other tenants 4')]);
    expect(await cli.userCount()).toBe(1);
  });

  it('are shown with dots in place of names that may be data', async () => {
    const rows = ['ada@example.org', '5d41402a-bc4b-4a76-b971-9d911017c592', ''].map(
      (realm, at) => `u${at}:${realm}:${'0a'.repeat(16)}\n`,
    );
    const { stderr } = await runCli(
      words`convert ${scratchFile('htdigest', rows.join(''))} --set emailDomain=example.com`,
    );
    expect(stderr).toContain('•• 1, 5d41402a-bc4b-4a76-b971-9d911017c592 1, (none) 1.');
    expect(stderr).not.toContain('ada@');
  });

  it('of which the export does not name the realm are chosen with an empty name', async () => {
    const text = JSON.stringify([
      { id: 'a', email: 'a@example.com', insertInstant: 1_700_000_000_000, active: true },
      { id: 'b', email: 'a@example.com', insertInstant: 1_700_000_000_000, active: true, tenantId: 't' },
    ]);
    const inspected = async (...more: string[]) => {
      const { stdout } = await runCli(['inspect', scratchFile('users.json', text), '--json', ...more]);
      return JSON.parse(stdout);
    };
    expect((await inspected()).advice.map(({ level }: { level: string }) => level)).toContain('stop');
    expect(await inspected('--set', 'realm=')).toMatchObject({ rows: 1, dropped: { 'other tenants': 1 } });
  });
});

describe('users of Auth0', () => {
  const user = (id: string, connection: string) => ({
    ...{ user_id: id, email: 'a@example.com', email_verified: true },
    identities: [{ provider: id.split('|')[0], user_id: id.split('|')[1], connection }],
  });
  const convert = async (users: readonly Row[], hashes: readonly Row[], ...more: string[]) => {
    const { code, stdout } = await runCli([
      ...['convert', scratchFile('users.json', JSON.stringify(users))],
      ...[scratchFile('hashes.json', JSON.stringify(hashes)), ...more],
    ]);
    return [code, readNdjson(stdout).map(({ externalUserId }) => externalUserId)];
  };
  const hash = (_id: string, connection: string) => ({
    ...{ _id, email: `${_id}@example.com`, passwordHash: BCRYPT, connection },
  });

  it('who have no password belong to no database', async () => {
    const users = [user('auth0|1', 'db'), user('google-oauth2|2', 'google-oauth2')];
    expect(await convert(users, [hash('1', 'db')])).toEqual([0, ['auth0|1', 'google-oauth2|2']]);
    expect(await convert(users, [hash('1', 'db')], '--set', 'realm=db')).toEqual([
      0,
      ['auth0|1', 'google-oauth2|2'],
    ]);
  });

  it('are of the database of their hash if their export does not tell', async () => {
    const users = ['1', '2'].map((id) => ({ user_id: `auth0|${id}`, email: `${id}@example.com` }));
    const hashes = [hash('1', 'db'), hash('2', 'other')];
    expect((await convert(users, hashes))[0]).toBe(2);
    expect(await convert(users, hashes, '--set', 'realm=other')).toEqual([0, ['auth0|2']]);
  });

  it('are of the database of their hash if they have nothing else', async () => {
    const hashes = [hash('1', 'db'), hash('2', 'other')];
    expect((await convert([user('auth0|1', 'db')], hashes))[0]).toBe(2);
    expect(await convert([user('auth0|1', 'db')], hashes, '--set', 'realm=db')).toEqual([0, ['auth0|1']]);
    expect(await convert([user('auth0|1', 'db')], hashes, '--set', 'realm=other')).toEqual([0, ['auth0|2']]);
  });
});

describe('tables of users in several schemas', () => {
  const dump = (...schemas: string[]) =>
    [
      '-- PostgreSQL database dump',
      ...schemas.flatMap((schema, at) => [
        `CREATE TABLE ${schema}.users (id text, name text, email text, email_verified_at text, password text, remember_token text, created_at text, updated_at text);`,
        `INSERT INTO ${schema}.users VALUES ('1', 'N', 'a@example.com', NULL, '${BCRYPT.slice(0, -1)}${at}', 't', '2024-01-01', '2024-01-01');`,
      ]),
      '-- PostgreSQL database dump complete\n',
    ].join('\n');
  const convert = (text: string, ...more: string[]) =>
    runCli(['convert', scratchFile('dump.sql', text), ...more]);

  it('are imported one schema at a time', async () => {
    const text = dump('one', 'two');
    const stopped = await convert(text);
    expect([stopped.code, stopped.stdout]).toEqual([2, '']);
    expect(stopped.stderr).toContain(
      'several schemas or databases (schema of the table of users): one 1, two 1.',
    );
    for (const [at, schema] of ['one', 'two'].entries()) {
      const { code, stdout } = await convert(text, '--set', `realm=${schema}`);
      expect([code, readNdjson(stdout).length]).toEqual([0, 1]);
      expect(stdout).toContain(`${BCRYPT.slice(0, -1)}${at}`);
    }
    expect((await convert(text, '--set', 'realm=three')).stderr).toContain('no user belongs to it');
    expect((await convert(text, '--set', 'realm=*')).stderr).toContain('may have the same id');
    expect((await convert(dump('one'))).code).toBe(0);
  });

  it('do not get the identities of another schema', async () => {
    const users = (schema: string) => [
      `CREATE TABLE ${schema}."user" (id text, name text, email text, "emailVerified" text, image text, "createdAt" text, "updatedAt" text);`,
      `INSERT INTO ${schema}."user" VALUES ('1', 'N', '${schema}@example.com', 't', NULL, '2024-01-01', '2024-01-01');`,
      `CREATE TABLE ${schema}.account (id text, "accountId" text, "providerId" text, "userId" text, password text);`,
      `INSERT INTO ${schema}.account VALUES ('1', 'google-of-${schema}', 'google', '1', NULL);`,
    ];
    const text = ['-- PostgreSQL database dump', ...users('one'), ...users('two')].join('\n');
    const { code, stdout } = await convert(
      `${text}\n-- PostgreSQL database dump complete\n`,
      '--set',
      'realm=two',
    );
    expect([code, readNdjson(stdout).length]).toEqual([0, 1]);
    expect(stdout).toContain('google-of-two');
    expect(stdout).not.toContain('google-of-one');
  });

  it('need a dump of one schema if the system has realms as well', async () => {
    const owner = casdoor({ id: '1', email: 'a@example.com', realm: 'shop' });
    const row = { ...owner, password_type: 'bcrypt', is_forbidden: 'f', signup_application: 'app' };
    const tables = ['one', 'two'].map((schema) => sql('user', [row]).replaceAll('public.', `${schema}.`));
    const { code, stderr } = await convert(tables.join('\n'), '--set', 'realm=shop');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Dump only one of them')]);
  });
});

it('users of all realms lose an address to the user who confirmed it', async () => {
  const rows = [false, true].map((verified, at) => ({
    ...{
      id: `${at}`,
      tenantId: `t${at}`,
      email: 'a@example.com',
      verified,
      insertInstant: 1_700_000_000_000,
      active: true,
    },
    ...{ encryptionScheme: 'bcrypt', factor: 10, salt: BCRYPT.slice(7, 29), password: BCRYPT.slice(29) },
  }));
  const { stdout } = await runCli(
    words`convert ${scratchFile('users.json', JSON.stringify(rows))} --set realm=*`,
  );
  expect(readNdjson(stdout)).toEqual([expect.objectContaining({ externalUserId: '1' })]);
});

it('users of other realms have no claim to an address, and their states are not asked for', async () => {
  const text = csv(
    '',
    [...[1, 2].map((id) => ({ ...aspnet({ id: `${id}`, email: 'a@example.com', realm: `t${id}` }) }))].map(
      (row, at) => ({ ...row, EmailConfirmed: at === 1, status: at === 1 ? 'gold' : 'active' }),
    ),
  );
  const file = scratchFile('users.csv', text);
  const { code, stdout } = await runCli(
    words`convert ${file} --set realm=t1 --active status=active ${withoutStates('aspnet-identity')}`,
  );
  expect([code, readNdjson(stdout)]).toEqual([0, [expect.objectContaining({ externalUserId: '1' })]]);
});
