import { BASE64, type Encoding, HEX } from './encodings.ts';
import type { Family, Form } from './family.ts';
import { DIGEST_BYTES, PLAIN_DIGESTS } from './kdf/digests.ts';
import type { MistakeCode, PossibleRepair } from './mistakes.ts';
import type { LooseHole } from './template.ts';

/** Replacement of the text of one hole. */
interface Change {
  at: LooseHole;
  text: string;
}

type Proposal = [mistake: MistakeCode, ...changes: Change[]];

/** Hexadecimal digits of at least four bytes. Fewer digits may be base64 by chance. */
const HEX_DIGITS = /^(?:[0-9a-f]{2}){4,}$/i;
const ANY_HEX_DIGITS = /^(?:[0-9a-f]{2})+$/i;
const ANY_BASE64 = /^[A-Za-z0-9+/._-]+={0,2}$/;
const BASE64_TEXT = /^[A-Za-z0-9+/_-]{8,}={0,2}$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
/** Number of printable bytes from which a salt counts as text. Fewer bytes are often printable by chance. */
const SURELY_TEXT = 8;

/**
 * Default numbers of PBKDF2 iterations, past and present, of systems whose hashes do not contain the number:
 * Symfony (1000), Grafana (10,000), Keycloak (20,000, 27,500, 30,000, 210,000, 600,000, 1,300,000),
 * FusionAuth (24,000), passport-local-mongoose (25,000), Discourse (64,000, 600,000).
 */
const USUAL_ITERATIONS = [
  1000, 10_000, 20_000, 24_000, 25_000, 27_500, 30_000, 64_000, 210_000, 600_000, 1_300_000,
];
const ITERATIONS_OF_SYSTEMS: Readonly<Record<string, readonly number[]>> = {
  /** Django 1.4 to 6.0 (`PBKDF2PasswordHasher.iterations`). */
  'django-pbkdf2': [
    10_000, 12_000, 15_000, 20_000, 24_000, 30_000, 36_000, 100_000, 120_000, 150_000, 180_000, 216_000,
    260_000, 320_000, 390_000, 600_000, 720_000, 870_000, 1_000_000, 1_200_000,
  ],
  /** Werkzeug before 0.15, and from 0.15, 2.0, 2.3 and 3.1 on (CHANGES.rst). */
  werkzeug: [50_000, 150_000, 260_000, 600_000, 1_000_000],
};

/**
 * Returns possible originals of a hash in which one mistake was made, the most likely first. The same few mistakes are
 * tried in every family: in the encoding of the parts, in their order, in words and in numbers.
 */
export function repairsOf(family: Family, encoded: string, secret: Uint8Array | undefined): PossibleRepair[] {
  const own = family.repairs?.(encoded, secret) ?? [];
  const mechanical = family.forms.flatMap((form) => ofForm(family, form, encoded));
  const ofFamily = [...own, ...mechanical.filter((repair) => family.resembles(repair.encoded))];
  return [...ofFamily, ...otherNames(encoded)].filter(
    (repair) => repair.secret !== undefined || repair.encoded !== encoded,
  );
}

function ofForm(family: Family, form: Form, encoded: string): PossibleRepair[] {
  const all = form.holesOf(encoded);
  if (all.length === 0) return [];
  const named = (name: string) => all.find(({ hole }) => hole.name === name);
  const salt = named('salt');
  const digest = named(form.formula.digestPart ?? 'hash');
  const proposals: Proposal[] = [
    ...swapped('SALT_AND_SEPARATOR_SWAPPED', salt, named('separator')),
    ...hexadecimal(all, salt, digest),
    ...otherBase64(all),
    ...(digest ? otherDigits(digest) : []),
    ...(salt?.text === '' ? [] : swapped('HASH_AND_SALT_SWAPPED', salt, digest)),
    ...all.flatMap((hole) => otherWords(hole)),
    ...(salt ? otherSalts(salt) : []),
    ...otherNumbers(family, all),
  ];
  const changed = proposals.map(([mistake, ...changes]) => ({
    mistake,
    encoded: replaceIn(encoded, changes),
    ...changeOf(changes),
  }));
  return [...changed, ...moreFields(encoded)];
}

/**
 * Returns the changes as text, such as `o=ps`, if they are only of words and numbers. Other changes would show salt or
 * digest.
 */
function changeOf(changes: readonly Change[]): { change?: string } {
  if (changes.some(({ at: { hole } }) => hole.words === undefined && hole.radix === undefined)) return {};
  return { change: changes.map(({ at: { hole, key }, text }) => `${key ?? hole.name}=${text}`).join(',') };
}

function replaceIn(encoded: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((a, b) => b.at.start - a.at.start)
    .reduce((text, { at, text: other }) => text.slice(0, at.start) + other + text.slice(at.end), encoded);
}

const isBase64 = ({ hole: { encoding } }: LooseHole) => encoding?.isBase64 === true;
const fromHex = (hole: LooseHole): Change => ({
  at: hole,
  text: encodingOf(hole).encode(Buffer.from(hole.text, 'hex')),
});
const encodingOf = ({ hole: { encoding } }: LooseHole): Encoding => encoding ?? BASE64;

/** Proposes to convert parts from hexadecimal digits to base64. The digits of a salt may also be the salt itself. */
function hexadecimal(
  all: readonly LooseHole[],
  salt: LooseHole | undefined,
  digest: LooseHole | undefined,
): Proposal[] {
  const written = all.filter((hole) => isBase64(hole) && ANY_HEX_DIGITS.test(hole.text));
  if (!written.some(({ text }) => HEX_DIGITS.test(text))) return [];
  const code = 'HEX_INSTEAD_OF_BASE64';
  const others = written.filter((hole) => hole !== salt);
  const isSaltWritten = salt !== undefined && written.includes(salt);
  const asText = isSaltWritten ? [{ at: salt, text: encodingOf(salt).encode(Buffer.from(salt.text)) }] : [];
  return [
    [code, ...written.map(fromHex)],
    ...(isSaltWritten ? [[code, ...asText, ...others.map(fromHex)] satisfies Proposal] : []),
    ...(digest && isSaltWritten && written.includes(digest)
      ? [[code, fromHex(digest)] satisfies Proposal]
      : []),
  ];
}

/**
 * Proposes to convert parts that are in another base64 than that of the format: the alphabet or the padding differs.
 */
function otherBase64(all: readonly LooseHole[]): Proposal[] {
  const written = all.filter(
    (hole) =>
      isBase64(hole) && typeof encodingOf(hole).check(hole.text) !== 'number' && ANY_BASE64.test(hole.text),
  );
  if (written.length === 0) return [];
  const rewritten = written.map((hole): Change => {
    const bytes = Buffer.from(hole.text.replaceAll('.', '+'), 'base64');
    return { at: hole, text: encodingOf(hole).encode(bytes) };
  });
  return [['URL_SAFE_OR_UNPADDED_BASE64', ...rewritten]];
}

/**
 * Proposes to rewrite a digest that is in base64 or upper-case digits where lower-case digits are expected, or in the
 * base64 of digits.
 */
function otherDigits(digest: LooseHole): Proposal[] {
  const { text } = digest;
  if (encodingOf(digest) === HEX) {
    if (typeof HEX.check(text) === 'number' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return [];
    const digits = /^(?:[0-9A-F]{2})+$/.test(text)
      ? text.toLowerCase()
      : Buffer.from(text, 'base64').toString('hex');
    return [['BASE64_INSTEAD_OF_HEX', { at: digest, text: digits }]];
  }
  if (!isBase64(digest)) return [];
  const decoded = Buffer.from(text, 'base64').toString('latin1');
  return HEX_DIGITS.test(decoded)
    ? [['HEX_IN_BASE64', { at: digest, text: encodingOf(digest).encode(Buffer.from(decoded, 'hex')) }]]
    : [];
}

function swapped(mistake: MistakeCode, one: LooseHole | undefined, other: LooseHole | undefined): Proposal[] {
  if (one === undefined || other === undefined || one.text === other.text) return [];
  return [[mistake, { at: one, text: other.text }, { at: other, text: one.text }]];
}

/** Words whose other values are likely mistakes. */
const WORDS: Readonly<Record<string, MistakeCode>> = {
  order: 'SALT_ORDER',
  key: 'SALT_ORDER',
  encoding: 'PASSWORD_IN_UTF16',
  digest: 'WRONG_DIGEST',
  between: 'ROUNDS_OF_TEXT',
};
const MAX_OTHER_WORDS = 2;

function otherWords(hole: LooseHole): Proposal[] {
  const mistake = WORDS[hole.hole.name];
  if (mistake === undefined || hole.hole.words === undefined) return [];
  return [...hole.hole.words.keys()]
    .filter((word) => word !== hole.text)
    .sort((a, b) => preference(a) - preference(b))
    .slice(0, MAX_OTHER_WORDS)
    .map((word) => [mistake, { at: hole, text: word }]);
}

/** Returns the rank of a digest. Digests that systems use most come first. */
const preference = (word: string) => {
  const index = ['sha256', 'sha512', 'sha1'].indexOf(word.toLowerCase());
  return index === -1 ? 9 : index;
};

/** Proposes other salts, in case the salt was decoded too often or not often enough. */
function otherSalts(salt: LooseHole): Proposal[] {
  if (!isBase64(salt)) return [];
  const bytes = Buffer.from(salt.text, 'base64');
  const text = bytes.toString('latin1');
  const write = (mistake: MistakeCode, other: string | Buffer): Proposal => [
    mistake,
    { at: salt, text: encodingOf(salt).encode(Buffer.from(other)) },
  ];
  const isText = PRINTABLE.test(text);
  const written =
    isText && bytes.length >= SURELY_TEXT
      ? []
      : [write('SALT_DECODED', bytes.toString('hex')), write('SALT_DECODED', bytes.toString('base64'))];
  if (bytes.length === 0) return [];
  if (!isText) return written;
  if (HEX_DIGITS.test(text)) return [write('SALT_AS_TEXT', Buffer.from(text, 'hex')), ...written];
  if (BASE64_TEXT.test(text)) return [write('SALT_AS_TEXT', Buffer.from(text, 'base64')), ...written];
  return written;
}

const OTHER_BLOCK_SIZES = new Map([
  ['8', '16'],
  ['16', '8'],
]);

function otherNumbers(family: Family, all: readonly LooseHole[]): Proposal[] {
  const named = (...names: string[]) => all.find(({ hole }) => names.includes(hole.name));
  const proposals: Proposal[] = [];
  const blockSize = named('r');
  const other = OTHER_BLOCK_SIZES.get(blockSize?.text ?? '');
  if (blockSize !== undefined && other !== undefined)
    proposals.push(['SCRYPT_BLOCK_SIZE', { at: blockSize, text: other }]);
  const iterations = named('iterations');
  const memory = named('memoryKb', 'memCost');
  const passes = memory && named('iterations', 'rounds');
  if (passes !== undefined) {
    proposals.push(...swapped('MEM_COST_AND_ROUNDS_SWAPPED', memory, passes));
  } else if (iterations !== undefined) {
    for (const count of neighbours(Number(iterations.text), iterationsOf(family)))
      proposals.push(['ITERATIONS_OF_A_VERSION', { at: iterations, text: String(count) }]);
  }
  return proposals;
}

const iterationsOf = ({ name }: Family) => ITERATIONS_OF_SYSTEMS[name] ?? USUAL_ITERATIONS;

/** Returns the nearest defaults below and above, because an export may state the number of another version. */
function neighbours(count: number, ascending: readonly number[]): number[] {
  const below = ascending.filter((one) => one < count).slice(-1);
  return [...below, ...ascending.filter((one) => one > count).slice(0, 1)];
}

/**
 * Proposes fields that may be missing in digests of the canonical form: the password in UTF-16, and text between
 * rounds.
 */
function moreFields(encoded: string): PossibleRepair[] {
  const [, start, fields, end] = /^(\$(?:salted|hmac)-[a-z0-9]+\$)([^$]*)(\$.*)$/s.exec(encoded) ?? [];
  if (start === undefined || fields === undefined || end === undefined) return [];
  const added: [MistakeCode, string][] = [];
  if (!fields.includes('e=')) added.push(['PASSWORD_IN_UTF16', 'e=utf16le']);
  if (/(?:^|,)i=(?!1(?:,|$))/.test(fields) && !fields.includes('x='))
    added.push(['ROUNDS_OF_TEXT', 'x=hex'], ['ROUNDS_OF_TEXT', 'x=base64']);
  return added.map(([mistake, change]) => ({
    mistake,
    encoded: `${start}${fields},${change}${end}`,
    change,
  }));
}

/** Proposes another digest in the name of a canonical family, if the hash has the length of that digest. */
function otherNames(encoded: string): PossibleRepair[] {
  const [, before, name, rest, digest = ''] = CANONICAL_DIGEST.exec(encoded) ?? [];
  if (before === undefined) return [];
  const { length } = Buffer.from(digest, 'base64');
  return PLAIN_DIGESTS.filter((other) => DIGEST_BYTES[other] === length && other !== name).map((other) => ({
    mistake: 'WRONG_DIGEST',
    encoded: `${before}${other}${rest}${digest}`,
    change: `${before.slice(1)}${other}`,
  }));
}

const CANONICAL_DIGEST = /^(\$[a-z0-9-]*-)(md5|sha1|sha224|sha256|sha384|sha512)(\$.*\$)([^$]+)$/s;
