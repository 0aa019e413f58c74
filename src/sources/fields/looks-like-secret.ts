import { isIP } from 'node:net';

/** Below this length nothing is a hash or a token. */
const MIN_LENGTH = 16;
/** A token within a text that has others around it, such as a note. */
const LONG_WORD = /[^\s,;"'`<>()]{16,}/g;
const HAS_SPACE = /[\s,;"'`<>()]/;

/** What says at its beginning that it is a hash, a key or a token. */
const MARKED = [
  /^[U!]?\$(?:[a-z0-9_.-]{1,32}[$,]).{8}/i,
  /^\{[a-z][a-z0-9_.-]{1,40}\}[!-~]{13,}$/i,
  /^(?:pbkdf2|argon2|bcrypt|scrypt|md5|sha\d{1,3}|hmac|ssha|crypt|django|phpass)[a-z0-9_:-]{0,40}\$.{8}/i,
  /^(?:scram-sha-\d{1,3}|md5)[$:][!-~]{16}/i,
  /^s2:[0-9a-z]{8,64}:[0-9a-f]{32}/i,
  /^eyJ[\w-]{6,}\.[\w-]{6,}/,
  /^otpauth:/i,
  /^-----BEGIN/,
  /^(?:gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|sk[-_]|rk_|whsec_|ya29\.|1\/\/0|AIza|SG\.|npm_|pypi-|dop_v1_|shpat_|hf_|AKIA|ASIA|EAAC)[\w.-]{12,}/,
];
/** A text that is all of this is a hash, whatever stands around it. */
const MARKED_TEXT = [/^-----BEGIN/, /^(?:bearer|basic|negotiate)\s+[\w.~+/=-]{16,}$/i, /^otpauth:/i];
/** A password before the host. */
const WITH_PASSWORD = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s:]*:[^/?#@\s]+@/i;
const ADDRESS_OR_PATH = /^(?:[a-z][a-z\d+.-]*:\/\/|data:|mailto:|tel:|urn:|www\.|[./~]+[^./~]|[A-Za-z]:\\)/i;

/** Digits of the digests in use, and of keys: 16 bytes and more. A salt may stand after or before a colon. */
const HEX = /^(?:\\x|0x)?(?:[0-9a-f]{2}){16,}(?::\S*)?$/i;
const HEX_AFTER_SALT = /^[!-9;-~]{1,64}:(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64,})$/i;
/** Digits alone are a number, but for the mark of bytes before them. */
const HEX_LETTER = /[a-fx]/i;
/** Of a wallet: 20 bytes that everybody may know. */
const WALLET = /^0x[0-9a-f]{40}$/i;
/** Base32, as apps for one-time codes take it: in one piece, or in groups of four. */
const BASE32 = /^(?=.*[2-7])[A-Z2-7]{16,}={0,6}$/;
const BASE32_WORD = /^[A-Z]{16,}$/;
const NO_VOWELS = /[B-DF-HJ-NP-TV-XZ]{5}/;
const BASE32_GROUPS = /^(?=.*[2-7])(?:[a-z2-7]{4}[ -]){3,}[a-z2-7]{4}$/i;
const BASE64_PADDED = /^[A-Za-z0-9+/_-]{18,}={1,2}$/;
const RANDOM = /^[\w+/~.-]{20,}$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const CUID = /^c[a-z0-9]{24}$/;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** Ids of systems that put a word before them: `user_2NNEqL2nrIRdJ194ndJqAHwEfxC`. */
const MARKED_ID =
  /^(?:usr|user|org|cus|acct|team|tenant|group|price|prod|sub|in|pm|member|contact|role|conn)_[A-Za-z0-9]{8,40}$/;

/**
 * Does the text look like a hash, a token, a key, the secret of one-time codes, or an IP address? UUIDs, ULIDs, numbers, addresses of
 * pages, paths and what people write do not.
 * @param isId the name says that it is an id, which may be as random as a token: then only what is marked as a secret counts
 */
export function looksLikeSecret(text: string, isId = false): boolean {
  if (text.length < MIN_LENGTH) return isAddress(text);
  if (HAS_SPACE.test(text)) return isSecretText(text);
  return isSecretWord(text, isId);
}

function isSecretText(text: string): boolean {
  if (MARKED_TEXT.some((expression) => expression.test(text)) || BASE32_GROUPS.test(text)) return true;
  for (const [word] of text.matchAll(LONG_WORD)) if (isSecretWord(word, false)) return true;
  return false;
}

function isSecretWord(text: string, isId: boolean): boolean {
  if (MARKED.some((expression) => expression.test(text)) || WITH_PASSWORD.test(text)) return true;
  if (isId) return false;
  // Base64 may begin as a path does.
  if (BASE64_PADDED.test(text)) return true;
  if (ADDRESS_OR_PATH.test(text)) return false;
  return isDigest(text) || isBase32(text) || isRandom(text) || isAddress(text);
}

/** The shortest is `::1`, the longest an IPv6 address that has an IPv4 address in it. */
const isAddress = (text: string) =>
  text.length >= 3 && text.length <= 45 && (text.includes('.') || text.includes(':')) && isIP(text) !== 0;

const isDigest = (text: string) =>
  (HEX.test(text) && !WALLET.test(text) && HEX_LETTER.test(text)) || HEX_AFTER_SALT.test(text);

const isBase32 = (text: string) =>
  (BASE32.test(text) && !IBAN.test(text)) ||
  (text.length % 8 === 0 && BASE32_WORD.test(text) && NO_VOWELS.test(text));

/** Of random letters and digits, more than half follow one of another kind; of names and words far fewer. */
const MIN_CHANGES = 0.34;
/** Without capitals (or small letters) fewer do, so that the text must be longer. */
const MIN_CHANGES_OF_TWO = 0.25;
const MIN_LENGTH_OF_TWO = 28;

function isRandom(text: string): boolean {
  if (!RANDOM.test(text) || ULID.test(text) || CUID.test(text) || IBAN.test(text) || MARKED_ID.test(text))
    return false;
  let changes = 0;
  let count = 0;
  let before = 0;
  let kinds = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === 0) continue;
    kinds |= kind;
    count += 1;
    if (before !== 0 && kind !== before) changes += 1;
    before = kind;
  }
  if (kinds === ALL_KINDS) return changes / count >= MIN_CHANGES;
  return (
    kinds > DIGIT &&
    count === text.length &&
    count >= MIN_LENGTH_OF_TWO &&
    changes / count >= MIN_CHANGES_OF_TWO
  );
}

const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 4;
const ALL_KINDS = DIGIT | SMALL | CAPITAL;

/** 0: neither a letter nor a digit. */
function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code >= 0x61 && code <= 0x7a) return SMALL;
  return code >= 0x41 && code <= 0x5a ? CAPITAL : 0;
}
