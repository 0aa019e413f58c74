import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ClientGone, onGone } from './client-gone.ts';
import { logFailure, toAppError } from './error-handler.ts';
import type { IdleClock } from './idle-clock.ts';

type Report = AsyncGenerator<string | Buffer>;

export interface ReportOptions {
  importId: string;
  /** Of the sender, who may be silent while it reads. */
  idle: IdleClock;
}

/** Answers with the report of an import, as it comes and as fast as it is read. */
export function sendReport(reply: FastifyReply, report: Report, options: ReportOptions): FastifyReply {
  const whole = paced(withErrorLine(report, reply, options.importId), options.idle);
  const payload = Readable.from(whole, { objectMode: false });
  // A caller who leaves before the first line is no failure of the report.
  onGone(reply, () => payload.destroy(reply.raw.headersSent ? undefined : new ClientGone()));
  return reply
    .header('import-id', options.importId)
    .type('application/x-ndjson; charset=utf-8')
    .send(payload);
}

/** The sender may be silent while it reads. Who does not read is cut off like any other (connections.ts). */
async function* paced(report: Report, idle: IdleClock): Report {
  for await (const piece of report) {
    idle.pause();
    yield piece;
    idle.resume();
  }
}

/** Where an answer that has begun cannot be finished, its last line says why. */
async function* withErrorLine(report: Report, { raw, request }: FastifyReply, importId: string): Report {
  try {
    yield* report;
  } catch (error) {
    // Not of the request, which is destroyed once all of it is read.
    if (raw.destroyed) return;
    const answer = toAppError(error as Error, request);
    logFailure(request, answer, error as Error);
    const { code, message } = answer;
    yield `${JSON.stringify({ error: { code, message }, importId })}\n`;
  }
}
