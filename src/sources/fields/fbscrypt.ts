import type { Advice } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { firebaseHash, invalidHash } from './hashes.ts';

const FBSCRYPT =
  /^\$fbscrypt\$v=\d+,n=(\d+),r=(\d+),p=1(?:,ss=([^,$]*))?(?:,sk=([^,$]*))?\$([^$]+)\$([^$]+)$/;

/** Reads Firebase's scrypt as written by GoTrue (internal/crypto/password.go) and other systems. */
export function fbscryptHash(encoded: string): SourcePassword {
  const [, memCost, rounds, saltSeparator = '', signerKey, salt, hash] = FBSCRYPT.exec(encoded) ?? [];
  if (memCost === undefined || rounds === undefined || salt === undefined || hash === undefined) {
    return invalidHash('$fbscrypt$ is not followed by v=, n=, r=, p=1, ss=, sk=, salt and hash');
  }
  return firebaseHash({ hash, salt, memCost, rounds, saltSeparator, signerKey });
}

export const TAKE_SIGNER_KEY: Advice = {
  level: 'note',
  text: 'Some hashes come from Firebase. Configure their signer key, which follows sk= in each of them, in the service: external_password_hashing_signer_key or an entry of hashing_secrets.',
};
