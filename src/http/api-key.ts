import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

/** The configured keys, kept as digests: equal in length, so that comparing them takes the same time for any key. */
export class ApiKeys {
  readonly #digests: Buffer[];

  /** `keys`: separated by commas, as configured. */
  constructor(keys: string) {
    this.#digests = keys.split(',').map((key) => digest(key.trim()));
  }

  /** @throws {AppError} API_KEY_INVALID when the request carries none of the keys */
  check(request: FastifyRequest): void {
    const key = presentedKey(request);
    const given = digest(key ?? '');
    let found = false;
    // Every key is compared, so that the time does not tell which one matched.
    for (const known of this.#digests) found = timingSafeEqual(given, known) || found;
    if (key === undefined || !found) throw new AppError('API_KEY_INVALID', 'Invalid API key');
  }
}

const digest = (key: string) => createHash('sha256').update(key).digest();

/** Of the `api-key` header, else of `Authorization`, with or without `Bearer`. */
function presentedKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['api-key'];
  if (typeof key === 'string') return key.trim();
  return headers.authorization?.trim().replace(/^bearer\s+/i, '');
}
