import { decodeBase64 } from '../lib/text/base64.ts';
import { DIGEST_BYTES, type DigestName, digestOfSize, PLAIN_DIGESTS } from './kdf/digests.ts';
import type { PossibleRepair } from './mistakes.ts';

/** A part of a text between separators, and the beginning of the placeholder by which a template takes it. */
interface Piece {
  text: string;
  placeholder: string;
}

/** A salt and a hash in one text, which does not say how they belong together. */
interface Pieces {
  digest: DigestName;
  salt: Piece;
  hash: Piece;
  /** Step of a template that decodes the hash. */
  hashStep: 'hex' | 'base64';
}

const SEPARATORS = /[:$.|;,#*]/;
const HEX_DIGITS = /^(?:[0-9a-f]{2})+$/i;
const ANY_BASE64 = /^[A-Za-z0-9+/._-]+={0,2}$/;

const pieceOf = (parts: readonly string[], index: number, separator: string): Piece => ({
  text: parts[index] ?? '',
  placeholder: `{hash|part(${index + 1},"${separator}")`,
});

/** Returns the digest that is as long as the hash, with the encoding of the hash. */
function digestIn(text: string): Pick<Pieces, 'digest' | 'hashStep'> | undefined {
  if (HEX_DIGITS.test(text)) {
    const digest = digestOfSize(text.length / 2);
    return digest && { digest, hashStep: 'hex' };
  }
  const bytes = decodeBase64(text, 'lenient');
  const digest = Buffer.isBuffer(bytes) ? digestOfSize(bytes.length) : undefined;
  return digest && { digest, hashStep: 'base64' };
}

/** Splits `salt:hash`, `hash:salt`, and `sha256$salt$hash` with any of the separators. */
function piecesOf(encoded: string): Pieces[] {
  const [separator] = SEPARATORS.exec(encoded) ?? [];
  if (separator === undefined) return [];
  const parts = encoded.split(separator);
  const piecesAt = (saltAt: number, hashAt: number): Pieces[] => {
    const hash = pieceOf(parts, hashAt, separator);
    const salt = pieceOf(parts, saltAt, separator);
    const found = digestIn(hash.text);
    return found === undefined || salt.text === '' ? [] : [{ ...found, salt, hash }];
  };
  if (parts.length === 2) return [...piecesAt(0, 1), ...piecesAt(1, 0)];
  const named = PLAIN_DIGESTS.find((name) => name === parts[0]?.toLowerCase());
  if (parts.length !== 3 || named === undefined) return [];
  return piecesAt(1, 2).filter(({ digest }) => digest === named);
}

/** Ways in which applications compute a hash of this length from a password and a salt. */
const arrangementsOf = (digest: DigestName, families: readonly string[]): string[] => [
  ...['sp', 'ps', 'sps'].map((order) => `$salted-${digest}$o=${order}$`),
  ...['salt', 'password'].map((key) => `$hmac-${digest}$k=${key}$`),
  ...families.map((name) => `$${name}$$`),
];

/** The defaults of Node.js, and the iterations of most examples of PBKDF2. */
const derivationsOf = (digest: DigestName): string[] =>
  DIGEST_BYTES[digest] < 20
    ? []
    : ['$scrypt$ln=14,r=8,p=1$', ...[1000, 10_000, 100_000].map((i) => `$pbkdf2-${digest}$i=${i}$`)];

type SaltStep = 'utf8' | 'hex' | 'base64';

function saltSteps({ text }: Piece): SaltStep[] {
  const steps: SaltStep[] = ['utf8'];
  if (HEX_DIGITS.test(text)) steps.push('hex');
  if (ANY_BASE64.test(text)) steps.push('base64');
  return steps;
}

const toPhc = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function built({ salt, hash, hashStep }: Pieces, head: string, step?: SaltStep): PossibleRepair {
  const saltBytes = step === undefined ? '' : toPhc(Buffer.from(salt.text, step));
  const saltHole = step === undefined ? '' : `${salt.placeholder}|${step}}`;
  return {
    mistake: /^\$salted-/.test(head) ? 'SALTED_DIGEST' : 'HASH_IN_PIECES',
    encoded: `${head}${saltBytes}$${toPhc(Buffer.from(hash.text, hashStep))}`,
    change: `--hash '${head}${saltHole}$${hash.placeholder}|${hashStep}}'`,
  };
}

/**
 * Returns a text that has a salt and a hash beside each other as the hashes that applications make of a salt and a
 * password, with the salt as text or decoded: digests of both in any order, HMACs, other families, the digest of the
 * password alone, scrypt and PBKDF2. `change` is the template of user-import that writes the hash so.
 * @param families names of families, of which most have another form than `$name$$<salt>$<hash>`
 */
export function hashesInPieces(encoded: string, families: readonly string[] = []): PossibleRepair[] {
  return piecesOf(encoded).flatMap((pieces) => {
    const { digest, salt } = pieces;
    const steps = saltSteps(salt);
    const inSteps = (heads: readonly string[], tried: readonly SaltStep[]) =>
      heads.flatMap((head) => tried.map((step) => built(pieces, head, step)));
    return [
      ...inSteps(arrangementsOf(digest, families), steps),
      built(pieces, `$salted-${digest}$o=sp$`),
      // Key derivations are expensive: the salt is tried as text and in its most likely encoding.
      ...inSteps(derivationsOf(digest), steps.slice(0, 2)),
    ];
  });
}
