import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { apiKeysOf } from './api-keys.ts';
import type { Config } from './schema.ts';

/**
 * Minimum number of different steps in a secret. A step is the difference between the codes of two neighbouring
 * characters: `aaaa` and `abcd` have only one kind. Fewer than one in a thousand keys of 20 random digits are below the
 * minimum.
 */
const MIN_STEPS = 7;

/**
 * Returns a warning, without the secret, for each secret that is easy to guess. Hashing secrets are left out:
 * the system that the users come from has chosen them.
 */
export function weakSecrets({ api_keys: keys, ...config }: Partial<Config>): string[] {
  const secrets: { name: string; secret: string | undefined }[] = [
    ...(keys === undefined ? [] : apiKeysOf(keys)).map(({ name, secret }) => ({
      name: `api_keys: the key ${name}`,
      secret,
    })),
    { name: 'upstream_core_api_key:', secret: config.upstream_core_api_key },
    { name: 'hand_over_secret:', secret: config.hand_over_secret },
    ...(config.factors_secret ?? '')
      .split(',')
      .map((secret) => ({ name: 'factors_secret:', secret: secret.trim() })),
    { name: 'legacy_signin_secret:', secret: config.legacy_signin_secret?.replace(/^whsec_/, '') },
  ];
  return secrets
    .filter(({ secret }) => secret && isMonotonous(secret))
    .map(({ name }) => `${name} is easy to guess, because its characters repeat: create a random one`);
}

function isMonotonous(secret: string): boolean {
  const steps = new Set<number>();
  for (let at = 1; at < secret.length; at += 1) steps.add(secret.charCodeAt(at) - secret.charCodeAt(at - 1));
  // If the secret repeats one part (`abcabc`), it also occurs in its double (`abcabcabcabc`) before the middle.
  const isRepetition = `${secret}${secret}`.indexOf(secret, 1) < secret.length;
  return steps.size < MIN_STEPS || isRepetition;
}

/** Returns a warning about a file that every user of the machine can read. */
export const openFile = (path: string): string =>
  `${path} holds a secret, and every user of this machine can read it: chmod o-r`;

/** Returns whether every user of this machine can read a file. */
export function isOpenToAll(path: string): boolean {
  // Docker makes its secrets readable for everybody, but shows them to one container only.
  if (path.startsWith('/run/secrets/')) return false;
  const file = statSync(path);
  if (!file.isFile() || (file.mode & 0o004) === 0) return false;
  for (let at = dirname(realpathSync(path)); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
