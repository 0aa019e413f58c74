import type { MistakeCode } from './mistakes.ts';
import { hexToBase64 } from './repair-text.ts';

/** Mistakes that are possible in canonical hashes of a family, `$<name>$<params>$<salt>$<hash>`. */
export interface CanonicalMistakes {
  /** Whether the order of salt and password (parameter `o=`, or `k=` of HMAC) may be wrong. */
  order?: true;
  /** Whether programs differ in salting with the text in the export or with the bytes that it encodes. */
  salt?: true;
  encoding?: true;
  blockSize?: true;
  /** Families that differ from this one only in their digest: the length of the digest in bytes, by name. */
  digests?: Readonly<Record<string, number>>;
  /** Whether a hash may have any length, so that its length does not show its digest function. */
  freeLength?: true;
  /** Default numbers of iterations in the versions of the family's systems, in ascending order. */
  iterations?: readonly number[];
}

export interface CanonicalRepair {
  mistake: MistakeCode;
  encoded: string;
}

interface Sections {
  name: string;
  params: readonly string[];
  salt: string;
  hash: string;
}

type Change = [MistakeCode, Partial<Sections>];

const CANONICAL = /^\$([a-z0-9-]+)\$([^$]*)\$([^$]*)\$([^$]+)$/;
/** Matches hexadecimal digits of at least four bytes. Fewer digits may be base64 by chance. */
const HEX_DIGITS = /^(?:[0-9a-f]{2}){4,}$/i;
const BASE64_TEXT = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
/** Number of printable bytes from which a salt counts as text. Fewer bytes are often printable by chance. */
const SURELY_TEXT = 8;

/** Returns a function that lists possible repairs, the most likely first. Each corrects one mistake. */
export function canonicalRepairs(mistakes: CanonicalMistakes): (encoded: string) => CanonicalRepair[] {
  return (encoded) => {
    const [, name = '', params = '', salt = '', hash = ''] = CANONICAL.exec(encoded) ?? [];
    if (name === '') return [];
    const sections = { name, params: params === '' ? [] : params.split(','), salt, hash };
    const changes: Change[] = [
      ...hexadecimal(sections),
      ...(mistakes.order ? otherOrders(sections) : []),
      ...(mistakes.salt ? otherSalts(salt) : []),
      ...(mistakes.encoding ? otherEncoding(sections) : []),
      ...(mistakes.blockSize ? otherBlockSize(sections) : []),
      ...otherDigests(sections, mistakes),
      ...otherIterations(sections, mistakes.iterations ?? []),
    ];
    return changes.map(([mistake, change]) => ({ mistake, encoded: join({ ...sections, ...change }) }));
  };
}

const join = ({ name, params, salt, hash }: Sections) => `$${name}$${params.join(',')}$${salt}$${hash}`;
const toBase64 = (text: string, encoding: 'utf8' | 'hex' = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');

/** The digits of a hexadecimal salt may also be the salt itself, as text. */
function hexadecimal({ salt, hash }: Sections): Change[] {
  const repaired = HEX_DIGITS.test(hash) ? hexToBase64(hash) : hash;
  const salts = HEX_DIGITS.test(salt) ? [hexToBase64(salt), toBase64(salt)] : [];
  const salted = salts.map((one): Change => ['HEX_INSTEAD_OF_BASE64', { salt: one, hash: repaired }]);
  return repaired === hash ? salted : [...salted, ['HEX_INSTEAD_OF_BASE64', { hash: repaired }]];
}

const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'o=sp': ['o=ps', 'o=sps'],
  'o=ps': ['o=sp', 'o=sps'],
  'o=sps': ['o=sp', 'o=ps'],
  'k=salt': ['k=password'],
  'k=password': ['k=salt'],
};

const otherOrders = ({ params }: Sections): Change[] =>
  params.flatMap((param) =>
    (ORDERS[param] ?? []).map((other): Change => ['SALT_ORDER', { params: replaced(params, param, other) }]),
  );

const replaced = (params: readonly string[], param: string, other: string) =>
  params.map((one) => (one === param ? other : one));

function otherSalts(salt: string): Change[] {
  const bytes = Buffer.from(salt, 'base64');
  const text = bytes.toString('latin1');
  const asText = (other: string): Change => ['SALT_DECODED', { salt: other }];
  const decoded = (other: string): Change => ['SALT_AS_TEXT', { salt: other }];
  const isText = PRINTABLE.test(text);
  const written =
    isText && bytes.length >= SURELY_TEXT
      ? []
      : [asText(toBase64(bytes.toString('hex'))), asText(toBase64(bytes.toString('base64')))];
  if (!isText || bytes.length === 0) return bytes.length === 0 ? [] : written;
  if (HEX_DIGITS.test(text)) return [decoded(toBase64(text, 'hex')), ...written];
  if (BASE64_TEXT.test(text)) return [decoded(Buffer.from(text, 'base64').toString('base64')), ...written];
  return written;
}

const UTF16 = 'e=utf16le';

function otherEncoding({ params }: Sections): Change[] {
  const others = params.filter((param) => !param.startsWith('e='));
  return [['PASSWORD_IN_UTF16', { params: params.includes(UTF16) ? others : [...others, UTF16] }]];
}

const BLOCK_SIZES: Readonly<Record<string, string>> = { 'r=8': 'r=16', 'r=16': 'r=8' };

const otherBlockSize = ({ params }: Sections): Change[] =>
  params.flatMap((param): Change[] => {
    const other = BLOCK_SIZES[param];
    return other === undefined ? [] : [['SCRYPT_BLOCK_SIZE', { params: replaced(params, param, other) }]];
  });

/**
 * Returns at most two hashes with other digest functions, those whose output is as long as the hash first.
 * Others are tried only with `freeLength`.
 */
function otherDigests({ name, hash }: Sections, { digests = {}, freeLength }: CanonicalMistakes): Change[] {
  const { length } = Buffer.from(hash, 'base64');
  if (!(name in digests)) return [];
  const misfit = (other: string) => Number(digests[other] !== length);
  return Object.keys(digests)
    .filter((other) => other !== name && (freeLength || misfit(other) === 0))
    .sort((a, b) => misfit(a) - misfit(b))
    .slice(0, 2)
    .map((other) => ['WRONG_DIGEST', { name: other }]);
}

const otherIterations = ({ params }: Sections, defaults: readonly number[]): Change[] =>
  params
    .filter((param) => param.startsWith('i='))
    .flatMap((param) =>
      neighbours(Number(param.slice(2)), defaults).map(
        (other): Change => ['ITERATIONS_OF_A_VERSION', { params: replaced(params, param, `i=${other}`) }],
      ),
    );

/** Returns the nearest defaults below and above: an export may state another version's number. */
export function neighbours(number: number, ascending: readonly number[]): number[] {
  const below = ascending.filter((one) => one < number).slice(-1);
  return [...below, ...ascending.filter((one) => one > number).slice(0, 1)];
}
