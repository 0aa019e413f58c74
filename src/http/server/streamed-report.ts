import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ClientGone, onGone } from './client-gone.ts';
import { logFailure, toAppError } from './error-handler.ts';
import type { SenderClock } from './sender-clock.ts';

type Report = AsyncGenerator<string | Buffer>;

export interface ReportOptions {
  importId: string;
  /** Clock of the sender. It is paused while the sender has an answer to read. */
  clock: SenderClock;
}

/** Sends the report of an import line by line, no faster than the caller reads. */
export function sendReport(reply: FastifyReply, report: Report, options: ReportOptions): FastifyReply {
  const { importId, clock } = options;
  void reply.header('import-id', importId);
  return sendLines(reply, paced(withErrorLine(report, reply, { importId }), clock));
}

/** Sends the lines of an export, no faster than the caller reads. */
export function sendExport(
  reply: FastifyReply,
  { exportId, lines }: { exportId: string; lines: Report },
): FastifyReply {
  void reply.header('export-id', exportId);
  return sendLines(reply, withErrorLine(lines, reply, { exportId }));
}

function sendLines(reply: FastifyReply, lines: Report): FastifyReply {
  const payload = Readable.from(lines, { objectMode: false });
  // Before the first line, Fastify would log the end of the stream as an error of the route. It does not log
  // ClientGone.
  onGone(reply, () => payload.destroy(reply.raw.headersSent ? undefined : new ClientGone()));
  return reply.type('application/x-ndjson; charset=utf-8').send(payload);
}

/**
 * Pauses the clock of the sender while a piece of the report waits to be read, because a caller may read first and
 * send later. A caller who does not read is disconnected as on any route (connections.ts).
 */
async function* paced(report: Report, clock: SenderClock): Report {
  for await (const piece of report) {
    clock.pause();
    yield piece;
    clock.resume();
  }
}

/** Adds a last line with the error, if an answer that has begun cannot be finished. */
async function* withErrorLine(
  report: Report,
  { raw, request }: FastifyReply,
  id: { importId: string } | { exportId: string },
): Report {
  try {
    yield* report;
  } catch (error) {
    // The response shows whether the caller has gone. The request does not, because Node.js destroys a request after
    // all of it was read.
    if (raw.destroyed) return;
    const answer = toAppError(error as Error, request);
    logFailure(request, answer, error as Error);
    const { code, message } = answer;
    yield `${JSON.stringify({ error: { code, message }, ...id })}\n`;
  }
}
