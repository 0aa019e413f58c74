import { describe, expect, it } from 'vitest';
import { kratos, kratosPassword } from '../../../src/sources/systems/kratos.ts';
import { passwordOf, secretOf, vector, vectorsOf } from '../../support/vectors.ts';
import { acceptedHash, findForm, readUsers, tableOf } from './read-users.ts';

const IDENTITY = { id: 'i1', schema_id: 'default', state: 'active', traits: { email: 'ada@example.com' } };
const readOne = (identity: object) => readUsers(kratos, [tableOf('json', [{ ...IDENTITY, ...identity }])]);
const withHash = (hashed_password: string) => ({
  credentials: { password: { config: { hashed_password } } },
});

describe('an exported identity', () => {
  it('has its e-mail in the traits, in the credential, or among its addresses', () => {
    const password = { identifiers: ['ada', 'grace@example.com'] };
    const addresses = [
      { via: 'sms', value: '+1', verified: true },
      { via: 'email', value: 'hedy@example.com', verified: true },
    ];
    const traits = { username: 'ada' };
    const emailOf = (identity: object) => readOne(identity).users[0]?.email;
    expect(emailOf({ credentials: { password }, verifiable_addresses: addresses })).toBe('ada@example.com');
    expect(emailOf({ traits, credentials: { password }, verifiable_addresses: addresses })).toBe(
      'grace@example.com',
    );
    expect(emailOf({ traits, verifiable_addresses: addresses })).toBe('hedy@example.com');
    expect(emailOf({ traits: { email: ['x'] } })).toBeUndefined();
  });

  it('is verified only by an address that equals its e-mail', () => {
    const verified = (value: string) =>
      readOne({ verifiable_addresses: [{ via: 'email', value, verified: true }] }).users[0]?.isVerified;
    expect(verified('ADA@example.com')).toBe(true);
    expect(verified('other@example.com')).toBe(false);
  });

  it('has accounts in the identifiers if nothing else names them, and SAML counts as SSO', () => {
    const oidc = { identifiers: ['google:1:2', 'broken', ':3', 'github:'] };
    const saml = { config: { providers: [{ provider: 'corp', subject: 's' }] } };
    expect(readOne({ credentials: { oidc, saml } }).users[0]?.identities).toEqual([
      { provider: 'google', userId: '1:2', isSso: false },
      { provider: 'corp', userId: 's', isSso: true },
    ]);
    const ofOrganization = {
      config: { providers: [{ provider: 'okta-1', subject: 's', organization: 'o' }] },
    };
    expect(readOne({ credentials: { oidc: ofOrganization } }).users[0]?.identities?.[0]?.isSso).toBe(true);
  });

  it('keeps its metadata, and what cannot be imported is counted', () => {
    const { users, dropped } = readOne({
      external_id: 'crm-1',
      metadata_admin: { a: 1 },
      organization_id: 'o',
      traits: { email: 'ada@example.com', phone: '+1' },
      credentials: { totp: {} },
    });
    expect(users[0]?.metadata).toMatchObject({ external_id: 'crm-1', metadata_admin: { a: 1 } });
    expect(dropped).toEqual({ 'phone numbers': 1, mfa: 1, organisations: 1 });
  });

  it('has no hash if another system still has it', () => {
    const config = { use_password_migration_hook: true };
    expect(readOne({ credentials: { password: { config } } }).users[0]?.password).toBeUndefined();
  });
});

describe('advice', () => {
  const adviceOn = (identity: object) => {
    const { head } = tableOf('json', [{ ...IDENTITY, ...identity }]);
    return kratos.forms[0]
      ?.advice?.({ tables: [head], settings: {} })
      .map(({ text }) => text)
      .join(' ');
  };
  it('names the call that returns hashes if there are none', () => {
    expect(adviceOn({ credentials: { password: {} } })).toContain('include_credential=password');
    expect(adviceOn(withHash('$2a$10$x'))).toBe('');
  });
  it('names the signer key without showing it', () => {
    const said = adviceOn(withHash('$firescrypt$ln=14,r=8,p=1$c2FsdA==$aGFzaA==$Bw==$c2VjcmV0a2V5'));
    expect(said).toContain('external_password_hashing_signer_key');
    expect(said).not.toContain('c2VjcmV0');
  });
});

describe('kratosPassword', () => {
  const families = [
    'bcrypt',
    'argon2',
    'pbkdf2-kratos',
    'scrypt-kratos',
    'md5-crypt-kratos',
    'sha256-crypt-kratos',
    'sha512-crypt-kratos',
    'md5-kratos',
    'sha-kratos',
    'hmac-kratos',
  ];

  it.each(families)('names %s', (algorithm) => {
    const known = vectorsOf(algorithm).filter(
      ({ expect: outcome, acceptable, hash }) =>
        outcome === true && acceptable === undefined && hash.startsWith('$'),
    );
    expect(known.length).toBeGreaterThan(0);
    for (const { hash } of known) {
      const password = kratosPassword({ hashed_password: hash });
      expect(password).toEqual({ encoded: hash, algorithm });
      expect(acceptedHash(password).algorithm).toBe(algorithm);
    }
  });

  it("converts firescrypt to Firebase's notation", async () => {
    const known = vector('external_scrypt', 'own-reference');
    const [, , hash = '', salt = ''] = known.hash.split('$');
    const separator = known.hash.match(/\$s=([^$]*)/)?.[1] ?? '';
    const [m, r] = [known.hash.match(/m=(\d+)/)?.[1], known.hash.match(/r=(\d+)/)?.[1]];
    const key = secretOf(known)?.toString('base64');
    const password = kratosPassword({
      hashed_password: `$firescrypt$ln=${m},r=${r},p=1$${salt}$${hash}$${separator}$${key}`,
    });
    expect(await acceptedHash(password, key).verify(passwordOf(known))).toBe(true);
    expect(JSON.stringify(password)).not.toContain(key);
  });

  it.each([
    '$firescrypt$',
    '$firescrypt$ln=14,r=8,p=2$a$b$c$d',
    '$firescrypt$ln=14,r=8,p=1$a$b$c',
    '$firescrypt$ln=14,r=8,p=1$a$b$c$d$e',
  ])('refuses %s without showing it', (hashed_password) => {
    const password = kratosPassword({ hashed_password });
    expect(password).toMatchObject({ problem: 'PASSWORD_HASH_INVALID' });
    expect(JSON.stringify(password)).not.toContain('p=2');
  });

  it('leaves other hashes to the service', () => {
    expect(kratosPassword({ hashed_password: '{SSHA}x' })).toEqual({ encoded: '{SSHA}x' });
  });
});

describe('import bodies', () => {
  it('may contain a plain password, and no id', () => {
    const create = {
      schema_id: 'default',
      traits: { email: 'ada@example.com' },
      credentials: { password: { config: { password: 'x y' } } },
    };
    const { form, users } = readUsers(kratos, [tableOf('json', [{ create }], { name: 'identities' })]);
    expect(form.name).toBe('kratos-import');
    expect(users).toEqual([
      expect.objectContaining({
        externalUserId: undefined,
        email: 'ada@example.com',
        password: { plainText: 'x y' },
      }),
    ]);
  });
});

describe('the tables of a database', () => {
  const row = {
    id: 'i1',
    schema_id: 'default',
    traits: '{"email": "ada@example.com"}',
    state: 'active',
    created_at: '2024-01-15 10:30:00',
  };
  const users = tableOf('sql', [row], { name: 'public.identities' });

  it('are joined by the identity', () => {
    const credentials = tableOf(
      'sql',
      [
        { id: 'c1', identity_id: 'i1', config: '{"hashed_password": "$2a$10$x"}' },
        {
          id: 'c2',
          identity_id: 'i1',
          config: '{"providers": [{"provider": "google", "subject": "110", "initial_id_token": "eyJ"}]}',
        },
        { id: 'c3', identity_id: 'i1', config: '{}' },
      ],
      { name: 'public.identity_credentials' },
    );
    const addresses = tableOf(
      'sql',
      [{ identity_id: 'i1', via: 'email', value: 'ada@example.com', verified: 't' }],
      {
        name: 'public.identity_verifiable_addresses',
      },
    );
    const read = readUsers(kratos, [addresses, credentials, users]);
    expect(read.form.name).toBe('kratos-sql');
    expect(read.users).toEqual([
      expect.objectContaining({
        externalUserId: 'i1',
        email: 'ada@example.com',
        isVerified: true,
        password: { encoded: '$2a$10$x', algorithm: 'bcrypt' },
        identities: [{ provider: 'google', userId: '110', isSso: false }],
      }),
    ]);
    expect(JSON.stringify(read.users)).not.toContain('eyJ');
  });

  const credentialsOf = (...configs: object[]) =>
    tableOf(
      'sql',
      configs.map((config, index) => ({
        identity_id: 'i1',
        identity_credential_type_id: `t${index}`,
        config: JSON.stringify(config),
      })),
      { name: 'public.identity_credentials' },
    );

  it.each([
    { totp_url: 'otpauth://totp/a?secret=JBSW' },
    { recovery_codes: [{ code: 'aaaa-bbbb' }] },
    { credentials: [{ id: 'a2V5', public_key: 'pQEC' }], user_handle: 'aQ==' },
  ])('count the second factor of %j, and keep nothing of it', (config) => {
    const read = readUsers(kratos, [users, credentialsOf({ hashed_password: '$2a$10$x' }, config, config)]);
    expect(read.dropped).toEqual({ mfa: 1 });
    expect(JSON.stringify(read.users)).not.toMatch(/JBSW|aaaa|pQEC/);
  });

  it('do not count a second factor that was never set up', () => {
    const empty = [{ totp_url: '' }, { recovery_codes: [] }, { credentials: null, user_handle: 'aQ==' }];
    expect(readUsers(kratos, [users, credentialsOf(...empty)]).dropped).toEqual({});
  });

  it('recognise SAML by the type of the credential', () => {
    const providersOf = (provider: string) => ({ providers: [{ provider, subject: 's' }] });
    const types = tableOf(
      'sql',
      [
        { id: 't0', name: 'oidc' },
        { id: 't1', name: 'saml' },
      ],
      { name: 'public.identity_credential_types' },
    );
    const credentials = credentialsOf(providersOf('google'), providersOf('corp'));
    expect(readUsers(kratos, [users, credentials, types]).users[0]?.identities).toEqual([
      { provider: 'google', userId: 's', isSso: false },
      { provider: 'corp', userId: 's', isSso: true },
    ]);
  });

  it.each([
    ['active', undefined],
    ['inactive', 'DISABLED'],
    ['suspended', { column: 'state', word: 'suspended' }],
    ['', { column: 'state', word: '(empty)' }],
  ])('with the state %j give a user who is %j', (state, expected) => {
    const [user] = readUsers(kratos, [tableOf('sql', [{ ...row, state }], { name: 'identities' })]).users;
    expect(user?.state).toEqual(expected);
  });

  it('give advice about missing data', () => {
    const form = findForm(kratos, [users]);
    expect(form?.details?.credentials?.missing).toContain('identity_credentials');
  });
});
