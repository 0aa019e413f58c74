import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ClientGone, onGone } from './client-gone.ts';
import { logFailure, toAppError } from './error-handler.ts';
import type { SenderClock } from './sender-clock.ts';

type Report = AsyncGenerator<string | Buffer>;

export interface ReportOptions {
  importId: string;
  clock: SenderClock;
}

/** Sends lines no faster than the client reads them. */
export function sendReport(reply: FastifyReply, report: Report, options: ReportOptions): FastifyReply {
  const { importId, clock } = options;
  void reply.header('import-id', importId);
  return sendLines(reply, paced(withErrorLine(report, reply, { importId }), clock));
}

/** Sends lines no faster than the client reads them. */
export function sendExport(
  reply: FastifyReply,
  { exportId, lines }: { exportId: string; lines: Report },
): FastifyReply {
  void reply.header('export-id', exportId);
  return sendLines(reply, withErrorLine(lines, reply, { exportId }));
}

function sendLines(reply: FastifyReply, lines: Report): FastifyReply {
  const payload = Readable.from(lines, { objectMode: false });
  // If the client leaves before the first line, Fastify would log an error, unless it is ClientGone.
  onGone(reply, () => payload.destroy(reply.raw.headersSent ? undefined : new ClientGone()));
  return reply.type('application/x-ndjson; charset=utf-8').send(payload);
}

/**
 * A client may read first and send later, so its silence does not count while it has lines to read. A client
 * who does not read at all is disconnected as on any route (connections.ts).
 */
async function* paced(report: Report, clock: SenderClock): Report {
  for await (const piece of report) {
    clock.pause();
    yield piece;
    clock.resume();
  }
}

/** The status was already sent, so a last line states an error. */
async function* withErrorLine(
  report: Report,
  { raw, request }: FastifyReply,
  id: { importId: string } | { exportId: string },
): Report {
  try {
    yield* report;
  } catch (error) {
    // Node.js destroys the request itself as soon as it was read completely, even if the client is there.
    if (raw.destroyed) return;
    const answer = toAppError(error as Error, request);
    logFailure(request, answer, error as Error);
    const { code, message } = answer;
    yield `${JSON.stringify({ error: { code, message }, ...id })}\n`;
  }
}
