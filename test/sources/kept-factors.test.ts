import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { totpOfBase32, totpOfBytes, totpOfRecord, totpOfUrl } from '../../src/sources/fields/totp.ts';
import type { LoadDeps } from '../../src/sources/pipeline/load-users.ts';
import { Tally } from '../../src/sources/pipeline/tally.ts';
import { fileOf, planOf, verdictsOf } from './samples.ts';

const BCRYPT = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
const SECRET = 'JBSWY3DPEHPK3PXP';
const BYTES = Buffer.from('Hello!\xde\xad\xbe\xef', 'latin1');

describe('a TOTP device', () => {
  const DEVICE = { secretKey: SECRET, algorithm: 'SHA1' };

  it('is read from base32, bytes and URLs', () => {
    expect(totpOfBase32('jbsw y3dp-ehpk 3pxp==')).toMatchObject([DEVICE]);
    expect(totpOfBytes(BYTES)).toMatchObject([DEVICE]);
    const url = `otpauth://totp/me?secret=${SECRET}&algorithm=SHA256&digits=8&period=60`;
    expect(totpOfUrl(url)).toMatchObject([{ ...DEVICE, algorithm: 'SHA256', digits: 8, period: 60 }]);
  });

  it('is none if its secret is encrypted, missing or of a counter', () => {
    for (const secret of [undefined, '', 'A', '{"key_id":"x"}', 'eyJpdiI6IkFBQUE', '0189'])
      expect(totpOfBase32(secret)).toEqual([]);
    expect(totpOfBase32(SECRET, { algorithm: 'MD5' })).toEqual([]);
    for (const url of ['nonsense', `https://totp/?secret=${SECRET}`, `otpauth://hotp/x?secret=${SECRET}`, 1])
      expect(totpOfUrl(url)).toEqual([]);
    expect(totpOfRecord({ secret: SECRET })).toEqual([]);
    expect(totpOfRecord({ factor_type: 'phone', secret: SECRET })).toEqual([]);
  });
});

type Files = Readonly<Record<string, string>>;

/** Returns the line or the reason for each row. */
async function rowsOf(
  files: Files,
  changes: Partial<LoadDeps>,
  options: Readonly<Record<string, string>> = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'uic-kept-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  });
  const tally = new Tally();
  const plan = await planOf({ files: paths.map(fileOf), options });
  const verdicts = await verdictsOf(plan, { tally, ...changes });
  const rows = verdicts.map(({ line, reason }) => (line === undefined ? reason : JSON.parse(line)));
  return { rows, tally, system: plan.source.name };
}

const SUPABASE = {
  'dump.sql': `COPY auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, secret, phone) FROM stdin;
f1\tu1\tphone\ttotp\tverified\t2024-01-01 00:00:00+00\t${SECRET}\t\\N
f2\tu2\t\\N\tphone\tverified\t2024-01-01 00:00:00+00\t\\N\t+4930
f3\tu3\t\\N\ttotp\tunverified\t2024-01-01 00:00:00+00\t${SECRET}\t\\N
\\.

COPY auth.users (id, email, encrypted_password, email_confirmed_at, created_at, phone, raw_user_meta_data, raw_app_meta_data, is_anonymous, is_sso_user, banned_until, deleted_at) FROM stdin;
u1\tu1@example.com\t${BCRYPT}\t2024-01-01 00:00:00+00\t2024-01-01 00:00:00+00\t49301\t{}\t{}\tf\tf\t\\N\t\\N
u2\tu2@example.com\t${BCRYPT}\t2024-01-01 00:00:00+00\t2024-01-01 00:00:00+00\t\\N\t{}\t{}\tf\tf\t\\N\t\\N
u3\tu3@example.com\t${BCRYPT}\t2024-01-01 00:00:00+00\t2024-01-01 00:00:00+00\t\\N\t{}\t{}\tf\tf\t\\N\t\\N
\\.
`,
};

const keycloakUser = (id: string, credentials: object[], more: object = {}) => ({
  ...{ id, username: id, email: `${id}@example.com`, emailVerified: true, enabled: true },
  createdTimestamp: 1_700_000_000_000,
  credentials,
  ...more,
});
const KEYCLOAK_PASSWORD = { type: 'password', hashedSaltedValue: BCRYPT };
const otp = (data: object, value = 'Hello!1234') => ({
  type: 'otp',
  userLabel: 'phone',
  secretData: JSON.stringify({ value }),
  credentialData: JSON.stringify({ subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1', ...data }),
});
const KEYCLOAK = {
  'realm.json': JSON.stringify({
    realm: 'r',
    users: [
      keycloakUser('raw', [KEYCLOAK_PASSWORD, otp({})], {
        ...{ realmRoles: ['editor'], clientRoles: { intranet: ['writer'] } },
      }),
      keycloakUser('base32', [KEYCLOAK_PASSWORD, otp({ secretEncoding: 'BASE32' }, SECRET)]),
      keycloakUser('hotp', [KEYCLOAK_PASSWORD, otp({ subType: 'hotp' })]),
      keycloakUser('off', [KEYCLOAK_PASSWORD], { enabled: false }),
      keycloakUser('none', []),
    ],
  }),
};

const keptBy = async (files: Files) => {
  const { rows, tally, system } = await rowsOf(files, { mfa: 'keep' });
  return { system, rows, kept: Object.fromEntries(tally.secondFactors) };
};
const device = (secretKey: string, more: object = {}) => expect.objectContaining({ secretKey, ...more });

describe('--mfa keep keeps what the export of', () => {
  it('Supabase has', async () => {
    const { system, rows, kept } = await keptBy(SUPABASE);
    expect(system).toBe('supabase');
    expect(rows).toMatchObject([
      {
        totpDevices: [device(SECRET, { deviceName: 'phone', algorithm: 'SHA1' })],
        phoneNumbers: ['49301'],
      },
      {},
      {},
    ]);
    expect(rows[1]).not.toHaveProperty('totpDevices');
    // A factor that was never verified is none.
    expect(rows[2]).not.toHaveProperty('totpDevices');
    expect(kept).toEqual({ users: 2, kept: 1 });
  });

  it('Keycloak has', async () => {
    const { rows, kept } = await keptBy(KEYCLOAK);
    expect(rows).toMatchObject([
      {
        totpDevices: [
          device('JBSWY3DPEEYTEMZU', { deviceName: 'phone', period: 30, digits: 6, algorithm: 'SHA1' }),
        ],
        userRoles: [{ role: 'editor' }, { role: 'intranet.writer' }],
      },
      { totpDevices: [device(SECRET)] },
      {},
      'DISABLED',
      'NO_LOGIN_METHOD',
    ]);
    expect(rows[2]).not.toHaveProperty('totpDevices');
    expect(kept).toEqual({ users: 3, kept: 2 });
  });

  const table = (name: string, columns: string, ...rows: string[]) =>
    `\nCOPY public.${name} (${columns}) FROM stdin;\n${rows.map((row) => `${row.replaceAll('|', '\t')}\n`).join('')}\\.\n`;

  it.each<
    [system: string, options: Record<string, string>, tables: string[], roles: (string[] | undefined)[]]
  >([
    [
      'logto',
      { realm: 'default' },
      [
        table(
          'roles',
          'tenant_id, id, name, description, type, is_default',
          'default|r1|editor|Edits|User|f',
        ),
        table('users_roles', 'tenant_id, id, user_id, role_id', 'default|x|u1|r1', 'default|y|u1|gone'),
      ],
      [['editor']],
    ],
    [
      'medusa',
      { actor: 'user' },
      [
        table(
          'rbac_role',
          'id, name, description, metadata, created_at, updated_at, deleted_at',
          'r1|Seller|Sells|\\N|x|x|\\N',
          'r2|Old|\\N|\\N|x|x|\\N',
        ),
        table(
          'user_rbac_role',
          'user_id, rbac_role_id, id, created_at, updated_at, deleted_at',
          'user_01M84QH71ANF3QE3YWCCSHDFCH|r1|l1|x|x|\\N',
          'user_01M84QH71ANF3QE3YWCCSHDFCH|r2|l2|x|x|2024-05-06 07:08:09.123+00',
        ),
      ],
      [['Seller']],
    ],
    [
      'vendure',
      {},
      [
        table(
          'role',
          '"createdAt", "updatedAt", code, description, permissions, id',
          'x|x|__customer_role__|Customer|Authenticated|2',
          'x|x|support|Helps|Authenticated|3',
        ),
        table('user_roles_role', '"userId", "roleId"', '3|3'),
      ],
      [['support']],
    ],
  ])('tables of roles of %s have', async (system, options, tables, roles) => {
    const dump = readFileSync(new URL(`samples/${system}/dump.sql`, import.meta.url), 'utf8');
    const kept = await rowsOf({ 'dump.sql': dump + tables.join('') }, { mfa: 'keep' }, options);
    expect(kept.system).toBe(system);
    expect(
      kept.rows.flatMap(({ userRoles }) => userRoles?.map(({ role }: { role: string }) => role) ?? []),
    ).toEqual(roles.flat());
    expect([...kept.tally.columnValues.entries()]).toEqual([]);
    const dropped = await rowsOf({ 'dump.sql': dump + tables.join('') }, {}, options);
    expect(dropped.tally.dropped.get('roles')).toBe(roles.length);
  });

  it('Django has, of django-otp and allauth', async () => {
    const fixture = (model: string, pk: number, fields: object) => ({ model, pk, fields });
    const user = (pk: number) =>
      fixture('auth.user', pk, {
        ...{ username: `u${pk}`, email: `u${pk}@example.com`, password: `bcrypt$${BCRYPT}` },
        ...{ is_active: true, last_login: null, date_joined: '2024-01-01T00:00:00Z', groups: [['editors']] },
      });
    const dump = [
      user(1),
      user(2),
      fixture('otp_totp.totpdevice', 1, {
        ...{ user: 1, name: 'phone', confirmed: true, key: BYTES.toString('hex'), step: 60, t0: 0 },
        ...{ digits: 8, tolerance: 2, drift: 0 },
      }),
      fixture('mfa.authenticator', 1, { user: 2, type: 'totp', data: { secret: SECRET } }),
    ];
    const { system, rows } = await keptBy({ 'dump.json': JSON.stringify(dump) });
    expect(system).toBe('django');
    expect(rows).toMatchObject([
      {
        totpDevices: [device(SECRET, { deviceName: 'phone', period: 60, skew: 2, digits: 8 })],
        userRoles: [{ role: 'editors' }],
      },
      { totpDevices: [device(SECRET)] },
    ]);
  });

  it('Kratos, Auth0, FusionAuth and SuperTokens have', async () => {
    const kratos = {
      ...{ id: 'k', schema_id: 's', state: 'active', traits: { email: 'k@example.com', phone: '+4930' } },
      ...{ created_at: '2024-01-01T00:00:00Z', verifiable_addresses: [] },
      credentials: {
        password: { config: { hashed_password: BCRYPT } },
        totp: { config: { totp_url: `otpauth://totp/x?secret=${SECRET}&period=60` } },
      },
    };
    const auth0 = {
      ...{ user_id: 'a', email: 'a@example.com', email_verified: true, password_hash: BCRYPT },
      mfa_factors: [{ totp: { secret: SECRET } }, { phone: { value: '+4930' } }],
    };
    const fusionauth = {
      ...{ id: 'f', email: 'f@example.com', active: true, insertInstant: 1_700_000_000_000, factor: 10 },
      ...{ encryptionScheme: 'bcrypt', salt: BCRYPT.slice(7, 29), password: BCRYPT.slice(29) },
      registrations: [{ roles: ['admin'] }],
      twoFactor: { methods: [{ method: 'authenticator', secret: BYTES.toString('base64') }] },
    };
    const supertokens = {
      ...{ externalUserId: 's', userRoles: [{ role: 'r', tenantIds: ['public'] }] },
      totpDevices: [{ secretKey: SECRET, period: 30, skew: 1 }],
      loginMethods: [
        {
          recipeId: 'emailpassword',
          email: 's@example.com',
          passwordHash: BCRYPT,
          hashingAlgorithm: 'bcrypt',
        },
      ],
    };
    for (const [users, expected] of [
      [[kratos], { totpDevices: [device(SECRET, { period: 60 })], phoneNumbers: ['+4930'] }],
      [[auth0], { totpDevices: [device(SECRET)], phoneNumbers: ['+4930'] }],
      [{ users: [fusionauth] }, { totpDevices: [device(SECRET)], userRoles: [{ role: 'admin' }] }],
      [{ users: [supertokens] }, { totpDevices: [device(SECRET)], userRoles: [{ role: 'r' }] }],
    ] as const) {
      const { system, rows } = await keptBy({ 'users.json': JSON.stringify(users) });
      expect([system, rows]).toMatchObject([system, [expected]]);
    }
  });
});

const csv = (rows: readonly Readonly<Record<string, string>>[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`)
    .join('');

/** Returns the devices of the only user, after checking the system. */
async function devicesOf(name: string, files: Files): Promise<unknown[]> {
  const { system, rows } = await keptBy(files);
  expect([system, rows.length]).toEqual([name, 1]);
  return rows[0].totpDevices ?? [];
}

describe('the device in tables of', () => {
  const KEYCLOAK_USER = {
    ...{ id: 'u', username: 'u', email: 'u@example.com', email_verified: 'true', enabled: 'true' },
    ...{ realm_id: 'r', created_timestamp: '1700000000000' },
  };
  const credential = (type: string, secret_data: object, credential_data: object) => ({
    ...{ id: type, user_id: 'u', type, user_label: 'phone' },
    ...{ secret_data: JSON.stringify(secret_data), credential_data: JSON.stringify(credential_data) },
  });
  const keycloakDevices = (data: object, secret: string) =>
    devicesOf('keycloak', {
      'user_entity.csv': csv([KEYCLOAK_USER]),
      'credential.csv': csv([
        credential('otp', { value: secret }, { subType: 'totp', digits: 8, period: 60, ...data }),
        credential('password', { value: BCRYPT, salt: '' }, {}),
        credential('webauthn', { value: secret }, { subType: 'totp' }),
      ]),
    });

  it('Keycloak', async () => {
    expect(await keycloakDevices({ algorithm: 'HmacSHA256' }, 'Hello!1234')).toEqual([
      device('JBSWY3DPEEYTEMZU', { deviceName: 'phone', period: 60, digits: 8, algorithm: 'SHA256' }),
    ]);
    expect(await keycloakDevices({ secretEncoding: 'BASE32' }, SECRET)).toEqual([device(SECRET)]);
    expect(await keycloakDevices({ subType: 'hotp' }, SECRET)).toEqual([]);
  });

  it('Redmine, unless database_cipher_key has encrypted it', async () => {
    const devices = (columns: object) =>
      devicesOf('redmine', {
        'users.csv': csv([
          {
            ...{ id: '1', login: 'a', mail: 'a@example.com', hashed_password: 'a'.repeat(40), salt: 'b' },
            ...{ status: '1', type: 'User', auth_source_id: '', twofa_scheme: 'totp', ...columns },
          },
        ]),
      });
    expect(await devices({ twofa_totp_key: SECRET })).toEqual([device(SECRET)]);
    expect(await devices({ twofa_totp_key: 'aes-256-cbc:AAAA--BBBB' })).toEqual([]);
    // The key of an abandoned activation.
    expect(await devices({ twofa_scheme: '', twofa_totp_key: SECRET })).toEqual([]);
  });
});
