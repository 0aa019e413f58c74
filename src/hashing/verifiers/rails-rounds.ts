import { BYTES } from '../kdf/password-reading.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import { canonicalRounds } from './canonical-rounds.ts';
import { type DigestRounds, defineDigestRounds } from './define-digest-rounds.ts';

const DASHES = Buffer.from('--');
const MAX_ROUNDS = 100_000;
/**
 * Every round digests the password again. Devise accepts 128 characters by default, restful-authentication
 * 40.
 */
const MAX_PASSWORD_BYTES = 4096;

/** In version 1 of Authlogic, each round digests the previous result as text; in version 2, as bytes. */
function authlogic(name: string, digest: RoundDigest, version: 1 | 2): DigestRounds {
  return {
    ...canonicalRounds(name, { program: `Authlogic ${version}`, digest }),
    strength: 'broken',
    reference: {
      examples: '20 with SHA-512: 0.6 ms for the longest password',
      measured: '0.57 ms; 100,000 rounds: 186 ms',
    },
    maxRounds: MAX_ROUNDS,
    ...(version === 1 && { inHex: true }),
    password: BYTES,
    steps({ password, salt }) {
      // Authlogic's SHA-1 provider joins its inputs with dashes and adds the salt in each round.
      if (digest === 'sha1') return { first: [password, DASHES, salt], next: (last) => [last, DASHES, salt] };
      return { first: [password, salt], next: (last) => [last] };
    },
  };
}

/** The first round of Devise and restful-authentication digests the secret in place of a previous digest. */
const peppered: Pick<DigestRounds, 'strength' | 'maxRounds' | 'maxPasswordBytes' | 'inHex' | 'reference'> = {
  strength: 'broken',
  maxRounds: MAX_ROUNDS,
  maxPasswordBytes: MAX_PASSWORD_BYTES,
  inHex: true,
  reference: {
    examples: '10 with SHA-1: 0.1 ms; 100,000 with SHA-512: 1266 ms, both for 4096 bytes',
    measured: '0.08 ms and 1279 ms',
  },
};

const devise = (name: string, digest: RoundDigest): DigestRounds => ({
  ...canonicalRounds(name, { program: 'Devise', digest, defaultRounds: 10 }),
  ...peppered,
  secret: 'optional',
  password: BYTES,
  steps({ password, salt, secret }) {
    const next = (last: Uint8Array) =>
      [DASHES, salt, DASHES, last, DASHES, password, DASHES, secret, DASHES] as const;
    return { first: next(secret), next };
  },
});

const restfulAuth: DigestRounds = {
  ...canonicalRounds('restful-auth', {
    program: 'restful-authentication',
    digest: 'sha1',
    defaultRounds: 10,
  }),
  ...peppered,
  secret: 'required',
  password: BYTES,
  steps({ password, salt, secret }) {
    const next = (last: Uint8Array) => [last, DASHES, salt, DASHES, password, DASHES, secret] as const;
    return { first: next(secret), next };
  },
};

export const RAILS_ROUNDS = [
  authlogic('authlogic-md5', 'md5', 1),
  authlogic('authlogic-sha1', 'sha1', 1),
  authlogic('authlogic-sha256', 'sha256', 1),
  authlogic('authlogic-sha512', 'sha512', 1),
  authlogic('authlogic2-md5', 'md5', 2),
  authlogic('authlogic2-sha1', 'sha1', 2),
  authlogic('authlogic2-sha256', 'sha256', 2),
  authlogic('authlogic2-sha512', 'sha512', 2),
  devise('devise-sha1', 'sha1'),
  devise('devise-sha512', 'sha512'),
  restfulAuth,
].map(defineDigestRounds);
