import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '../lib/errors.ts';

const MINUTE_MS = 60_000;

/** A finished export. */
export interface ExportResult {
  users: number;
  /** SHA-256 of all lines with their line breaks, in hexadecimal. */
  sha256: string;
  /**
   * Number of users whose TOTP devices, roles or phone numbers the export leaves out. Counted after the lines were
   * read, so users created or changed meanwhile may make it differ.
   */
  withoutFactors: number;
}

/** Reads all users, and keeps a record of who did. Methods throw AppError STORAGE_UNAVAILABLE while the database is away. */
export interface ExportStore {
  /** Reason why this database cannot be exported. Undefined if it can be. */
  readonly obstacle: string | undefined;
  /** Records that an export begins, before anything is read. */
  begin(exportId: string, keyName: string): Promise<void>;
  /**
   * Yields all users as of one moment, in no particular order, in blocks of whole lines. Returns their number. Each
   * line has the form of a line of an import. The database waits while the reader does.
   */
  read(signal: AbortSignal): AsyncGenerator<Buffer, number>;
  /** Counts the users with TOTP devices, roles or phone numbers, which `read` leaves out. */
  countWithFactors(): Promise<number>;
  /**
   * Records the end of an export.
   * @param result undefined if the export broke off
   */
  end(exportId: string, result?: ExportResult): Promise<void>;
}

export interface RunningExport {
  exportId: string;
  /**
   * All lines of the export. The last one is `{"export":{"users":…,"sha256":"…","withoutFactors":…}}`. It is missing
   * if the export is incomplete.
   */
  lines: AsyncGenerator<Buffer | string>;
}

/**
 * Begins to export all users. The export is recorded first, so that no hash is read without a record.
 * @throws {AppError} EXPORT_UNAVAILABLE
 */
export async function exportUsers(
  store: ExportStore,
  { keyName, signal, maxMinutes }: { keyName: string; signal: AbortSignal; maxMinutes: number },
): Promise<RunningExport> {
  if (store.obstacle !== undefined) throw new AppError('EXPORT_UNAVAILABLE', store.obstacle);
  const exportId = randomUUID();
  await store.begin(exportId, keyName);
  return { exportId, lines: recorded(store, exportId, { signal, maxMinutes }) };
}

async function* recorded(
  store: ExportStore,
  exportId: string,
  { signal, maxMinutes }: { signal: AbortSignal; maxMinutes: number },
): AsyncGenerator<Buffer | string> {
  let result: ExportResult | undefined;
  const late = new AbortController();
  const tooLate = () => {
    const message = `The export took longer than ${maxMinutes} min (export_max_minutes)`;
    late.abort(new AppError('REQUEST_TIMEOUT', message));
  };
  const timer = setTimeout(tooLate, maxMinutes * MINUTE_MS);
  try {
    const sent = yield* digested(store.read(AbortSignal.any([signal, late.signal])));
    result = { ...sent, withoutFactors: await store.countWithFactors() };
  } finally {
    clearTimeout(timer);
    await store.end(exportId, result);
  }
  yield `${JSON.stringify({ export: result })}\n`;
}

async function* digested(
  blocks: AsyncGenerator<Buffer, number>,
): AsyncGenerator<Buffer, Omit<ExportResult, 'withoutFactors'>> {
  const digest = createHash('sha256');
  try {
    for (;;) {
      const next = await blocks.next();
      if (next.done) return { users: next.value, sha256: digest.digest('hex') };
      digest.update(next.value);
      yield next.value;
    }
  } finally {
    // If the reader stops early, this ends the statement. After the last block this does nothing.
    await blocks.return(0);
  }
}

/** Returns whether a line is the last line of an export, which describes no user. */
export const isExportEnd = (value: object): boolean => 'export' in value && Object.keys(value).length === 1;
