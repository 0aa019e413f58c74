import { beforeEach, describe, expect, it } from 'vitest';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { testPasswords } from '../../support/app.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { ndjson } from '../../support/ndjson.ts';
import { runStream } from '../import-under-test.ts';

const passwords = testPasswords();
const EMAILS = Array.from({ length: 150 }, (_, index) => `user-${index}@b.c`);

let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

function importOf(importId: string, emails: readonly string[], maxLines: number) {
  const bytes = Buffer.from(ndjson(...emails.map((email) => ({ email, passwordHash: BCRYPT.hash }))));
  return runStream(
    { db: database.db, passwords },
    { importId, onConflict: 'update-unchanged', dryRun: false },
    {
      bytes,
      pace: { sizes: [bytes.length], pauses: false },
      limits: { maxLines, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 },
    },
  );
}

const stored = async () => {
  const rows = await database.db.query<{ email: string }>('select email from password_logins order by email');
  return rows.map(({ email }) => email);
};

describe('150 new e-mails, sent in opposite order by two senders', () => {
  it.each([
    ['at once', 2000],
    ['chunk by chunk', 20],
  ])('are all imported, each once, by two imports, %s', async (_, maxLines) => {
    const reports = await Promise.all([
      importOf('forth', EMAILS, maxLines),
      importOf('back', EMAILS.toReversed(), maxLines),
    ]);
    expect(reports.map(({ error }) => error)).toEqual([undefined, undefined]);
    const created = reports.map(({ summary }) => summary?.created);
    expect(Number(created[0]) + Number(created[1])).toBe(EMAILS.length);
    expect(await stored()).toEqual(EMAILS.toSorted());
  });

  it('are all imported, each once, by an import and by single calls', async () => {
    const store = createUserStore(database.db);
    const hash = labelledHash('single');
    const [report, ...outcomes] = await Promise.all([
      importOf('forth', EMAILS, 2000),
      ...EMAILS.toReversed().map((email) => store.importPasswordUser({ email, hash })),
    ]);
    expect(report).toMatchObject({ error: undefined, summary: { lines: EMAILS.length } });
    expect(outcomes).toHaveLength(EMAILS.length);
    expect(await stored()).toEqual(EMAILS.toSorted());
  });
});
