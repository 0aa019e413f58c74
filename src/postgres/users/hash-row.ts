import type { PasswordHash, StoredHash } from '../../hashing/verifier.ts';

/** The columns of a login by which its hash is verified. */
export interface HashRow extends Record<string, unknown> {
  password_hash: StoredHash;
  hash_algorithm: string;
  hash_secret_id: string | null;
}

export const toHash = (row: HashRow): PasswordHash => ({
  encoded: row.password_hash,
  algorithm: row.hash_algorithm,
  ...(row.hash_secret_id !== null && { secretId: row.hash_secret_id }),
});
