import { createHash, randomUUID } from 'node:crypto';
import { AppError } from '../lib/errors.ts';
import type { FactorVault } from './factor-vault.ts';
import type { UserFactors } from './user.ts';

const MINUTE_MS = 60_000;

export interface ExportResult {
  users: number;
  /** SHA-256 of all lines of the export with their line breaks, in hexadecimal. */
  sha256: string;
}

/** Returns decrypted factors as members of a JSON object without braces, or '' if they are left out. */
export type OpenFactors = (userId: string, sealed: Buffer) => string;

/** Methods throw AppError STORAGE_UNAVAILABLE while the database cannot be reached. */
export interface ExportStore {
  /** Reason why users cannot be exported: the tables are distributed (Citus). Undefined if they can be exported. */
  readonly obstacle: string | undefined;
  /** Records that an export begins, before any user is read. */
  begin(exportId: string, keyName: string): Promise<void>;
  /**
   * Yields import lines of all users as of one moment, in no particular order, in blocks of whole lines.
   * Returns the number of users. The database statement pauses while the caller does not ask for the next
   * block.
   */
  read(signal: AbortSignal, open: OpenFactors): AsyncGenerator<Buffer, number>;
  /** Counts users with factors by the id of the key that encrypted them. */
  countFactorsByKey(): Promise<{ keyId: Buffer; users: number }[]>;
  /** Records the end of an export. `result` is undefined if the export was aborted. */
  end(exportId: string, result?: ExportResult): Promise<void>;
}

export interface RunningExport {
  exportId: string;
  /** The last line is `{"export":{"users":…,"sha256":"…"}}`. It is missing if the export is incomplete. */
  lines: AsyncGenerator<Buffer | string>;
}

export interface ExportOptions {
  keyName: string;
  signal: AbortSignal;
  maxMinutes: number;
  /** If undefined, factors (TOTP devices, roles, phone numbers) are left out of the export. */
  vault: Pick<FactorVault, 'open' | 'hasKey'> | undefined;
}

/**
 * Begins an export of all users. It is recorded first, so that no hash is read without a record.
 * @throws {AppError} EXPORT_UNAVAILABLE, FACTORS_SECRET_MISSING
 */
export async function exportUsers(store: ExportStore, options: ExportOptions): Promise<RunningExport> {
  if (store.obstacle !== undefined) throw new AppError('EXPORT_UNAVAILABLE', store.obstacle);
  if (options.vault !== undefined) await checkKeys(store, options.vault);
  const exportId = randomUUID();
  await store.begin(exportId, options.keyName);
  return { exportId, lines: recorded(store, exportId, options) };
}

/**
 * Checks that no secret is missing before the first line is sent, because the last user may be the first who needs it.
 */
async function checkKeys(store: ExportStore, vault: Pick<FactorVault, 'hasKey'>): Promise<void> {
  const keys = await store.countFactorsByKey();
  const users = keys.reduce((sum, one) => sum + (vault.hasKey(one.keyId) ? 0 : one.users), 0);
  if (users === 0) return;
  throw new AppError(
    'FACTORS_SECRET_MISSING',
    `TOTP devices, roles or phone numbers were encrypted with a secret that is not configured (users: ${users}). Add the former secret to 'factors_secret', after a comma, or export without them (factors=omit)`,
  );
}

/**
 * Returns factors as members of a JSON object, in the order in which imports store them. After an import of this
 * export, another export therefore has the same bytes.
 */
function factorMembers({ totpDevices, userRoles, phoneNumbers }: UserFactors): string {
  const factors = Object.entries({ totpDevices, userRoles, phoneNumbers });
  return JSON.stringify(Object.fromEntries(factors.filter(([, list]) => list.length > 0))).slice(1, -1);
}

async function* recorded(
  store: ExportStore,
  exportId: string,
  { signal, maxMinutes, vault }: ExportOptions,
): AsyncGenerator<Buffer | string> {
  let result: ExportResult | undefined;
  const late = new AbortController();
  const tooLate = () => {
    const message = `The export took longer than ${maxMinutes} min (export_max_minutes)`;
    late.abort(new AppError('REQUEST_TIMEOUT', message));
  };
  const timer = setTimeout(tooLate, maxMinutes * MINUTE_MS);
  try {
    const open: OpenFactors = (userId, sealed) =>
      vault === undefined ? '' : factorMembers(vault.open(userId, sealed));
    result = yield* digested(store.read(AbortSignal.any([signal, late.signal]), open));
  } finally {
    clearTimeout(timer);
    await store.end(exportId, result);
  }
  yield `${JSON.stringify({ export: result })}\n`;
}

async function* digested(blocks: AsyncGenerator<Buffer, number>): AsyncGenerator<Buffer, ExportResult> {
  const digest = createHash('sha256');
  try {
    for (;;) {
      const next = await blocks.next();
      if (next.done) return { users: next.value, sha256: digest.digest('hex') };
      digest.update(next.value);
      yield next.value;
    }
  } finally {
    // Ends the database statement if the reader of the export stops early.
    await blocks.return(0);
  }
}

export const isExportEnd = (value: object): boolean => 'export' in value && Object.keys(value).length === 1;
