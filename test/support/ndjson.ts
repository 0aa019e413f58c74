import type { Answer, TestApp } from './app.ts';
import { BCRYPT } from './example-hashes.ts';

export const NDJSON = 'application/x-ndjson';

export interface ResultLine {
  line: number;
  status: 'CREATED' | 'UPDATED' | 'SKIPPED' | 'FAILED';
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
}

/** The response to a streamed import, or as much of it as came. */
export interface Report {
  results: ResultLine[];
  /** Undefined where the import did not come to its end. */
  summary: SummaryLine | undefined;
  /** Why it did not. */
  error: { code: string; message: string } | undefined;
  importId: string | undefined;
}

/** Reads whole lines; what follows the last line break broke off and is left out. */
export function readReport(text: string): Report {
  const report: Report = { results: [], summary: undefined, error: undefined, importId: undefined };
  for (const line of text.split('\n').slice(0, -1)) {
    if (report.importId !== undefined) throw new Error(`something follows the last line: ${line}`);
    const value = JSON.parse(line);
    if ('line' in value) report.results.push(value);
    else Object.assign(report, value);
  }
  return report;
}

/** A body: texts as they are, anything else as JSON. */
export const ndjson = (...lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

/** A line that imports a user with a password hash. */
export const userLine = (email: string, passwordHash = BCRYPT.hash) => ({ email, passwordHash });

/** How often each outcome was reported; the summary of a whole report says the same. */
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

/** What the counts of algorithms and classes come to. They agree with each other where the two sums are alike. */
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

/** As `sendLines`, and returns the report. Fails the test when there is none. */
export async function importLines(...call: Parameters<typeof sendLines>): Promise<Report> {
  const { status, headers, text } = await sendLines(...call);
  if (status === 200 && headers['content-type'] === `${NDJSON}; charset=utf-8`) return readReport(text);
  throw new Error(`no report: ${status} ${text}`);
}
