import type { PasswordHash, StoredHash } from '../../hashing/verifier.ts';
import type { NoHash } from '../../passwords/no-hash.ts';

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

export type CredentialRow = (HashRow & { no_hash: null }) | NoHashRow;

interface NoHashRow extends Record<string, unknown> {
  password_hash: null;
  no_hash: NoHash;
}

export const hasHash = <Row extends CredentialRow>(row: Row): row is Row & HashRow => row.no_hash === null;
