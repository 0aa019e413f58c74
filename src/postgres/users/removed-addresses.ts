import { hash } from 'node:crypto';
import type { Queryable } from '../client/connection.ts';

const digestOf = (email: string): Buffer => hash('sha256', email, 'buffer');

export async function recordRemoved(db: Queryable, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return;
  await db.query('insert into removed_addresses (digest) select unnest($1::bytea[]) on conflict do nothing', [
    [...new Set(emails)].map(digestOf),
  ]);
}

/** Always reads both tables, so that the time does not show which of them has the address. */
export async function isSettled(db: Queryable, email: string): Promise<boolean> {
  const verified = await db.query(
    'select 1 from third_party_logins where email = $1 and $1 = any (verified_emails) limit 1',
    [email],
  );
  const removed = await db.query('select 1 from removed_addresses where digest = $1', [digestOf(email)]);
  return verified.length + removed.length > 0;
}
