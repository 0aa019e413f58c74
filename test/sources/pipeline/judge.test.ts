import { describe, expect, it } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/registry.ts';
import { type JudgeDeps, judge } from '../../../src/sources/pipeline/judge.ts';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import { filesOf } from '../containers/read-whole.ts';
import { planOf, verdictsOf } from '../samples.ts';

const BCRYPT = { encoded: '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2' };
const NOW_MS = Date.UTC(2026, 0, 1);
const registry = parseOnlyRegistry();

const deps = (changes: Partial<JudgeDeps> = {}): JudgeDeps => ({
  registry,
  nowMs: NOW_MS,
  disabled: 'skip',
  withoutPassword: 'skip',
  mfa: undefined,
  verifiedByDefault: false,
  providers: {},
  tally: new Tally(),
  ...changes,
});

const outcome = (user: SourceUser, changes: Partial<JudgeDeps> = {}) => {
  const judgement = judge(user, deps(changes));
  return judgement.result === 'import'
    ? JSON.parse(judgement.line ?? '')
    : `${judgement.result} ${judgement.reason}`;
};

const google = { provider: 'google.com', userId: '17' };
const yahoo = { provider: 'yahoo.com', userId: '1' };

it('says which state of the old system keeps a user out', () => {
  const why = { state: 'DISABLED', stateReason: 'status is invited' } as const;
  const user: SourceUser = { email: 'a@x', password: BCRYPT, ...why };
  expect(judge(user, deps())).toMatchObject({ reason: 'DISABLED', message: 'status is invited' });
  expect(judge(user, deps({ disabled: 'include' })).result).toBe('import');
});

it.each(
  Object.entries({
    'format characters': [0xad, 0x200b, 0x200d, 0x202e, 0x2066, 0xfeff, 0xe0041],
    'control characters': [0x01, 0x0b, 0x1f, 0x7f, 0x85, 0x9f],
    'fillers and selectors': [0x34f, 0x115f, 0x1160, 0x3164, 0xffa0, 0x17b4, 0x180b, 0xfe0f, 0xe0100],
    'what has no meaning': [0xfffc, 0xfffd, 0xe000, 0xd800, 0x0378],
    spaces: [0xa0, 0x2003, 0x2028, 0x3000],
  }),
)('no address has %s, which nobody sees', (_, codePoints) => {
  for (const one of codePoints) {
    const user = { email: `ada${String.fromCodePoint(one)}@example.com`, password: BCRYPT };
    expect([one, outcome(user)]).toEqual([one, 'error EMAIL_INVALID']);
  }
});

it('an address of blanks is none', () => {
  for (const email of ['', ' ', '\t \n']) expect(outcome({ email, password: BCRYPT })).toBe('skip NO_EMAIL');
});

it('an address is neither a list nor a link, and reaches somebody', () => {
  const outcomeOf = (email: string) => outcome({ email, password: BCRYPT });
  for (const email of [
    ...['mailto:v@x.org', 'MailTo:v@x.org', 'a@x.org, v@x.org', 'a@x.org;v@x.org', '"a" , v@x.org'],
    ...['a b@x.org', 'a@x..org', 'a@.org'],
  ])
    expect([email, outcomeOf(email)]).toEqual([email, 'error EMAIL_INVALID']);
  for (const email of ['"a,b"@x.org', '"a\\";mailto:b"@x.org', '"a b"@x.org', 'mailto@x.org'])
    expect([email, outcomeOf(email)]).toEqual([
      email,
      { loginMethods: [expect.objectContaining({ email: email.toLowerCase() })] },
    ]);
});

describe('a user is not imported', () => {
  const sso = { provider: 'saml.corp', userId: '1', isSso: true };
  const cut = { encoded: BCRYPT.encoded.slice(0, -1), algorithm: 'bcrypt' };

  it.each<[string, SourceUser, string]>([
    ['neither hash nor identity', { email: 'a@x' }, 'skip NO_LOGIN_METHOD'],
    ['a phone only', { hasPhone: true }, 'skip PHONE_ONLY'],
    ['a hash and a phone, but no address', { hasPhone: true, password: BCRYPT }, 'skip PHONE_ONLY'],
    ['a hash and no address', { password: BCRYPT }, 'skip NO_EMAIL'],
    ['an identity without an address', { identities: [google] }, 'skip NO_EMAIL'],
    ['an enterprise provider', { email: 'a@x', identities: [sso] }, 'skip SSO_USER'],
    ['an unknown provider', { email: 'a@x', identities: [yahoo] }, 'skip NO_LOGIN_METHOD'],
    ['an invalid address', { email: 'no-at-sign', password: BCRYPT }, 'error EMAIL_INVALID'],
    ['a hash that is cut off', { email: 'a@x', password: cut }, 'error PASSWORD_HASH_INVALID'],
    ['an empty hash', { email: 'a@x', password: { encoded: '' } }, 'error PASSWORD_HASH_INVALID'],
    [
      'a hash of an unknown family',
      { email: 'a@x', password: { encoded: 'x', algorithm: 'rot13' } },
      'error HASH_ALGORITHM_UNSUPPORTED',
    ],
    [
      'an encrypted hash',
      { email: 'a@x', password: { problem: 'HASH_ENCRYPTED', message: 'm' } },
      'error HASH_ENCRYPTED',
    ],
    ['a missing record', { email: 'a@x', password: BCRYPT, lacksRecordIn: 'users' }, 'error DETAIL_MISSING'],
    ['different records', { email: 'a@x', password: BCRYPT, repeatsRecordIn: 't' }, 'error DETAIL_REPEATED'],
    ['a long id', { email: 'a@x', password: BCRYPT, externalUserId: 'x'.repeat(129) }, 'error FIELD_INVALID'],
  ])('with %s', (_, user, expected) => {
    expect(outcome(user)).toBe(expected);
  });

  it('if deleted, even where disabled users are wanted', () => {
    const user: SourceUser = { email: 'a@x', password: BCRYPT, state: 'DELETED' };
    expect(outcome(user, { disabled: 'include' })).toBe('skip DELETED');
  });

  it('and the reason contains neither an address nor a hash', () => {
    const judgement = judge({ email: 'ada@example.com', password: { encoded: 'secret-hash' } }, deps());
    expect(JSON.stringify(judgement)).not.toContain('secret-hash');
    expect('message' in judgement && judgement.message).not.toContain('ada');
  });
});

describe('the line of a user', () => {
  it('has every login method, the password first', () => {
    const user: SourceUser = {
      externalUserId: '7',
      email: ' Ada@Example.com ',
      isVerified: true,
      timeJoinedMs: 1_600_000_000_000,
      password: BCRYPT,
      identities: [google, { provider: 'github.com', userId: '8', email: 'Other@x' }, google],
      metadata: { plan: 'pro' },
      emails: ['ada@example.com', 'a@b'],
    };
    const times = { timeJoinedInMSSinceEpoch: 1_600_000_000_000 };
    const ada = { email: 'ada@example.com', isVerified: true };
    const other = { email: 'other@x', isVerified: false };
    expect(outcome(user)).toEqual({
      externalUserId: '7',
      userMetadata: { plan: 'pro', emails: ['ada@example.com', 'a@b'] },
      loginMethods: [
        { ...times, ...ada, recipeId: 'emailpassword', passwordHash: BCRYPT.encoded, isPrimary: true },
        { ...times, ...ada, recipeId: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: '17' },
        { ...times, ...other, recipeId: 'thirdparty', thirdPartyId: 'github', thirdPartyUserId: '8' },
      ],
    });
  });

  it('renames providers as the operator says', () => {
    const identities = [{ provider: 'saml.corp', userId: '1', isSso: true }, google];
    const providers = { 'saml.corp': 'corp', 'google.com': 'g' };
    expect(outcome({ email: 'a@x', identities }, { providers }).loginMethods).toMatchObject([
      { thirdPartyId: 'corp' },
      { thirdPartyId: 'g' },
    ]);
  });

  it('leaves out a time in the future, and counts it', () => {
    const tally = new Tally();
    const line = outcome({ email: 'a@x', password: BCRYPT, timeJoinedMs: NOW_MS + 1 }, { tally });
    expect(line.loginMethods[0]).not.toHaveProperty('timeJoinedInMSSinceEpoch');
    expect([...tally.dropped]).toEqual([['times in the future', 1]]);
  });

  it('treats addresses as verified if the export does not say and the operator does', () => {
    const user: SourceUser = { email: 'a@x', password: BCRYPT };
    expect(outcome(user, { verifiedByDefault: true }).loginMethods).toMatchObject([{ isVerified: true }]);
    expect(outcome({ ...user, isVerified: false }, { verifiedByDefault: true }).loginMethods).toMatchObject([
      { isVerified: false },
    ]);
  });

  it('counts identities that are left out', () => {
    const tally = new Tally();
    judge({ email: 'a@x', password: BCRYPT, identities: [yahoo] }, deps({ tally }));
    expect([...tally.unmappedProviders]).toEqual([['yahoo.com', 1]]);
  });
});

describe('login methods in the long form', () => {
  const password = { recipeId: 'emailpassword', email: 'work@x', passwordHash: BCRYPT.encoded };
  const other = { recipeId: 'thirdparty', email: 'a@x', thirdPartyId: 'own-oidc', thirdPartyUserId: '1' };

  it('are sent unchanged, whatever their providers are called', () => {
    const methods = [{ ...other, isPrimary: true, externalUserId: 'm1' }, password];
    const user = { externalUserId: 'm1', email: 'a@x', loginMethods: methods, metadata: { a: 1 } };
    expect(outcome(user)).toEqual({ externalUserId: 'm1', userMetadata: { a: 1 }, loginMethods: methods });
  });

  it('show which address the password belongs to', () => {
    const judgement = judge({ email: 'a@x', loginMethods: [other, password] }, deps());
    expect(judgement).toMatchObject({ result: 'import', email: 'a@x' });
    const { methods } = 'parsed' in judgement ? judgement.parsed : { methods: [] };
    expect(methods).toContainEqual(expect.objectContaining({ recipeId: 'emailpassword', email: 'work@x' }));
  });

  it.each<[SourceUser, string]>([
    [{ email: 'a@x', loginMethods: [] }, 'skip NO_LOGIN_METHOD'],
    [{ hasPhone: true, loginMethods: [] }, 'skip PHONE_ONLY'],
    [{ email: 'a@x', loginMethods: ['none'] }, 'error FIELD_INVALID'],
    [{ email: 'a@x', loginMethods: [{ ...password, passwordHash: '$2a$x' }] }, 'error PASSWORD_HASH_INVALID'],
    [{ email: 'a@x', loginMethods: [password], state: 'DELETED' }, 'skip DELETED'],
  ])('are refused: %j', (user, expected) => {
    expect(outcome(user)).toBe(expected);
  });
});

it('a user whose joined record is missing keeps that fault behind another one, which may be mended', async () => {
  const csv = `id,primary_email_address,verified_email_addresses,unverified_email_addresses,password_digest,password_hasher
user_1,a@x.example,a@x.example,,${BCRYPT.encoded},bcrypt
user_2,b;c@x.example,,,${BCRYPT.encoded},bcrypt
`;
  const page = [{ id: 'user_1', email_addresses: [], primary_email_address_id: 'e', external_accounts: [] }];
  const texts = { 'users.csv': csv, 'page.json': JSON.stringify(page) };
  const verdicts = await verdictsOf(await planOf({ files: filesOf(texts), from: 'clerk', options: {} }));
  const [, missing] = verdicts;
  expect(missing).toMatchObject({ reason: 'EMAIL_INVALID', user: { lacksRecordIn: 'api' } });
});
