import { beforeEach, expect, it } from 'vitest';
import type { ImportStore, Run } from '../../../src/imports/import-store.ts';
import { ChunkIds } from '../../../src/imports/resolve/person.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { recordChunk } from '../../../src/postgres/imports/import-records.ts';
import { numbers, passwordLine } from '../../imports/history/rollback-under-test.ts';
import { type Cut, runStream } from '../../imports/import-under-test.ts';
import { testPasswords } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { ndjson } from '../../support/ndjson.ts';

const passwords = testPasswords();
let database: TestDatabase;
let imports: ImportStore;
beforeEach(async () => {
  database = await useTestDatabase();
  imports = createImportStore(database.db, database.db);
});

it('accepts only the next chunk', async () => {
  const request = { importId: 'it', keyName: 'tests', dryRun: false, onConflict: 'overwrite' as const };
  const run = await imports.begin(request);
  if (typeof run === 'string') throw new Error(run);
  const { progress } = run;
  const ids = ChunkIds.create();
  const write = (firstLine: number) =>
    database.db.transaction((transaction) =>
      recordChunk(transaction, run, {
        firstLine,
        lines: 1,
        sealedMarks: Buffer.alloc(8),
        firstUserId: ids.first,
        lastUserId: ids.last,
        outcomes: [],
        failures: new Map(),
        progress: { ...progress, nextLine: firstLine + 1 },
      }),
    );
  expect(await write(2)).toBe(false);
  expect(await write(1)).toBe(true);
  expect(await write(1)).toBe(false);
  expect((await imports.begin(request)) as Run).toMatchObject({ progress: { nextLine: 2 } });
});

function importLines(count: number, options: { dryRun?: boolean; cut?: Cut } = {}) {
  const bytes = Buffer.from(ndjson(...numbers(0, count).map((n) => passwordLine(n, 0))));
  const limits = { maxLines: 1, maxBytes: 1_000_000, idleMs: 5, maxAgeMs: 250 };
  const stream = { bytes, pace: { sizes: [bytes.length], pauses: false }, limits };
  const request = { importId: 'it', dryRun: options.dryRun ?? false, onConflict: 'overwrite' as const };
  return runStream({ db: database.db, passwords }, request, stream, options.cut);
}

const isFinished = async () => (await imports.find('it'))?.finishedAtMs !== undefined;

it('keeps an import finished that is repeated and interrupted, until it does something new', async () => {
  await importLines(4);
  await importLines(4, { cut: { after: 1, of: 'reports' } });
  expect(await isFinished()).toBe(true);
  await importLines(9, { cut: { after: 5, of: 'reports' } });
  expect(await isFinished()).toBe(false);
  await importLines(9);
  expect(await isFinished()).toBe(true);
});

it('starts a finished dry run from the beginning', async () => {
  await importLines(4, { dryRun: true });
  expect(await isFinished()).toBe(true);
  await importLines(4, { dryRun: true, cut: { after: 1, of: 'reports' } });
  expect(await isFinished()).toBe(false);
});

it('requests larger chunks if a transaction costs more', () => {
  expect(imports.chunkScale).toBe(IS_CITUS ? 4 : 1);
});
