import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { Passwords } from '../../src/hashing/passwords.ts';
import { BulkPace } from '../../src/imports/bulk-pace.ts';
import type { ImportRequest } from '../../src/imports/import-request.ts';
import type { ChunkLimits } from '../../src/imports/stream/chunk-assembler.ts';
import { MarkSeal } from '../../src/imports/stream/line-marks.ts';
import { ImportBeginner, runImport, type StreamDeps } from '../../src/imports/stream/run-import.ts';
import { ByteBuilder } from '../../src/lib/buffers.ts';
import { HashFingerprints } from '../../src/passwords/hash-fingerprint.ts';
import { createImportStore } from '../../src/postgres/imports/create-import-store.ts';
import { API_KEY } from '../support/app.ts';
import type { TestDatabase } from '../support/database.ts';
import { testVault } from '../support/factors.ts';
import { type Report, readReport } from '../support/ndjson.ts';
import { MAX_LINE_BYTES, NOW } from './model/model-streams.ts';

// Fills released memory with 0xee, so that code which reads it finds no users.
const { clear } = ByteBuilder.prototype;
ByteBuilder.prototype.clear = function (this: ByteBuilder) {
  this.bytes().fill(0xee);
  clear.call(this);
};

/** Limits so small that many chunks are in progress one after the other. */
export const chunkLimits: fc.Arbitrary<ChunkLimits> = fc.record({
  maxLines: fc.integer({ min: 1, max: 6 }),
  maxBytes: fc.constantFrom(300, 1_000_000),
  idleMs: fc.constantFrom(0, 5),
  maxAgeMs: fc.constantFrom(0, 250),
});

/** How a body arrives: the sizes of its pieces, repeated, and whether the sender pauses after each. */
export interface Pace {
  sizes: number[];
  pauses: boolean;
}

export const paces: fc.Arbitrary<Pace> = fc.record({
  sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3000 })), {
    minLength: 1,
    maxLength: 10,
  }),
  pauses: fc.boolean(),
});

/** Point at which an import is interrupted, because the sender disappears or nobody reads the report. */
export interface Cut {
  after: number;
  of: 'bytes' | 'reports';
}

class Gone extends Error {}

async function* piecesOf(bytes: Buffer, { sizes, pauses }: Pace, cut?: Cut): AsyncGenerator<Buffer> {
  const end = cut?.of === 'bytes' ? Math.min(cut.after, bytes.length) : bytes.length;
  let start = 0;
  for (let index = 0; start < end; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(start, Math.min(start + size, end));
    start += size;
    if (pauses) await setImmediate();
  }
  if (cut?.of === 'bytes') throw new Gone();
}

export interface Stream {
  bytes: Buffer;
  pace: Pace;
  limits: ChunkLimits;
}

/** Runs an import. Returns the report, possibly incomplete. */
export async function runStream(
  parts: ImportParts,
  request: Omit<ImportRequest, 'keyName'>,
  { bytes, pace, limits }: Stream,
  cut?: Cut,
): Promise<Report> {
  return runBody(parts, request, piecesOf(bytes, pace, cut), { limits, cut });
}

export interface ImportParts {
  db: TestDatabase['db'];
  passwords: Passwords;
}

/** Runs an import like `runStream`, with a body that the test controls. */
export async function runBody(
  { db, passwords }: ImportParts,
  request: Omit<ImportRequest, 'keyName'>,
  body: AsyncGenerator<Buffer>,
  { limits, cut }: { limits: ChunkLimits; cut?: Cut | undefined },
): Promise<Report> {
  const deps: StreamDeps = {
    imports: createImportStore(db, db),
    pace: new BulkPace(),
    passwords,
    fingerprints: new HashFingerprints([API_KEY]),
    seal: new MarkSeal([API_KEY]),
    vault: testVault(),
    now: () => NOW,
    maxLineBytes: MAX_LINE_BYTES,
    limits,
  };
  const whole = { ...request, keyName: 'tests' };
  const run = await new ImportBeginner(deps.imports).begin(whole);
  let text = '';
  let reports = 0;
  try {
    for await (const report of runImport(deps, whole, run, body)) {
      text += report;
      reports += 1;
      if (cut?.of === 'reports' && reports > cut.after) break;
    }
  } catch (error) {
    if (!(error instanceof Gone)) throw error;
  }
  return readReport(text);
}
