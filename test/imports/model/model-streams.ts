import fc from 'fast-check';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../support/example-hashes.ts';
import type { Login, Person } from './model.ts';

export const NOW = 1_700_000_000_000;
export const MAX_LINE_BYTES = 4096;

/** A line with the person it imports, or the code it fails with, or undefined if it is blank. */
export interface ModelLine {
  bytes: Buffer;
  says: Person | { code: string } | undefined;
}

/**
 * Few addresses, so that lines often share them. They contain characters that COPY, arrays and JSON must
 * quote.
 */
const EMAILS = ['a@b.c', 'b@b.c', 'o\'n"e\\il@b.c', '{,}\té@b.c', '\\n@b.c'];
const OTHER_EMAILS = ['x@b.c', 'y"\\@b.c', 'a@b.c'];
const IDENTITIES = ['google 1', 'google 2', 'goo gle1', 'git"hub\\ {2}\t😀'];
/** One of them looks like an e-mail, because keys of all kinds are looked up together. */
const EXTERNAL_IDS = ['old-1', 'old-2', 'a@b.c', 'ö"\\,{}'];

const secrets = fc.oneof(
  { weight: 9, arbitrary: fc.nat(4000).map((variant) => ({ hash: hashNumber(variant) })) },
  { weight: 1, arbitrary: fc.constantFrom({ password: 'pässword' }, { password: ' other\0one ' }) },
);

/** Returns a hash that is always accepted, and differs for each number. */
export function hashNumber(variant: number): string {
  const digits = variant.toString(16).padStart(3, '0');
  return variant % 2 === 0
    ? BCRYPT.hash.replace('uuFkq', `uu${digits}`)
    : ARGON2.hash.replace('$GPT', `$${digits}`);
}

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const common = {
  isVerified: sometimes(fc.boolean()),
  timeJoinedMs: sometimes(fc.constantFrom(0, 5, NOW)),
};
const passwordLogins = fc
  .record({ email: fc.constantFrom(...EMAILS), secret: secrets, ...common })
  .map((login): Login => ({ ...login, key: `p:${login.email}` }));
const thirdPartyLogins = fc
  .record({ identity: fc.constantFrom(...IDENTITIES), email: fc.constantFrom(...OTHER_EMAILS), ...common })
  .map(({ identity, ...login }): Login => ({ ...login, key: `t:${identity}` }));

const logins = fc.oneof(passwordLogins, thirdPartyLogins);
/** One login, or usually two that belong together, or any. */
const loginsOfOne = fc.oneof(
  { weight: 4, arbitrary: logins.map((login) => [login]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(passwordLogins, thirdPartyLogins, fc.boolean())
      .map(([password, thirdParty, isTurned]) => {
        const second = {
          ...thirdParty,
          key: `t:${IDENTITIES[EMAILS.indexOf(password.email)] ?? 'google 1'}`,
        };
        return isTurned ? [second, password] : [password, second];
      }),
  },
  fc.uniqueArray(logins, { minLength: 1, maxLength: 3, size: 'small', selector: ({ key }) => key }),
);

export const people: fc.Arbitrary<Person> = fc
  .record({
    logins: loginsOfOne,
    externalIds: fc.oneof(
      { weight: 4, arbitrary: fc.constant<string[]>([]) },
      { weight: 2, arbitrary: fc.constantFrom(['old-1'], ['old-2'], ['old-1', 'old-2']) },
      fc.uniqueArray(fc.constantFrom(...EXTERNAL_IDS, undefined), { maxLength: 3 }),
    ),
    metadata: sometimes(fc.constantFrom({}, { writeSet: 'gold\\', n: [1, null, '\u2028\t"'] })),
  })
  .map(({ logins, externalIds: [externalId, ...rest], metadata }) => {
    const [primary, ...others] = logins;
    if (primary === undefined) throw new Error('nobody');
    const named = others.map((login, index) => ({ ...login, externalId: rest[index] }));
    return { externalId, metadata, logins: [primary, ...named] };
  });

interface Dress {
  asForm: boolean;
  /** Position of the primary login method. */
  primaryAt: number;
  idOnMethod: boolean;
  namesAlgorithm: boolean;
  isLoud: boolean;
}
const dresses: fc.Arbitrary<Dress> = fc.record({
  asForm: fc.boolean(),
  primaryAt: fc.nat(2),
  idOnMethod: fc.boolean(),
  namesAlgorithm: fc.boolean(),
  isLoud: fc.boolean(),
});

function wordsOf(login: Login, { namesAlgorithm, isLoud }: Dress) {
  const email = isLoud ? ` ${login.email.toUpperCase()}\t` : login.email;
  const { secret, key } = login;
  if (secret === undefined) {
    const [thirdPartyId, thirdPartyUserId] = identityOf(key);
    return { email, thirdPartyId, thirdPartyUserId };
  }
  if ('password' in secret) return { email, plainTextPassword: secret.password };
  const algorithm = secret.hash.startsWith('$2') ? 'bcrypt' : ' ARGON2 ';
  return { email, passwordHash: secret.hash, ...(namesAlgorithm && { hashingAlgorithm: algorithm }) };
}

export function identityOf(key: string): [thirdPartyId: string, thirdPartyUserId: string] {
  const space = key.indexOf(' ');
  return [key.slice(2, space), key.slice(space + 1)];
}

/** Writes a person in one of the possible forms. */
function sayIn(person: Person, dress: Dress): object {
  const { externalId, metadata, logins } = person;
  const [primary, ...others] = logins;
  const { email, ...words } = wordsOf(primary, dress);
  const hasPlainTextPassword =
    externalId === undefined && metadata === undefined && primary.timeJoinedMs === undefined;
  if (!dress.asForm && hasPlainTextPassword && others.length === 0) {
    if (primary.secret === undefined) {
      return { ...words, email: { id: email, isVerified: primary.isVerified }, more: 'is ignored' };
    }
    if (!primary.isVerified && 'hash' in primary.secret) return { email, ...words };
  }
  const methods: object[] = others.map((login) => methodOf(login, dress));
  methods.splice(dress.primaryAt, 0, {
    ...methodOf(primary, dress),
    ...(others.length > 0 && { isPrimary: true }),
    ...(dress.idOnMethod && { externalUserId: externalId }),
  });
  const id = dress.idOnMethod ? undefined : externalId;
  return { externalUserId: id, userMetadata: metadata, loginMethods: methods };
}

const methodOf = (login: Login, dress: Dress) => ({
  recipeId: login.secret === undefined ? 'thirdparty' : 'emailpassword',
  ...wordsOf(login, dress),
  isVerified: login.isVerified,
  timeJoinedInMSSinceEpoch: login.timeJoinedMs,
  externalUserId: login.externalId,
});

const goodLines = fc.tuple(people, dresses).map(
  ([person, dress]): ModelLine => ({
    bytes: Buffer.from(JSON.stringify(sayIn(person, dress))),
    says: person,
  }),
);

const BAD: readonly [text: string | Buffer, code: string][] = [
  ['x', 'BODY_INVALID_JSON'],
  ['null', 'BODY_INVALID_JSON'],
  ['[{}]', 'BODY_INVALID_JSON'],
  [`{"email":"a@b.c","passwordHash":"${BCRYPT.hash}"`, 'BODY_INVALID_JSON'],
  [Buffer.from('{"email":"a\xff@b.c"}', 'latin1'), 'BODY_INVALID_JSON'],
  [Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xe2, 0x82]), 'BODY_INVALID_JSON'],
  ['{}', 'FIELD_INVALID'],
  [`{"email":null,"passwordHash":"${BCRYPT.hash}"}`, 'FIELD_INVALID'],
  [`{"email":"\\ud800@b.c","passwordHash":"${BCRYPT.hash}"}`, 'FIELD_INVALID'],
  ['{"thirdPartyId":"google","thirdPartyUserId":"\\u0000","email":{"id":"a@b.c"}}', 'FIELD_INVALID'],
  ['{"email":"a@b.c","passwordHash":"$2b$04$short"}', 'PASSWORD_HASH_INVALID'],
  [`{"email":"a@b.c","passwordHash":"${BCRYPT.hash.replace('$04', '$16')}"}`, 'PASSWORD_HASH_COST'],
  [
    `{"email":"a@b.c","passwordHash":"${EXTERNAL_SCRYPT.hash}","hashingAlgorithm":"md5"}`,
    'HASHING_ALGORITHM_UNSUPPORTED',
  ],
  ['{"loginMethods":[]}', 'FIELD_INVALID'],
  [`{"email":"a@b.c","passwordHash":"${BCRYPT.hash}","x":"${'y'.repeat(MAX_LINE_BYTES)}"}`, 'LINE_TOO_LONG'],
  [Buffer.alloc(MAX_LINE_BYTES + 8, 0xff), 'LINE_TOO_LONG'],
];
const badLines = fc
  .constantFrom(...BAD)
  .map(([text, code]): ModelLine => ({ bytes: Buffer.from(text), says: { code } }));
const blankLines = fc
  .constantFrom('', ' ', '\t ', ' \r ')
  .map((text): ModelLine => ({ bytes: Buffer.from(text), says: undefined }));

export interface ModelStream {
  lines: readonly ModelLine[];
  /**
   * The lines with or without byte order mark, with either kind of line break, and with or without the last
   * one.
   */
  bytes: Buffer;
}

export const streams = (maxLength: number): fc.Arbitrary<ModelStream> =>
  fc
    .record({
      lines: fc.array(
        fc.oneof(
          { weight: 12, arbitrary: goodLines },
          { weight: 2, arbitrary: badLines },
          { weight: 1, arbitrary: blankLines },
        ),
        { maxLength, size: 'max' },
      ),
      breaks: fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1, maxLength: 5 }),
      isMarked: fc.boolean(),
      endsInBreak: fc.boolean(),
    })
    .map(({ lines, breaks, isMarked, endsInBreak }) => {
      const parts = lines.map(({ bytes }, index) => {
        const isLast = index === lines.length - 1;
        return Buffer.concat([
          bytes,
          Buffer.from(isLast && !endsInBreak ? '' : (breaks[index % breaks.length] ?? '')),
        ]);
      });
      return { lines, bytes: Buffer.concat([Buffer.from(isMarked ? '\uFEFF' : ''), ...parts]) };
    });
