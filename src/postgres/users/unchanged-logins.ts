import type { Queryable } from '../client/connection.ts';
import type { ExistingLogin, NewLogin } from './write-imported.ts';

/**
 * Selects logins that may have the imported hash, or a hash to which the imported one was upgraded.
 * A transaction that has changed or locked a row has its number in `xmax` at once, also while it is prepared
 * on a node of Citus and not yet committed. Such a row is left out, because its visible version may not be
 * the latest. An upsert leaves its own number there, which is then in `xmin` as well.
 */
const CANDIDATES = `
  select email, user_id, recipe_user_id, linked, disabled, time_joined_ms, null as linked_user,
    coalesce(email = any (verified_emails), false) as verified, encode(imported_fingerprint, 'hex') as fingerprint,
    password_hash, hash_algorithm, hash_secret_id, hash_class, hash_set_at::text as hash_set_at
  from password_logins
  where email = any ($1) and (xmax::text = '0' or xmax = xmin)
    and (imported_fingerprint is not null or hash_set_by = 'import' and no_hash is null)`;

/**
 * Selects the times (by their index in the list) since which no bulk import has written anything. A hash that
 * was set before a bulk import ended must be written again even if it stays the same. Otherwise, the rollback
 * of the bulk import would undo it as well. The statement must run after the logins were read, because any
 * chunk that wrote one of them is then recorded.
 */
const AFTER_BULK_IMPORTS = `
  select place::int from unnest($1::timestamptz[]) with ordinality as t (at, place)
  where not exists (select from imports where not dry_run and updated_at >= at)`;

interface Candidate extends ExistingLogin {
  fingerprint: string | null;
  password_hash: string | null;
  hash_algorithm: string | null;
  hash_secret_id: string | null;
  hash_class: string | null;
  hash_set_at: string;
}

/** Maximum number of batches with existing users that are written without looking for unchanged logins. */
const MAX_LEFT_OUT = 15;

/**
 * Finds imported logins that would not change. Reading such logins costs less than writing them again, but is
 * in vain if users are new or their hashes differ. So it is tried after a batch with existing users, and less
 * and less often if it finds few.
 */
export class UnchangedLogins {
  #leftOut = Number.POSITIVE_INFINITY;
  #failures = 0;

  /** Returns none, without reading, if few unchanged logins are expected. */
  async find(db: Queryable, logins: readonly NewLogin[]): Promise<ExistingLogin[]> {
    if (this.#leftOut > 0 || logins.length === 0) return [];
    const found = await readUnchanged(db, logins);
    this.#failures = 2 * found.length < logins.length ? this.#failures + 1 : 0;
    this.#leftOut = Math.min(2 ** this.#failures - 1, MAX_LEFT_OUT);
    return found;
  }

  /** Call it after each batch that was written without looking. `wereKnown`: some logins existed already. */
  wrote({ wereKnown }: { wereKnown: boolean }): void {
    if (!wereKnown) return;
    this.#leftOut = Number.isFinite(this.#leftOut) ? Math.max(0, this.#leftOut - 1) : 0;
  }
}

async function readUnchanged(db: Queryable, logins: readonly NewLogin[]): Promise<ExistingLogin[]> {
  const emails = logins.map(({ login }) => login.email);
  const rows = new Map(
    (await db.query<Candidate & Record<string, unknown>>(CANDIDATES, [emails])).map((row) => [
      row.email,
      row,
    ]),
  );
  const upgraded: Candidate[] = [];
  const same: Candidate[] = [];
  for (const { login } of logins) {
    const row = rows.get(login.email);
    if (row === undefined) continue;
    if (row.fingerprint !== null) {
      if (login.matchesFingerprint?.(row.fingerprint) === true) upgraded.push(row);
    } else if (
      row.password_hash === login.hash.encoded &&
      row.hash_algorithm === login.hash.algorithm &&
      row.hash_secret_id === (login.hash.secretId ?? null) &&
      row.hash_class === login.hash.strength
    )
      same.push(row);
  }
  if (same.length === 0) return upgraded;
  const after = await db.query<{ place: number }>(AFTER_BULK_IMPORTS, [same.map((row) => row.hash_set_at)]);
  return [...upgraded, ...after.map(({ place }) => same[place - 1] as Candidate)];
}
