import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { AppError } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json/json-object.ts';
import { FACTOR_KINDS, type UserFactors } from './user.ts';

/*
 * Stored form of a user's factors: version (1 byte), kinds (1 byte, FACTOR_KINDS), id of the key (8), nonce (12),
 * ciphertext, tag (16). The header and the user's id are authenticated, so that a row copied to another user cannot be
 * decrypted. The nonce is an HMAC of all that is encrypted and authenticated. The same factors of the same user
 * therefore have the same stored form, which shows an import that nothing has changed. Other factors and other users
 * never share a nonce.
 */

const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 2 + KEY_ID_BYTES;

interface Key {
  id: Buffer;
  key: Buffer;
  nonceKey: Buffer;
}

/** Encrypts the factors of users: TOTP devices, roles and phone numbers. */
export class FactorVault {
  readonly #current: Key | undefined;
  readonly #keys: ReadonlyMap<string, Key>;

  /** @param secrets the setting `factors_secret`, separated by commas: the first encrypts, all decrypt */
  constructor(secrets: string | undefined) {
    const keys = secretsOf(secrets).map(deriveKey);
    this.#current = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id.toString('hex'), key]));
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  hasKey(id: Buffer): boolean {
    return this.#keys.has(id.toString('hex'));
  }

  /**
   * Encrypts factors. Returns the same bytes for the same factors of the same user, unless they were sealed by an
   * earlier version.
   * @throws {AppError} FACTORS_SECRET_MISSING
   */
  seal(userId: string, factors: UserFactors): Buffer {
    if (this.#current === undefined) throw factorsSecretMissing();
    const { id, key, nonceKey } = this.#current;
    const header = Buffer.concat([Buffer.from([VERSION, kindsOf(factors)]), id]);
    const { totpDevices, userRoles, phoneNumbers } = factors;
    const text = JSON.stringify({ totpDevices, userRoles, phoneNumbers });
    const bound = boundTo(header, userId);
    const digest = createHmac('sha256', nonceKey).update(bound).update('\0').update(text).digest();
    const nonce = digest.subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bound);
    return Buffer.concat([header, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * Decrypts factors.
   * @throws {AppError} FACTORS_SECRET_MISSING, INTERNAL if the stored form was changed
   */
  open(userId: string, sealed: Buffer): UserFactors {
    const header = sealed.subarray(0, HEADER_BYTES);
    const key = this.#keys.get(header.subarray(2).toString('hex'));
    if (key === undefined) throw factorsSecretMissing();
    const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
    const end = sealed.length - TAG_BYTES;
    try {
      const decipher = createDecipheriv(CIPHER, key.key, nonce)
        .setAAD(boundTo(header, userId))
        .setAuthTag(sealed.subarray(end));
      const text = Buffer.concat([
        decipher.update(sealed.subarray(HEADER_BYTES + NONCE_BYTES, end)),
        decipher.final(),
      ]);
      const factors: unknown = JSON.parse(text.toString('utf8'));
      if (isJsonObject(factors)) return factors as unknown as UserFactors;
    } catch (cause) {
      throw new AppError('INTERNAL', 'The stored factors of a user cannot be decrypted', { cause });
    }
    throw new AppError('INTERNAL', 'The stored factors of a user are not valid');
  }
}

const factorsSecretMissing = (): AppError => new AppError('FACTORS_SECRET_MISSING', FACTORS_SECRET_MISSING);

export const FACTORS_SECRET_MISSING =
  "'factors_secret' is not configured, or not the one that was used before: TOTP devices, roles and phone numbers are kept encrypted with it";

const secretsOf = (secrets: string | undefined): string[] =>
  secrets === undefined ? [] : secrets.split(',').map((secret) => secret.trim());

/** Derives the keys of a secret. The id of the key is stored in the clear. */
function deriveKey(secret: string): Key {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `user-import factors: ${purpose}`, bytes));
  return { key: derive('key', 32), nonceKey: derive('nonce', 32), id: derive('key id', KEY_ID_BYTES) };
}

const boundTo = (header: Buffer, userId: string): Buffer =>
  Buffer.concat([header, Buffer.from(userId, 'utf8')]);

function kindsOf(factors: UserFactors): number {
  const names = Object.keys(FACTOR_KINDS) as (keyof typeof FACTOR_KINDS)[];
  return names.reduce((bits, name) => (factors[name].length > 0 ? bits | FACTOR_KINDS[name] : bits), 0);
}
