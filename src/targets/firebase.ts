import { createHash } from 'node:crypto';
import type { ParsedHash } from '../hashing/verifier.ts';
import { BatchedFiles } from './batched-files.ts';
import { leftOutOf } from './left-out.ts';
import type { LeftOut, Target, TargetDeps, TargetUser } from './target.ts';

/** Maximum number of files for Firebase. Each is kept open. */
const MAX_FILES = 100;
const NO_PLACE: readonly LeftOut[] = ['TOTP devices', 'roles', 'phone numbers', 'metadata'];
/** Maximum number of PBKDF2 rounds that Firebase's `auth:import` accepts. */
const MAX_PBKDF2_ROUNDS = 120_000;
const MAX_ID = 128;
/** Maximum costs that `auth:import` accepts for Firebase's own scrypt. */
const MAX_MEM_COST = 14;
const MAX_ROUNDS = 8;
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'google.com',
  facebook: 'facebook.com',
  github: 'github.com',
  twitter: 'twitter.com',
};
const WITHOUT_PASSWORD = 'without-password';

/** Hashes that Firebase imports with one command, because the command's flags name their parameters. */
interface HashGroup {
  name: string;
  flags: string;
  hash: Buffer;
  salt: Buffer | undefined;
}

/** @see https://firebase.google.com/docs/cli/auth#auth-import */
export function firebaseHash(hash: ParsedHash): HashGroup | undefined {
  const of = hash.portable;
  switch (of?.kind) {
    case 'bcrypt':
      if (of.variant === 'x') return undefined;
      return {
        name: 'bcrypt',
        flags: '--hash-algo=BCRYPT',
        hash: Buffer.from(of.encoded),
        salt: undefined,
      };
    case 'firebase-scrypt': {
      if (of.memCost > MAX_MEM_COST || of.rounds > MAX_ROUNDS) return undefined;
      const separator = of.separator.toString('base64');
      const name = createHash('sha256').update(separator).digest('hex').slice(0, 8);
      return {
        name: `scrypt-${of.memCost}-${of.rounds}-${name}`,
        flags: `--hash-algo=SCRYPT --hash-key=BASE64_SIGNER_KEY --salt-separator=${separator} --rounds=${of.rounds} --mem-cost=${of.memCost}`,
        hash: of.hash,
        salt: of.salt,
      };
    }
    case 'scrypt':
      return {
        name: `standard-scrypt-${of.log2N}-${of.r}-${of.p}-${of.hash.length}`,
        flags: `--hash-algo=STANDARD_SCRYPT --mem-cost=${2 ** of.log2N} --block-size=${of.r} --parallelization=${of.p} --dk-len=${of.hash.length}`,
        hash: of.hash,
        salt: of.salt,
      };
    case 'pbkdf2':
      // Firebase has no flag for the length of a PBKDF2 key, so it must be the length of the digest.
      if (of.iterations > MAX_PBKDF2_ROUNDS) return undefined;
      if (of.digest === 'sha1' && of.hash.length === 20) return pbkdf2('PBKDF_SHA1', of);
      return of.digest === 'sha256' && of.hash.length === 32 ? pbkdf2('PBKDF2_SHA256', of) : undefined;
    case 'digest': {
      // Firebase's documentation permits 0 rounds for MD5 without saying what 0 means, so MD5 is left out.
      if (of.digest !== 'sha1' && of.digest !== 'sha256' && of.digest !== 'sha512') return undefined;
      const order = of.isSaltFirst ? 'SALT_FIRST' : 'PASSWORD_FIRST';
      return {
        name: `${of.digest}-${order.toLowerCase().replace('_', '-')}`,
        flags: `--hash-algo=${of.digest.toUpperCase()} --rounds=1 --hash-input-order=${order}`,
        hash: of.hash,
        salt: of.salt,
      };
    }
    default:
      return undefined;
  }
}

const pbkdf2 = (
  name: string,
  { iterations, hash, salt }: { iterations: number; hash: Buffer; salt: Buffer },
): HashGroup => ({
  name: `${name.toLowerCase().replace('_', '-')}-${iterations}`,
  flags: `--hash-algo=${name} --rounds=${iterations}`,
  hash,
  salt,
});

/** Writes files for `firebase auth:import`, one for each hash algorithm with its parameters. */
export const firebase: Target = {
  title: 'Firebase Authentication',
  open: (deps) => new FirebaseWriter(deps),
};

class FirebaseWriter {
  readonly #deps: TargetDeps;
  readonly #groups = new Map<string, { files: BatchedFiles; flags: string }>();

  constructor(deps: TargetDeps) {
    this.#deps = deps;
  }

  verifies(hash: ParsedHash): boolean {
    const group = firebaseHash(hash);
    return group !== undefined && (this.#groups.has(group.name) || this.#groups.size < MAX_FILES);
  }

  add(user: TargetUser): readonly LeftOut[] {
    const group = user.hash && firebaseHash(user.hash);
    this.#filesOf(group).add(JSON.stringify(userOf(user, group)));
    const hasOthers = user.identities.some(({ provider }) => PROVIDERS[provider] === undefined);
    return [
      ...leftOutOf(user, NO_PLACE),
      ...(hasOthers ? (['logins at providers'] as const) : []),
      ...(user.plainText === undefined ? [] : (['passwords in the clear'] as const)),
    ];
  }

  end(): readonly string[] {
    for (const { files } of this.#groups.values()) files.end();
    return [...this.#groups].map(([name, { flags }]) =>
      `firebase auth:import ${name}-00001.json ${flags}`.trimEnd(),
    );
  }

  #filesOf(group: HashGroup | undefined): BatchedFiles {
    const { name = WITHOUT_PASSWORD, flags = '' } = group ?? {};
    const known = this.#groups.get(name);
    if (known !== undefined) return known.files;
    const frame = { begin: '{"users":[\n', end: '\n]}\n' };
    const files = new BatchedFiles(this.#deps, { name, frame });
    this.#groups.set(name, { files, flags });
    return files;
  }
}

function userOf(user: TargetUser, group: HashGroup | undefined) {
  const { email, isVerified, isDisabled, externalId, timeJoinedMs, identities } = user;
  const providers = identities.flatMap(({ provider, userId, email: address }) => {
    const providerId = PROVIDERS[provider];
    return providerId === undefined ? [] : { providerId, rawId: userId, email: address };
  });
  return {
    localId: localIdOf(externalId, email),
    email,
    emailVerified: isVerified,
    ...(isDisabled && { disabled: true }),
    ...(group !== undefined && {
      passwordHash: group.hash.toString('base64'),
      ...(group.salt !== undefined && { salt: group.salt.toString('base64') }),
    }),
    ...(timeJoinedMs !== undefined && { createdAt: String(timeJoinedMs) }),
    ...(providers.length > 0 && { providerUserInfo: providers }),
  };
}

/** Returns the user's id in Firebase, which is the same in every conversion. */
function localIdOf(externalId: string | undefined, email: string): string {
  if (externalId !== undefined && externalId.length <= MAX_ID) return externalId;
  return createHash('sha256').update(email).digest('base64url').slice(0, 28);
}
