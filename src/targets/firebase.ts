import { createHash } from 'node:crypto';
import type { ParsedHash } from '../hashing/verifier.ts';
import { membersOf } from './profile.ts';
import { filled, firstBlock, type Target, type TargetPassword, type TargetUser } from './target.ts';

/** Maximum number of PBKDF2 rounds that Firebase's `auth:import` accepts. */
const MAX_PBKDF2_ROUNDS = 120_000;
const MAX_ID = 128;
const NAMES = { maxCharacters: 256 };
/** Maximum costs that `auth:import` accepts for Firebase's own scrypt. */
const MAX_MEM_COST = 14;
const MAX_ROUNDS = 8;
/** Providers whose logins `auth:import` accepts. */
const PROVIDERS = new Set(['google', 'facebook', 'github', 'twitter']);

/**
 * Returns a password for the file with this name. The flags of `auth:import` state algorithm and parameters of a whole
 * file, so hashes with others need another file.
 */
function inFile(name: string, flags: string, hash: Buffer, salt?: Buffer): TargetPassword {
  const members = { passwordHash: hash.toString('base64'), salt: salt?.toString('base64') };
  return { members, files: { name, flags } };
}

/** @see https://firebase.google.com/docs/cli/auth#auth-import */
function firebaseHash(hash: ParsedHash): TargetPassword | undefined {
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      if (of.variant === 'x') return undefined;
      return inFile('bcrypt', '--hash-algo=BCRYPT', Buffer.from(of.encoded));
    case 'firebase-scrypt': {
      const { memCost, rounds } = of;
      if (memCost > MAX_MEM_COST || rounds > MAX_ROUNDS) return undefined;
      const separator = of.separator.toString('base64');
      const name = createHash('sha256').update(separator).digest('hex').slice(0, 8);
      const flags = `--hash-algo=SCRYPT --hash-key=BASE64_SIGNER_KEY --salt-separator=${separator} --rounds=${rounds} --mem-cost=${memCost}`;
      return inFile(`scrypt-${memCost}-${rounds}-${name}`, flags, of.hash, of.salt);
    }
    case 'scrypt': {
      const { log2N, r, p, hash: key } = of;
      const flags = `--hash-algo=STANDARD_SCRYPT --mem-cost=${2 ** log2N} --block-size=${r} --parallelization=${p} --dk-len=${key.length}`;
      return inFile(`standard-scrypt-${log2N}-${r}-${p}-${key.length}`, flags, key, of.salt);
    }
    case 'pbkdf2': {
      // Firebase has no flag for the length of a PBKDF2 key, so it must be the length of the digest.
      const key = of.digest === 'sha1' || of.digest === 'sha256' ? firstBlock(of) : undefined;
      if (of.iterations > MAX_PBKDF2_ROUNDS || key === undefined) return undefined;
      const name = of.digest === 'sha1' ? 'PBKDF_SHA1' : 'PBKDF2_SHA256';
      const flags = `--hash-algo=${name} --rounds=${of.iterations}`;
      return inFile(`${fileName(name)}-${of.iterations}`, flags, key, of.salt);
    }
    case 'digest': {
      // Firebase's documentation permits 0 rounds for MD5 without saying what 0 means, so MD5 is left out.
      if (of.digest !== 'sha1' && of.digest !== 'sha256' && of.digest !== 'sha512') return undefined;
      const order = of.isSaltFirst ? 'SALT_FIRST' : 'PASSWORD_FIRST';
      const flags = `--hash-algo=${of.digest.toUpperCase()} --rounds=1 --hash-input-order=${order}`;
      return inFile(`${of.digest}-${fileName(order)}`, flags, of.hash, of.salt);
    }
  }
}

const fileName = (word: string) => word.toLowerCase().replace('_', '-');

/** Files for `firebase auth:import`, one for each algorithm with its parameters. */
export const firebase: Target = {
  title: 'Firebase Authentication',
  files: { name: 'without-password', list: ['{"users":[', ']}'] },
  hashed: firebaseHash,
  takes: {
    provider: (provider) => (PROVIDERS.has(provider) ? `${provider}.com` : undefined),
    externalId: (externalId) => externalId.length <= MAX_ID,
    timesOfJoining: true,
  },
  userJson: (user) => JSON.stringify(accountOf(user)),
  steps: (files) =>
    files.map(({ name, flags = '' }) => ({ shell: `firebase auth:import ${name}.json ${flags}`.trimEnd() })),
};

function accountOf(user: TargetUser) {
  const { email, isVerified, isDisabled, externalId, timeJoinedMs, identities, password, profile } = user;
  const providers = identities.map(({ provider, userId, email: address }) => {
    return { providerId: provider, rawId: userId, email: address };
  });
  return {
    localId: externalId ?? idOf(email),
    email,
    emailVerified: isVerified,
    disabled: isDisabled || undefined,
    ...membersOf(profile, { name: 'displayName', picture: 'photoUrl' }, NAMES),
    ...password?.members,
    createdAt: timeJoinedMs?.toString(),
    providerUserInfo: filled(providers),
  };
}

/** Returns an id for Firebase that is the same in every conversion. */
const idOf = (email: string) => createHash('sha256').update(email).digest('base64url').slice(0, 28);
