/**
 * Verifies old passwords in Better Auth. Import users with `user-import convert --to better-auth`, then:
 *
 *     import { verifyPassword } from 'better-auth/crypto';
 *     betterAuth({
 *       emailAndPassword: {
 *         enabled: true,
 *         password: { verify: verifyLegacy({ url: 'http://user-import-core:3567', apiKey, verifyOwn: verifyPassword }) },
 *       },
 *     });
 */
interface Attempt {
  hash: string;
  password: string;
}

interface Options {
  /** Address of user-import-core, which serves the hook `hash`. */
  url: string;
  /** A key with the right `verify`. */
  apiKey: string;
  /** Verifies the hashes that Better Auth makes. */
  verifyOwn(attempt: Attempt): Promise<boolean>;
  timeoutMs?: number;
}

/** `legacy:ALGORITHM:HASH`, or `legacy:ALGORITHM@SECRET:HASH`. */
const LEGACY = /^legacy:([^:@]+)(?:@([^:]+))?:(.+)$/s;

export const verifyLegacy =
  ({ url, apiKey, verifyOwn, timeoutMs = 5000 }: Options) =>
  async ({ hash, password }: Attempt): Promise<boolean> => {
    const [, hashingAlgorithm, hashingSecretId, passwordHash] = LEGACY.exec(hash) ?? [];
    if (hashingAlgorithm === undefined) return verifyOwn({ hash, password });
    const response = await fetch(`${url}/hooks/hash`, {
      method: 'POST',
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ passwordHash, hashingAlgorithm, hashingSecretId, password }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = (response.status === 200 ? await response.json() : {}) as { status?: string };
    if (status === 'MATCH') return true;
    if (status === 'NO_MATCH') return false;
    // Better Auth answers 500 then, and does not say that the password is wrong.
    throw new Error(`the old password could not be verified: status ${response.status}`);
  };
