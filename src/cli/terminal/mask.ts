import { isJsonObject } from '../../lib/json/json-object.ts';

const DOTS = '••';
/** Members of an import line whose texts are no personal data. */
const PLAIN = new Set(['recipeId', 'thirdPartyId', 'hashingAlgorithm', 'hashingSecretId']);
const FIRST_LETTERS = 4;
/** Beginning of a hash that is shown: algorithm and parameters, without the salt. */
const HEAD_OF_HASH =
  /^(?:\$[a-z0-9_-]{1,24}\$(?:(?:[a-z]{1,4}=\w{1,10},?)+\$|\d\d\$)?|\{[A-Za-z0-9-]{1,24}\})/i;

/** Masks an e-mail address: `a••@e••.org`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const dot = email.lastIndexOf('.');
  const [[first = ''], [second = '']] = [[...email], [...email.slice(at + 1)]];
  return at < 1 ? DOTS : `${first}${DOTS}@${second}${DOTS}${dot > at + 1 ? email.slice(dot) : ''}`;
}

/** Masks the texts of an import line that identify a user. */
export const maskLine = (line: string): unknown => maskValue(JSON.parse(line), '');

function maskValue(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => maskValue(one, name));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        name === 'userMetadata' ? DOTS : maskValue(member, key),
      ]),
    );
  if (typeof value !== 'string' || PLAIN.has(name)) return value;
  if (name === 'email') return maskEmail(value);
  if (name === 'passwordHash') return `${HEAD_OF_HASH.exec(value)?.[0] ?? ''}${DOTS}`;
  const shown = name === 'externalUserId' ? Math.min(FIRST_LETTERS, value.length >> 1) : 0;
  return `${value.slice(0, shown)}${DOTS}`;
}
