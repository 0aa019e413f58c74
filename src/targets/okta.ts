import type { ParsedHash } from '../hashing/verifier.ts';
import { membersOf } from './profile.ts';
import { filled, type Target, type TargetUser } from './target.ts';

const NAMES = { maxCharacters: 50 };
const DIGESTS: Readonly<Record<string, string>> = {
  md5: 'MD5',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha512: 'SHA-512',
};
const PBKDF2_DIGESTS: Readonly<Record<string, string>> = { sha256: 'SHA256_HMAC', sha512: 'SHA512_HMAC' };
const MAX_BCRYPT_COST = 20;

const base64 = (bytes: Buffer) => bytes.toString('base64');

/** @see https://developer.okta.com/docs/api/openapi/okta-management/management/tag/User/ */
function oktaHash(hash: ParsedHash): object | undefined {
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt': {
      const [, cost = '', salt = '', value = ''] = /^\$2.\$(\d\d)\$(.{22})(.{31})$/.exec(of.encoded) ?? [];
      if (of.variant === 'x' || value === '' || Number(cost) > MAX_BCRYPT_COST) return undefined;
      return { algorithm: 'BCRYPT', workFactor: Number(cost), salt, value };
    }
    case 'digest': {
      const algorithm = DIGESTS[of.digest];
      const saltOrder = of.isSaltFirst ? 'PREFIX' : 'POSTFIX';
      if (algorithm === undefined) return undefined;
      return { algorithm, salt: base64(of.salt), saltOrder, value: base64(of.hash) };
    }
    case 'pbkdf2': {
      const digestAlgorithm = PBKDF2_DIGESTS[of.digest];
      if (digestAlgorithm === undefined) return undefined;
      const [salt, value] = [base64(of.salt), base64(of.hash)];
      const costs = { iterationCount: of.iterations, keySize: of.hash.length, digestAlgorithm };
      return { algorithm: 'PBKDF2', salt, value, ...costs };
    }
    default:
      return undefined;
  }
}

/**
 * Bodies of `POST /api/v1/users?activate=true`, one a line. They follow Okta's documentation, and were not tried with
 * Okta.
 */
export const okta: Target = {
  title: 'Okta',
  files: { name: 'users' },
  // Disabled users need a file of their own: they are created with `activate=false`, so that they cannot sign in.
  filesOf: ({ isDisabled }) => (isDisabled ? { name: 'disabled-users' } : undefined),
  hashed(hash) {
    const found = oktaHash(hash);
    return found && { members: { hash: found } };
  },
  firstSignIn: { password: { members: { hook: { type: 'default' } } } },
  takes: {},
  userJson: (user) => JSON.stringify(bodyOf(user)),
  steps: () => [
    'This follows the documentation of Okta and was not tried. Each line is the body of one call, for disabled-users.ndjson with activate=false. The file okta-header has the line Authorization: SSWS TOKEN.',
    {
      shell:
        "curl -sSf -X POST -H @okta-header -H 'Content-Type: application/json' -d @- 'https://ORG.okta.com/api/v1/users?activate=true'",
    },
  ],
};

function bodyOf({ email, profile, password }: TargetUser) {
  const names = membersOf(profile, { given_name: 'firstName', family_name: 'lastName' }, NAMES);
  return {
    // Okta requires both names.
    profile: { firstName: email.split('@')[0], lastName: '-', ...names, email, login: email },
    credentials: filled(password === undefined ? {} : { password: password.members }),
  };
}
