import type { Answer, TestApp } from './app.ts';
import { BCRYPT } from './example-hashes.ts';

export const NDJSON = 'application/x-ndjson';

export interface ResultLine {
  line: number;
  status: 'CREATED' | 'UPDATED' | 'SKIPPED' | 'FAILED' | 'DEFERRED';
  userId?: string;
  externalUserId?: string;
  code?: string;
  message?: string;
}

export interface SummaryLine {
  lines: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  ms: number;
  algorithms: Record<string, number>;
  classes: Record<'strong' | 'legacy' | 'broken', number>;
  hashes: { algorithm: string; class: string; count: number }[];
  missing?: { found: number; removed: number; kept: number; refused?: string };
}

/** User of an earlier import whom no line names. */
export interface MissingLine {
  status: 'REMOVED' | 'KEPT';
  userId: string;
  externalUserId: string;
}

/** Response to a streamed import, possibly incomplete. */
export interface Report {
  results: ResultLine[];
  missing: MissingLine[];
  /** Undefined if the import did not complete. */
  summary: SummaryLine | undefined;
  /** Reason why the import did not complete. */
  error: { code: string; message: string } | undefined;
  importId: string | undefined;
}

/** Parses a response. Text after the last line break is an incomplete line and is ignored. */
export function readReport(text: string): Report {
  const report: Report = {
    results: [],
    missing: [],
    summary: undefined,
    error: undefined,
    importId: undefined,
  };
  for (const line of text.split('\n').slice(0, -1)) {
    if (report.importId !== undefined) throw new Error(`something follows the last line: ${line}`);
    const value = JSON.parse(line);
    if ('line' in value) report.results.push(value);
    else if ('missing' in value) report.missing.push(value.missing);
    else Object.assign(report, value);
  }
  return report;
}

/** Returns a request body: strings unchanged, anything else as JSON. */
export const ndjson = (...lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

export const userLine = (email: string, passwordHash = BCRYPT.hash) => ({ email, passwordHash });

/** Counts the results by outcome. The summary of a complete report has the same counts. */
export function countResults({
  results,
}: Report): Pick<SummaryLine, 'lines' | 'created' | 'updated' | 'skipped' | 'failed'> {
  const count = (status: ResultLine['status']) => results.filter((result) => result.status === status).length;
  return {
    lines: results.length,
    created: count('CREATED'),
    updated: count('UPDATED'),
    skipped: count('SKIPPED'),
    failed: count('FAILED'),
  };
}

/**
 * Returns the counts of algorithms and classes twice: added up from `hashes`, and as the summary states them.
 * The two must be equal.
 */
export function hashSums({ algorithms, classes, hashes }: SummaryLine): [unknown, unknown] {
  const sums: Record<string, number> = { strong: 0, legacy: 0, broken: 0 };
  for (const { algorithm, class: name, count } of hashes) {
    sums[algorithm] = (sums[algorithm] ?? 0) + count;
    sums[name] = (sums[name] ?? 0) + count;
  }
  const { thirdparty: _, ...ofHashes } = algorithms;
  return [sums, { ...ofHashes, ...classes }];
}

/** Sends a streamed import without a socket. */
export const sendLines = (
  service: TestApp,
  body: string | Buffer,
  query = '',
  headers: Record<string, string | undefined> = {},
): Promise<Answer> =>
  service.send('POST', `/bulk-import/stream${query}`, body, { 'content-type': NDJSON, ...headers });

/** Sends a streamed import and returns the report. Fails the test if the response is not a report. */
export async function importLines(...call: Parameters<typeof sendLines>): Promise<Report> {
  const { status, headers, text } = await sendLines(...call);
  if (status === 200 && headers['content-type'] === `${NDJSON}; charset=utf-8`) return readReport(text);
  throw new Error(`no report: ${status} ${text}`);
}
