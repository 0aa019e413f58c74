import { isIP } from 'node:net';
import { tellsSecret } from './told-secret.ts';

/** Minimum length of a text that may be a hash or token. Shorter ones may still be an IP address. */
const MIN_LENGTH = 16;

const MARKED = new RegExp(
  [
    /[U!]?\$(?:[a-z0-9_.-]{1,32}[$,]).{8}/,
    /\{[a-z][a-z0-9_.-]{1,40}\}[!-~]{13,}$/,
    /(?:pbkdf2|argon2|bcrypt|scrypt|md5|sha\d{1,3}|hmac|ssha|crypt|django|phpass)[a-z0-9_:-]{0,40}\$.{8}/,
    /(?:scram-sha-\d{1,3}|md5)[$:][!-~]{16}/,
    /s2:[0-9a-z]{8,64}:[0-9a-f]{32}/,
    /otpauth:/,
    /-----BEGIN/,
  ]
    .map(({ source }) => `^${source}`)
    .join('|'),
  'i',
);
const MARKED_IN_CASE =
  /^(?:eyJ[\w-]{6,}\.[\w-]{6,}|(?:gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|sk[-_]|rk_|whsec_|ya29\.|1\/\/0|AIza|SG\.|npm_|pypi-|dop_v1_|shpat_|hf_|AKIA|ASIA|EAAC)[\w.-]{12,})/;
/** Texts with spaces that contain a secret, such as HTTP headers and PEM keys. */
const MARKED_TEXT = /^(?:-----BEGIN|(?:bearer|basic|negotiate)\s|otpauth:)/i;
/** A URI with a password before its host. */
const WITH_PASSWORD = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s:]*:[^/?#@\s]+@/i;
const ADDRESS_OR_PATH = /^(?:[a-z][a-z\d+.-]*:\/\/|data:|mailto:|tel:|urn:|www\.|[./~]+[^./~]|[A-Za-z]:\\)/i;

/** A digest or key of 16 bytes or more. A salt may follow after a colon. */
const HEX = /^(?:\\x|0x)?(?:[0-9a-f]{2}){16,}(?::\S*)?$/i;
const HEX_AFTER_SALT = /^[!-9;-~]{1,64}:(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64,})$/i;
/** A character that only hexadecimal digits have. Decimal digits alone are a number and no secret. */
const HEX_LETTER = /[a-fx]/i;
/** Address of a cryptocurrency wallet, which has 20 bytes and is public. */
const WALLET = /^0x[0-9a-f]{40}$/i;
/** Secret of one-time codes: base32 as authenticator apps accept it, in one piece or in groups of four. */
const BASE32 = /^(?=.*[2-7])[A-Z2-7]{16,}={0,6}$/;
const BASE32_WORD = /^[A-Z]{16,}$/;
const NO_VOWELS = /[B-DF-HJ-NP-TV-XZ]{5}/;
const BASE32_GROUPS = /^(?=.*[2-7])(?:[a-z2-7]{4}[ -]){3,}[a-z2-7]{4}$/i;
const BASE64_PADDED = /^[A-Za-z0-9+/_-]{18,}={1,2}$/;
const RANDOM = /^[\w+/~.-]{20,}$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const CUID = /^c[a-z0-9]{24}$/;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** Ids with a word as prefix, which are no secrets: `user_2NNEqL2nrIRdJ194ndJqAHwEfxC`. */
const MARKED_ID =
  /^(?:usr|user|org|cus|acct|team|tenant|group|price|prod|sub|in|pm|member|contact|role|conn)_[A-Za-z0-9]{8,40}$/;

/** Maximum length of an id. Firebase's (28) and KSUIDs (27) are shorter than tokens of 32 bytes (43). */
const MAX_ID = 40;
/** A UUID without dashes, or in base64, which may be an id. */
const UUID_BYTES = /^(?:[0-9a-f]{32}|[A-Za-z0-9+/_-]{22}==)$/i;

const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 4;

/**
 * Whether a text must not become metadata, because it looks like a hash, token, key, secret of one-time
 * codes, or IP address. UUIDs, ULIDs, numbers, URLs, paths and prose do not, unless the text names a secret
 * before its value (told-secret.ts).
 * @param isId the column holds ids, which may be as random as tokens: accepts short random text and UUIDs
 */
export function looksLikeSecret(text: string, isId = false): boolean {
  if (tellsSecret(text)) return true;
  if (text.length < MIN_LENGTH) return isAddress(text);
  const longest = longestWord(text);
  if (longest === text.length) return isSecretWord(text, isId);
  // A secret in groups of four and the beginning of a PEM key have no long word.
  const fifth = text.charCodeAt(4);
  if (fifth === SPACE && BASE32_GROUPS.test(text)) return true;
  return (longest >= MIN_LENGTH || fifth === MINUS) && isSecretText(text);
}

const SPACE = 0x20;
const MINUS = 0x2d;
const SLASH = 0x2f;
/** Characters between the words of a text that people wrote. */
const SEPARATORS = ' \t\n\r,;"\'`<>()';
const LONG_WORD = /[^\s,;"'`<>()]{16,}/g;

const SEPARATOR = 8;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  if (/\d/.test(sign)) return DIGIT;
  if (/[a-z]/.test(sign)) return SMALL;
  if (/[A-Z]/.test(sign)) return CAPITAL;
  return SEPARATORS.includes(sign) ? SEPARATOR : 0;
});

function longestWord(text: string): number {
  let longest = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (KINDS[text.charCodeAt(at)] !== SEPARATOR) continue;
    if (at - start > longest) longest = at - start;
    start = at + 1;
  }
  return Math.max(longest, text.length - start);
}

function isSecretText(text: string): boolean {
  if (MARKED_TEXT.test(text)) return true;
  for (const [word] of text.matchAll(LONG_WORD)) if (isSecretWord(word, false)) return true;
  return false;
}

function isSecretWord(text: string, isId: boolean): boolean {
  if (mayBeMarked(text) && (MARKED.test(text) || MARKED_IN_CASE.test(text))) return true;
  if (text.includes('@') && WITH_PASSWORD.test(text)) return true;
  if (isId && isShapedAsId(text)) return false;
  // A secret in base64 may begin with a slash, as a path does, so base64 is recognised first.
  if (text.endsWith('=') && BASE64_PADDED.test(text)) return true;
  if (ADDRESS_OR_PATH.test(text)) return false;
  const signs = countSigns(text);
  // Texts without digits and capitals, such as names in lower case, are no secrets.
  if (signs.kinds <= SMALL && signs.kinds !== DIGIT) return false;
  return isDigest(text) || isBase32(text, signs) || isRandom(text, signs) || isAddress(text);
}

/** Digests (except of 16 bytes), secrets of one-time codes and tokens do not have the shape of an id. */
const isShapedAsId = (text: string) =>
  text.length <= MAX_ID &&
  (UUID_BYTES.test(text) || !(text.endsWith('=') || isDigest(text) || BASE32.test(text) || isAddress(text)));

/** Quick check that excludes dates, numbers and paths. Only Google's tokens (`1//0`) begin with a digit. */
const mayBeMarked = (text: string) =>
  (KINDS[text.charCodeAt(0)] !== DIGIT && text.charCodeAt(0) !== SLASH) || text.startsWith('1//0');

/** Characters of an IP address, from `::1` to an IPv6 address that embeds an IPv4 address. */
const ADDRESS_SIGNS = /^[\da-f]*[.:][\da-f.:]*(?:%\w+)?$/i;
const isAddress = (text: string) =>
  text.length >= 3 && text.length <= 45 && ADDRESS_SIGNS.test(text) && isIP(text) !== 0;

const isDigest = (text: string) =>
  text.length >= 32 &&
  ((HEX.test(text) && !WALLET.test(text) && HEX_LETTER.test(text)) || HEX_AFTER_SALT.test(text));

const isBase32 = (text: string, { kinds }: Signs) =>
  (kinds & SMALL) === 0 &&
  ((BASE32.test(text) && !IBAN.test(text)) ||
    (text.length % 8 === 0 && BASE32_WORD.test(text) && NO_VOWELS.test(text)));

/** Minimum share of characters that follow another kind. Random text has over half, names much less. */
const MIN_CHANGES = 0.34;
/** As MIN_CHANGES, for texts with only two kinds of characters, which must be longer to count as random. */
const MIN_CHANGES_OF_TWO = 0.25;
const MIN_LENGTH_OF_TWO = 28;

function isRandom(text: string, { kinds, count, changes }: Signs): boolean {
  const share = changes / count;
  const looksRandom =
    kinds === ALL_KINDS
      ? share >= MIN_CHANGES
      : kinds > DIGIT && count === text.length && count >= MIN_LENGTH_OF_TWO && share >= MIN_CHANGES_OF_TWO;
  if (!looksRandom || !RANDOM.test(text)) return false;
  return !(ULID.test(text) || CUID.test(text) || IBAN.test(text) || MARKED_ID.test(text));
}

interface Signs {
  /** Bit set of the kinds of letters and digits that occur. */
  kinds: number;
  /** Number of letters and digits. */
  count: number;
  /** Number of letters and digits that follow one of another kind (upper case, lower case, digit). */
  changes: number;
}

const ALL_KINDS = DIGIT | SMALL | CAPITAL;

function countSigns(text: string): Signs {
  let [kinds, count, changes, before] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const kind = KINDS[text.charCodeAt(at)] ?? 0;
    if (kind === 0 || kind === SEPARATOR) continue;
    kinds |= kind;
    count += 1;
    if (before !== 0 && kind !== before) changes += 1;
    before = kind;
  }
  return { kinds, count, changes };
}
