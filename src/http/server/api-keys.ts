import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ApiKey } from '../../config/api-keys.ts';
import { AppError } from '../../lib/errors.ts';

/** The API keys as digests, which have the same length, so comparing takes the same time for any key. */
export class ApiKeys {
  #keys: readonly ApiKey[];

  constructor(keys: readonly ApiKey[]) {
    this.#keys = keys;
  }

  /** Requests whose key was already checked continue. */
  replace(keys: readonly ApiKey[]): void {
    this.#keys = keys;
  }

  /** @throws {AppError} API_KEY_INVALID if the request carries no configured key */
  check(request: FastifyRequest): ApiKey {
    const key = presentedKey(request);
    const given = hash('sha256', key ?? '', 'buffer');
    let found: ApiKey | undefined;
    // Every configured key is compared, so that the time does not reveal which one matched.
    for (const known of this.#keys) if (timingSafeEqual(given, known.digest)) found ??= known;
    // A key without rights is retired: callers cannot use it, but it still decrypts what it encrypted.
    const isUsable = key !== undefined && found !== undefined && found.allow.length > 0;
    if (found === undefined || !isUsable) throw new AppError('API_KEY_INVALID', 'Invalid API key');
    return found;
  }
}

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['api-key'];
  if (typeof key === 'string') return key.trim();
  return headers.authorization?.trim().replace(/^bearer\s+/i, '');
}
