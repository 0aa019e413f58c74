import {
  type DialectTraits,
  defineAlgorithm,
  type HashAlgorithm,
  type WholeNumberSetting,
} from '../algorithm.ts';
import { CRYPT64, cryptDigit, TEXT, toCrypt64 } from '../formats/encodings.ts';
import { bytesOf, encodedPart, type HashPart } from '../formats/hash-part.ts';
import { HashPattern } from '../formats/hash-pattern.ts';
import { BYTES, HTML_ESCAPED, type PasswordReading, type SecondReading } from '../kdf/password-reading.ts';
import { roundHasher, roundMs } from '../kdf/round-hasher.ts';
import { HashRefused } from '../verifier.ts';

export interface PhpassKind {
  digest: 'md5' | 'sha512';
  /** Digest that is applied to the password before the rounds, which receive its hexadecimal digits. */
  passwordDigest?: 'md5';
  secondReading?: SecondReading;
}

export interface PhpassDialect extends DialectTraits {
  displayName: string;
  /** Kinds of hashes by prefix. If two prefixes have the same kind, decoys have the first one. */
  kinds: Readonly<Record<string, PhpassKind>>;
  /** Longer passwords never match, because the programs that write these hashes refuse them. */
  maxPasswordBytes: number;
  password: PasswordReading;
  reference: { formula: string; examples: string; measured: string };
}

interface PhpassHash {
  kind: PhpassKind;
  log2Rounds: number;
  salt: HashPart;
  /** Compared as text, because SHA-512's digest is cut off within a byte. */
  digest: HashPart;
}

export type PhpassLimit = 'phpass_max_log2';

const MIN_LOG2 = 7;
const MAX_LOG2 = 30;
const LIMITS: Record<PhpassLimit, WholeNumberSetting> = {
  phpass_max_log2: {
    min: MIN_LOG2,
    max: MAX_LOG2,
    default: 18,
    description: 'Maximum cost (log2 of the rounds) of an imported phpass or Drupal 7 hash.',
  },
};

/** Drupal cuts off SHA-512, so that a hash has 55 characters. */
const DIGEST_CHARACTERS = { md5: 22, sha512: 43 };
const DIGEST_BYTES = { md5: 16, sha512: 64 };

const PATTERN = new HashPattern(
  /(?<prefix>U?\$[PHS]\$)(?<cost>[./0-9A-Za-z])(?<salt>[./0-9A-Za-z]{8})(?<digest>[./0-9A-Za-z]{22,43})/,
  {
    parts: { salt: TEXT, digest: TEXT },
    looksLike: 'a prefix and, of ./0-9A-Za-z, cost (1), salt (8) and digest',
  },
);

/**
 * phpass's portable hashes and successors: digest(salt, password), then 2^cost times digest(last, password).
 */
export function definePhpass(dialect: PhpassDialect): HashAlgorithm<PhpassLimit, never> {
  const { kinds, maxPasswordBytes, password: reading, ...traits } = dialect;
  const prefixes = Object.keys(kinds);

  function parse(encoded: string, maxLog2: number): PhpassHash {
    const groups = PATTERN.read(encoded);
    const kind = kinds[groups.prefix ?? ''];
    if (kind === undefined) throw new HashRefused('format', `does not begin with ${prefixes.join(' or ')}`);
    const digest = PATTERN.part(groups, 'digest');
    const characters = DIGEST_CHARACTERS[kind.digest];
    if (digest.length !== characters) {
      throw new HashRefused('format', `expected ${characters} characters of digest, got ${digest.length}`);
    }
    if (kind.digest === 'md5') encodedPart('digest', digest.text, CRYPT64);
    const log2Rounds = cryptDigit(groups.cost ?? '');
    checkRounds(log2Rounds, maxLog2);
    return { kind, log2Rounds, salt: PATTERN.part(groups, 'salt'), digest };
  }

  async function of({ kind, log2Rounds, salt }: PhpassHash, read: Buffer): Promise<Buffer | undefined> {
    const password = kind.passwordDigest === undefined ? read : await hexMd5(read);
    if (password.length > maxPasswordBytes) return undefined;
    const digestOf = await roundHasher(kind.digest);
    let last = digestOf(bytesOf(salt), password);
    for (let round = 2 ** log2Rounds; round > 0; round -= 1) last = digestOf(last, password);
    return Buffer.from(toCrypt64(Buffer.from(last)).slice(0, DIGEST_CHARACTERS[kind.digest]));
  }

  return defineAlgorithm<PhpassHash, PhpassLimit>({
    ...traits,
    strength: 'legacy',
    limits: LIMITS,
    parser:
      ({ settings }) =>
      (encoded) =>
        parse(encoded, settings.phpass_max_log2),
    // The cost is that of the longest password, because the length at a sign-in is not known beforehand.
    cost: ({ kind, log2Rounds }) => ({
      memoryBytes: 2 * maxPasswordBytes,
      ms: 2 ** log2Rounds * roundMs(kind.digest, DIGEST_BYTES[kind.digest] + maxPasswordBytes),
      runsOn: 'worker',
    }),
    password: () => reading,
    secondReading: ({ kind }) => kind.secondReading,
    // Several prefixes may stand for the same digest: they are spellings of one hash.
    identity: ({ kind, ...rest }) => ({ kind: digestsOf(kind), ...rest }),
    portable: ({ kind }, encoded) =>
      reading === BYTES && kind.digest === 'md5' && kind.passwordDigest === undefined
        ? { kind: 'phpass', encoded }
        : undefined,
    describe: ({ kind, log2Rounds, salt, digest }) => ({
      ...digestsOf(kind),
      log2Rounds,
      saltBytes: salt.length,
      digestCharacters: digest.length,
      ...(kind.secondReading && { readings: 2 }),
      ...(kind.secondReading === HTML_ESCAPED && { escapedFor: 'html' }),
    }),
    decoy({ kind }, encoded) {
      const [prefix = ''] = prefixes.filter((one) => kinds[one] === kind);
      return prefix + PATTERN.zeroed(encoded).replace(/^U?\$[PHS]\$/, '');
    },
    compute: { digest: ({ digest }) => bytesOf(digest), of },
  });
}

const digestsOf = ({ digest, passwordDigest }: PhpassKind) => ({
  digest,
  ...(passwordDigest && { passwordDigest }),
});

function checkRounds(log2Rounds: number, maxLog2: number): void {
  if (log2Rounds < MIN_LOG2) throw new HashRefused('format', `cost must be at least 2^${MIN_LOG2} rounds`);
  if (log2Rounds <= maxLog2) return;
  throw new HashRefused(
    'cost',
    `2^${log2Rounds} rounds are above the limit of 2^${maxLog2} (phpass_max_log2)`,
  );
}

const hexMd5 = async (password: Buffer) => {
  const md5 = await roundHasher('md5');
  return Buffer.from(Buffer.from(md5(password)).toString('hex'));
};
