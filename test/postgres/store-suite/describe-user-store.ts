import { afterAll, beforeAll, describe } from 'vitest';
import type { Database } from '../../../src/postgres/client/database.ts';
import { describeHashChanges } from './describe-hash-changes.ts';
import { describeImports } from './describe-imports.ts';
import { describePasswordLogins } from './describe-password-logins.ts';
import { describeReading } from './describe-reading.ts';
import { describeRemoval } from './describe-removal.ts';
import { describeThirdPartyLogins } from './describe-third-party.ts';
import { StoreUnderTest } from './store-under-test.ts';

/** Tests every user store, through any connection that `connect` makes to its own database. */
export function describeUserStore(
  name: string,
  connect: () => Promise<{ db: Database; close(): Promise<void> }>,
): void {
  describe(name, () => {
    const t = new StoreUnderTest();
    let close: () => Promise<void>;
    beforeAll(async () => {
      const opened = await connect();
      close = opened.close;
      t.open(opened.db);
    });
    afterAll(() => close());

    describeImports(t);
    describeThirdPartyLogins(t);
    describePasswordLogins(t);
    describeHashChanges(t);
    describeReading(t);
    describeRemoval(t);
  });
}
