import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { totpOfBase32, totpOfBytes, totpOfRecord, totpOfUrl } from '../../src/sources/fields/totp.ts';
import type { LoadDeps } from '../../src/sources/pipeline/load-users.ts';
import { Tally } from '../../src/sources/pipeline/tally.ts';
import { filesOf } from './containers/read-whole.ts';
import { planOf, verdictsOf } from './samples.ts';

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
  const tally = new Tally();
  const plan = await planOf({ files: filesOf(files), options });
  const verdicts = await verdictsOf(plan, { tally, ...changes });
  const rows = verdicts.map(({ line, reason }) => (line === undefined ? reason : JSON.parse(line)));
  return { rows, tally, system: plan.source.name };
}

const keptBy = (files: Files) => rowsOf(files, { mfa: 'keep' });
const device = (secretKey: string, more: object = {}) => expect.objectContaining({ secretKey, ...more });

describe('--mfa keep keeps what the export of', () => {
  const table = (name: string, columns: string, ...rows: string[]) =>
    `\nCOPY public.${name} (${columns}) FROM stdin;\n${rows.map((row) => `${row.replaceAll('|', '\t')}\n`).join('')}\\.\n`;

  it.each<[system: string, options: Record<string, string>, tables: string[], role: string]>([
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
      'editor',
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
      'Seller',
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
      'support',
    ],
  ])('tables of roles of %s have', async (system, options, tables, role) => {
    const dump = readFileSync(new URL(`samples/${system}/dump.sql`, import.meta.url), 'utf8');
    const kept = await rowsOf({ 'dump.sql': dump + tables.join('') }, { mfa: 'keep' }, options);
    expect(kept.system).toBe(system);
    expect(kept.rows.flatMap(({ userRoles }) => userRoles ?? [])).toMatchObject([{ role }]);
    expect([...kept.tally.columnValues.entries()]).toEqual([]);
    const dropped = await rowsOf({ 'dump.sql': dump + tables.join('') }, {}, options);
    expect(dropped.tally.dropped.get('roles')).toBe(1);
  });

  it('systems whose users are JSON have', async () => {
    const supabase = {
      ...{ id: 's', email: 's@example.com', encrypted_password: BCRYPT, phone: '49301' },
      ...{ raw_user_meta_data: {}, created_at: '2024-01-01T00:00:00Z' },
    };
    const keycloak = {
      ...{ id: 'u', username: 'u', email: 'u@example.com', emailVerified: true, enabled: true },
      ...{
        createdTimestamp: 1_700_000_000_000,
        realmRoles: ['editor'],
        clientRoles: { intranet: ['writer'] },
      },
      credentials: [{ type: 'password', hashedSaltedValue: BCRYPT }],
    };
    const django = {
      ...{ username: 'd', email: 'd@example.com', password: `bcrypt$${BCRYPT}`, is_active: true },
      ...{ last_login: null, date_joined: '2024-01-01T00:00:00Z', groups: [['editors']] },
    };
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
      loginMethods: [{ recipeId: 'emailpassword', email: 's@example.com', passwordHash: BCRYPT }],
    };
    for (const [users, expected] of [
      [[supabase], { phoneNumbers: ['49301'] }],
      [{ realm: 'r', users: [keycloak] }, { userRoles: [{ role: 'editor' }, { role: 'intranet.writer' }] }],
      [[{ model: 'auth.user', pk: 1, fields: django }], { userRoles: [{ role: 'editors' }] }],
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
  const { system, rows, tally } = await keptBy(files);
  expect([system, rows.length]).toEqual([name, 1]);
  const { totpDevices = [] } = rows[0];
  expect(tally.secondFactors.get('kept') ?? 0).toBe(totpDevices.length);
  return totpDevices;
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
