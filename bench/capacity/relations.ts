/** A table or an index, and its bytes for each user. */
export interface Relation {
  name: string;
  kind: 'table' | 'index';
  /** Bytes for each user in the mixture of `npm run sample`. */
  bytes: number;
  /**
   * Rows for each user in an index with random insert positions, such as an index on e-mails. Undefined if
   * rows are appended in the order of ids, so that only the last pages are in use.
   */
  scattered?: number;
}

/**
 * Measured on 2026-11-22 by bench/footprint.ts, at 5,000,000 users of `npm run sample` in random order.
 * Tables include TOAST. Relations with less than half a byte for each user are left out.
 */
export const RELATIONS: readonly Relation[] = [
  { name: 'password_logins', kind: 'table', bytes: 223.1 },
  { name: 'password_logins_pkey', kind: 'index', bytes: 55.7, scattered: 0.85 },
  { name: 'password_logins_by_user', kind: 'index', bytes: 31.3 },
  { name: 'password_logins_by_secret', kind: 'index', bytes: 1.1 },
  { name: 'users', kind: 'table', bytes: 53.1 },
  { name: 'users_by_time_joined', kind: 'index', bytes: 68.8 },
  { name: 'users_pkey', kind: 'index', bytes: 35.3 },
  { name: 'third_party_logins', kind: 'table', bytes: 44.3 },
  { name: 'third_party_logins_pkey', kind: 'index', bytes: 13.2, scattered: 0.2 },
  { name: 'third_party_logins_by_email', kind: 'index', bytes: 13.1, scattered: 0.2 },
  { name: 'third_party_logins_by_user', kind: 'index', bytes: 6.9 },
  { name: 'user_aliases', kind: 'table', bytes: 10.1 },
  { name: 'user_aliases_pkey', kind: 'index', bytes: 7.3, scattered: 0.05 },
  { name: 'user_aliases_by_user', kind: 'index', bytes: 2.7 },
  { name: 'import_chunks', kind: 'table', bytes: 8.3 },
];

const sum = (relations: readonly Relation[]) => relations.reduce((all, { bytes }) => all + bytes, 0);

const INDEXES = RELATIONS.filter(({ kind }) => kind === 'index');

/** Indexes that must fit in memory: sign-ins read and imports write at random positions. */
export const SCATTERED = RELATIONS.filter(({ scattered }) => scattered !== undefined);

/** Bytes of tables for each user. */
export const tableBytes = sum(RELATIONS) - sum(INDEXES);
export const indexBytes = sum(INDEXES);
export const scatteredBytes = sum(SCATTERED);
