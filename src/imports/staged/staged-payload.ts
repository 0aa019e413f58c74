import { isJsonObject, type JsonObject, pickMembers } from '../../lib/json/json-object.ts';
import { normalizeEmail } from '../../users/email.ts';
import { STAGED_USER_FIELDS, stagedMethodFields } from '../input/field-reader.ts';
import type { ParsedUser } from '../input/parsed-user.ts';
import { parseUserPayloads } from '../input/read-line.ts';

export interface StagedPayload extends JsonObject {
  readonly loginMethods: readonly JsonObject[];
}

/** Staged user as stored. `hashes` has one entry for each login method: null if the method has no hash. */
export interface StagedEntry {
  /** Id of the row, which becomes the id of the imported user. */
  id: string;
  /** JSON of the user (`StagedPayload`) as text, written by `toJson`. */
  payload: string;
  hashes: readonly (StagedHash | null)[];
  /** Encrypted factors. Decrypting them requires the `id` of this row. */
  factors?: Buffer | undefined;
}

export interface StagedHash {
  algorithm: string;
  encoded: string;
  secretId?: string | undefined;
}

/**
 * Keeps the members that `readUserPayload` has validated. Others may be text that cannot be stored, or a
 * password under a wrong name.
 */
export function stagedPayload(sent: unknown): StagedPayload {
  const user = isJsonObject(sent) ? sent : {};
  const methods: unknown[] = Array.isArray(user.loginMethods) ? user.loginMethods : [];
  return {
    ...pickMembers(user, STAGED_USER_FIELDS),
    loginMethods: methods.filter(isJsonObject).map(stagedMethod),
  };
}

function stagedMethod(sent: JsonObject): JsonObject {
  const email = typeof sent.email === 'string' ? normalizeEmail(sent.email) : undefined;
  return { ...pickMembers(sent, stagedMethodFields(sent.recipeId)), email };
}

/** Returns one entry for each login method. Plain-text passwords must already be hashed. */
export function hashesOf({ loginMethods }: StagedPayload, { methods }: ParsedUser): (StagedHash | null)[] {
  const hashes = new Map<unknown, StagedHash>();
  for (const method of methods) {
    if (method.recipeId !== 'emailpassword') continue;
    const { credential } = method;
    if ('plainText' in credential) throw new Error('a password is not hashed yet');
    if ('hash' in credential) hashes.set(method.email, credential.hash);
  }
  return loginMethods.map(({ recipeId, email }) =>
    recipeId === 'emailpassword' ? (hashes.get(email) ?? null) : null,
  );
}

export function fullPayload({ payload, hashes }: Pick<StagedEntry, 'payload' | 'hashes'>): JsonObject {
  const { loginMethods, ...user } = parseUserPayloads(payload) as StagedPayload;
  const whole = loginMethods.map((method, index) => {
    const hash = hashes[index];
    if (!hash) return method;
    const { encoded: passwordHash, algorithm: hashingAlgorithm, secretId: hashingSecretId } = hash;
    return { ...method, passwordHash, hashingAlgorithm, hashingSecretId };
  });
  return { ...user, loginMethods: whole };
}
