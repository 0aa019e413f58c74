import { isJsonObject } from '../../lib/json/json-object.ts';

const DOTS = '••';
/** Members of an import line that hold no personal data. */
const PLAIN = new Set([
  'recipeId',
  'thirdPartyId',
  'hashingAlgorithm',
  'hashingSecretId',
  'isVerified',
  'isPrimary',
]);
const FIRST_LETTERS = 4;

/** Masks an e-mail address: `a••@e••.org`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const dot = email.lastIndexOf('.');
  if (at < 1) return DOTS;
  const top = dot > at + 1 ? email.slice(dot) : '';
  return `${firstOf(email)}${DOTS}@${firstOf(email.slice(at + 1))}${DOTS}${top}`;
}

const firstOf = (text: string) => [...text][0] ?? '';

export function maskLine(line: string): unknown {
  return maskValue(JSON.parse(line), '');
}

function maskValue(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskValue(one, name));
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        name === 'userMetadata' ? DOTS : maskValue(member, key),
      ]),
    );
  }
  if (typeof value !== 'string' || PLAIN.has(name)) return value;
  if (name === 'email') return maskEmail(value);
  if (name === 'passwordHash') return maskHash(value);
  if (name === 'externalUserId')
    return `${value.slice(0, Math.min(FIRST_LETTERS, value.length >> 1))}${DOTS}`;
  return DOTS;
}

/** Keeps the algorithm and the parameters before the salt. */
function maskHash(hash: string): string {
  const head =
    /^(?:\$[a-z0-9_-]{1,24}\$(?:(?:[a-z]{1,4}=\w{1,10},?)+\$|\d\d\$)?|\{[A-Za-z0-9-]{1,24}\})/i.exec(hash);
  return `${head?.[0] ?? ''}${DOTS}`;
}
