import type { Answer, TestApp } from './app.ts';

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

/** How often each outcome was reported; equals the summary of a whole report, but for `ms`. */
export function countResults({ results }: Report): Omit<SummaryLine, 'ms'> {
  const count = (status: ResultLine['status']) => results.filter((result) => result.status === status).length;
  return {
    lines: results.length,
    created: count('CREATED'),
    updated: count('UPDATED'),
    skipped: count('SKIPPED'),
    failed: count('FAILED'),
  };
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
