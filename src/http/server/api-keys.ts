import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { namedKeys } from '../../config/named-keys.ts';
import { AppError } from '../../lib/errors.ts';

/** The configured keys, kept as digests: equal in length, so that comparing them takes the same time for any key. */
export class ApiKeys {
  readonly #keys: { name: string; digest: Buffer }[];

  /** @param keys the setting `api_keys`: separated by commas, each with `name:` before it or without */
  constructor(keys: string) {
    this.#keys = namedKeys(keys).map(({ name, key }) => ({ name, digest: digest(key) }));
  }

  /** Returns the name of the key that the request carries. @throws {AppError} API_KEY_INVALID if it is not a configured key */
  check(request: FastifyRequest): string {
    const key = presentedKey(request);
    const given = digest(key ?? '');
    let found: string | undefined;
    // Every key is compared, so that the time does not tell which one matched.
    for (const known of this.#keys) if (timingSafeEqual(given, known.digest)) found ??= known.name;
    if (key === undefined || found === undefined) throw new AppError('API_KEY_INVALID', 'Invalid API key');
    return found;
  }
}

const digest = (key: string) => createHash('sha256').update(key).digest();

/** Returns the key of the `api-key` header, else of `Authorization`, with or without `Bearer`. */
function presentedKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['api-key'];
  if (typeof key === 'string') return key.trim();
  return headers.authorization?.trim().replace(/^bearer\s+/i, '');
}
