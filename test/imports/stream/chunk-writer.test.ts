import { expect, it } from 'vitest';
import type { Passwords } from '../../../src/hashing/passwords.ts';
import { BulkPace } from '../../../src/imports/bulk-pace.ts';
import type { ChunkTransaction, ImportStore, RowBuffer, Run } from '../../../src/imports/import-store.ts';
import { readLines } from '../../../src/imports/input/line-splitter.ts';
import { noExistingLogins } from '../../../src/imports/resolve/existing-logins.ts';
import { hashingLimit } from '../../../src/imports/resolve/hash-passwords.ts';
import { noKnownUsers } from '../../../src/imports/resolve/known-users.ts';
import { noOutcomes } from '../../../src/imports/resolve/outcome.ts';
import { ChunkWriter } from '../../../src/imports/stream/chunk-writer.ts';
import { LineChunk, LineChunkBuffers } from '../../../src/imports/stream/line-chunk.ts';
import { ParsedLines } from '../../../src/imports/stream/parsed-lines.ts';
import { MarkSeal } from '../../../src/imports/stream/sealed-marks.ts';
import { BufferPool } from '../../../src/lib/buffers/buffer-pool.ts';
import { Contended } from '../../../src/lib/errors.ts';
import { HashFingerprints } from '../../../src/passwords/hash-fingerprint.ts';
import { testVault } from '../../support/factors.ts';

const RUN: Run = {
  importId: 'it',
  owner: 'me',
  progress: { nextLine: 1, outcomes: noOutcomes(), failures: {}, algorithms: {}, hashes: {} },
};

/** A writer over a store that records its calls. `copyRows` fails `failures` times. */
function setUp({ failures }: { failures: number }) {
  const asked: string[] = [];
  let left = failures;
  const rows: RowBuffer = {
    add: () => {},
    encoded: () => [],
    release: () => void asked.push('release'),
  };
  const transaction: ChunkTransaction = {
    async copyRows() {
      asked.push('copy');
      if (left-- > 0) throw new Contended(new Error('a row is there already'));
    },
    async lockExisting() {
      asked.push('look');
      return noExistingLogins();
    },
    async readKnown() {
      asked.push('match');
      return noKnownUsers();
    },
    async apply(_importId, _writeSet, { inKeyOrder }) {
      asked.push(inKeyOrder ? 'apply sorted' : 'apply');
    },
    async recordChunk(_run, { progress }) {
      asked.push(`record up to ${progress.nextLine}`);
      return true;
    },
  };
  const imports = {
    chunkScale: 1,
    rowBuffer: () => rows,
    session: (work: Parameters<ImportStore['session']>[0]) =>
      work({
        transaction: (attempt, { patient }) => {
          asked.push(patient ? 'begin patient' : 'begin');
          return attempt(transaction);
        },
      }),
  } as unknown as ImportStore;
  const passwords = { learn: () => {} } as unknown as Passwords;
  const writer = new ChunkWriter(
    {
      imports,
      pace: new BulkPace(),
      passwords,
      fingerprints: new HashFingerprints([]),
      seal: new MarkSeal(['a key']),
      vault: testVault(),
      now: () => 0,
    },
    {
      ...{ run: RUN, onConflict: 'fail', matchBy: 'login', source: undefined },
      ...{ read: () => undefined, hashing: hashingLimit() },
    },
  );
  const chunk = new LineChunk<RowBuffer>({
    firstLine: 1,
    maxLineBytes: 100,
    optimistic: writer.openOptimistic(1),
    pool: new BufferPool(() => new LineChunkBuffers()),
  });
  const bytes = Buffer.from('\n\n');
  chunk.add({ lines: readLines(bytes, 1, 100), bytes });
  return { asked, writer, chunk, lines: new ParsedLines(chunk, () => undefined) };
}

it('copies the rows of an optimistic chunk, and releases their memory before it commits', async () => {
  const { asked, writer, chunk, lines } = setUp({ failures: 0 });
  await writer.import(chunk, lines);
  expect(asked).toEqual(['begin', 'copy', 'release', 'record up to 4']);
  expect(await writer.progress()).toMatchObject({ nextLine: 4 });
});

it('resolves a chunk again after a conflict, this time waiting for locks; rows that may still be sent keep their memory', async () => {
  const { asked, writer, chunk, lines } = setUp({ failures: 1 });
  await writer.import(chunk, lines);
  expect(asked).toEqual(['begin', 'copy', 'begin patient', 'look', 'apply sorted', 'record up to 4']);
});
