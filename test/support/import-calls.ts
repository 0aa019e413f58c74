import { expect } from 'vitest';
import type { RollbackCounts } from '../../src/imports/import-history.ts';
import type { Answer, TestApp } from './app.ts';
import { NDJSON, ndjson, type Report, readReport } from './ndjson.ts';

/** Imports these lines in one stream. Fails unless the import completes. */
export async function importWithId(
  service: TestApp,
  importId: string,
  lines: readonly unknown[],
  query = '',
): Promise<Report> {
  const answer = await stream(service, importId, lines, query);
  const report = readReport(answer.text);
  expect([answer.status, report.error, report.summary?.lines]).toEqual([200, undefined, lines.length]);
  return report;
}

export const stream = (service: TestApp, importId: string, lines: readonly unknown[], query = '') =>
  service.send('POST', `/bulk-import/stream?importId=${importId}${query}`, ndjson(...lines), {
    'content-type': NDJSON,
  });

/** Listing of an import, and response to a rollback. */
export interface ImportBody {
  status: string;
  importId: string;
  rollback?: RollbackCounts;
  [member: string]: unknown;
}

export const rollBack = (service: TestApp, importId: string): Promise<Answer> =>
  service.send('POST', `/bulk-import/imports/${importId}/rollback`);

/** Rolls an import back. Fails unless the rollback completes. Returns the counts that are not 0. */
export async function rolledBack(service: TestApp, importId: string): Promise<Partial<RollbackCounts>> {
  const { status, text } = await rollBack(service, importId);
  const body: ImportBody = JSON.parse(text);
  expect([status, body.status, body.importId]).toEqual([200, 'OK', importId]);
  const { keptUserIds: _, ...counts } = body.rollback ?? {};
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

export async function getImport(service: TestApp, importId: string): Promise<ImportBody | undefined> {
  return JSON.parse((await service.send('GET', `/bulk-import/imports/${importId}`)).text).import;
}
