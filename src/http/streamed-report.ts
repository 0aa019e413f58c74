import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ClientGone, onGone } from './client-gone.ts';
import { toAppError } from './error-handler.ts';
import type { IdleClock } from './idle-clock.ts';

type Report = AsyncGenerator<string | Buffer>;

export interface ReportOptions {
  importId: string;
  /** Of the sender, who may be silent while it reads. */
  idle: IdleClock;
  /** Longest a caller may take nothing of what waits for it, in ms. */
  idleMs: number;
}

/** Answers with the report of an import, as it comes and as fast as it is read. */
export function sendReport(reply: FastifyReply, report: Report, options: ReportOptions): FastifyReply {
  const whole = paced(withLastWord(report, reply, options.importId), reply.request.raw.socket, options);
  const payload = Readable.from(whole, { objectMode: false });
  // Fastify does so, but not for a response that waits behind another, and hears of no error until it sends.
  payload.on('error', () => {});
  onGone(reply, () => payload.destroy(reply.raw.headersSent ? undefined : new ClientGone()));
  return reply
    .header('import-id', options.importId)
    .type('application/x-ndjson; charset=utf-8')
    .send(payload);
}

/** Cuts off a caller who stops reading, and would hold what an import holds for ever. */
async function* paced(report: Report, socket: Socket, { idle, idleMs }: ReportOptions): Report {
  // Node destroys a socket on which nothing moves for so long: whoever reads slowly is not meant. Injected requests
  // have none that could.
  const cutOffAfter = (ms: number) => socket.setTimeout?.(ms);
  for await (const piece of report) {
    cutOffAfter(idleMs);
    idle.pause();
    yield piece;
    idle.resume();
    cutOffAfter(0);
  }
  // The end is still to be taken.
  cutOffAfter(idleMs);
}

/** Where an answer that has begun cannot be finished, its last line says why. */
async function* withLastWord(report: Report, { raw, request }: FastifyReply, importId: string): Report {
  try {
    yield* report;
  } catch (error) {
    // Not of the request, which is destroyed once all of it is read.
    if (raw.destroyed) return;
    const { code, message, status } = toAppError(error as Error, request);
    if (status >= 500 && code !== 'SHUTTING_DOWN') request.log.error({ err: error }, message);
    yield `${JSON.stringify({ error: { code, message }, importId })}\n`;
  }
}
