import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { ServiceRequest } from './call-service.ts';
import { endOfStream, isCode, unintelligibleAnswer } from './service-problem.ts';

const MAX_RESULT_CHARACTERS = 1024 * 1024;

/**
 * If the first lines are longer than this, they are sent only after a pause in which the service can refuse the stream.
 * When it refuses, it closes the connection, and its answer is lost if more of the body is on the way.
 */
const MAX_UNASKED_CHARACTERS = 8 * 1024;
const REFUSAL_MS = 200;

const HEADERS = {
  'content-type': 'application/x-ndjson',
  // With `connection: close`, the service would close too early, and its last line could be lost.
  connection: 'keep-alive',
};

/**
 * The service's result for a line. Statuses and codes may be any text, because another version of the service may send
 * others.
 */
export interface LineResult {
  line: number;
  status: string;
  code?: string;
  message?: string;
}

interface MissingResult {
  status: string;
  externalUserId: string;
}

interface LineStream {
  service: ServiceAddress;
  query: string;
  /** Yields whole import lines, in texts of some ten kilobytes. `signal` aborts when no more lines are needed. */
  lines(signal: AbortSignal): AsyncGenerator<string>;
  /** Called with the service's result for each line. An error that it throws ends the stream. */
  onResult(result: LineResult): void;
  /** Called with each missing user: a user of an earlier import whom no line names. */
  onMissing(user: MissingResult): void;
  /** Called for each received part of the answer, after `onResult` was called with all results in it. */
  onPiece(): void;
  /** Returns whether answers to lines are due. Otherwise, the timeout does not count. */
  isWaiting(): boolean;
  timeoutMs: number;
  /** Signal that ends the stream at once. Its reason is thrown. */
  giveUp: AbortSignal;
}

/**
 * Sends lines and receives results at the same time, in bounded memory. Returns the summary.
 * @throws {ServiceProblem} if the service did not process all lines
 * @throws errors of `lines` and `onResult`
 */
export async function streamLines(stream: LineStream): Promise<JsonObject> {
  const { service, timeoutMs, giveUp } = stream;
  const over = new AbortController();
  const pieces = stream.lines(over.signal);
  let call: ServiceRequest | undefined;
  let sending: Promise<void> | undefined;
  let isAllSent = false;
  try {
    // The first lines are awaited before the request begins, so that the service does not wait for the conversion of
    // rows.
    const first = await pieces.next();
    giveUp.throwIfAborted();
    call = new ServiceRequest(service, `/bulk-import/stream?${stream.query}`, {
      ...{ method: 'POST', headers: HEADERS, timeoutMs, signal: giveUp },
      isDue: () => isAllSent || stream.isWaiting(),
    });
    sending = send(call.request, first, pieces).then(() => {
      isAllSent = true;
    });
    const receiving = receive(call.ndjson(), stream).then((summary) => {
      if (!isAllSent) throw unintelligibleAnswer();
      return summary;
    });
    const [summary] = await Promise.all([receiving, sending]);
    return summary;
  } finally {
    over.abort();
    call?.close();
    await sending?.catch(() => {});
    await pieces.return(undefined);
  }
}

/**
 * Sends all lines. Returns early, without an error, if the connection is lost or the service has refused: `receive`
 * reports the reason.
 */
async function send(
  request: ClientRequest,
  first: IteratorResult<string, undefined>,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  const closed = new Promise((resolve) => request.once('close', resolve));
  let isRefused = false;
  request.once('response', ({ statusCode }) => {
    isRefused = statusCode !== 200;
  });
  if ((first.value?.length ?? 0) > MAX_UNASKED_CHARACTERS) {
    const answered = new Promise((resolve) => request.once('response', resolve));
    request.flushHeaders();
    await Promise.race([answered, closed, sleep(REFUSAL_MS, undefined, { ref: false })]);
  }
  for (let piece = first; piece.done !== true; piece = await pieces.next()) {
    // During this turn of the event loop, Node notices if the service has closed the connection. Writing to a closed
    // connection would discard received data that is not read yet.
    await eventLoopTurn();
    if (request.destroyed || isRefused) return;
    if (!request.write(piece.value)) await Promise.race([once(request, 'drain').catch(() => {}), closed]);
  }
  request.end();
}

async function receive(
  answer: AsyncGenerator<Buffer>,
  { onResult, onMissing, onPiece }: LineStream,
): Promise<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  let last: JsonObject | undefined;
  for await (const piece of answer) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_RESULT_CHARACTERS) throw unintelligibleAnswer();
    for (const line of lines) {
      if (line === '') continue;
      const value = parseJsonObject(line);
      // The summary must be the last line of the answer.
      if (value === undefined || last !== undefined) throw unintelligibleAnswer();
      if (isLineResult(value)) onResult(value);
      else if (value.line !== undefined) throw unintelligibleAnswer();
      else if (value.missing !== undefined) onMissing(missingResult(value.missing));
      else last = value;
    }
    onPiece();
  }
  const { summary } = endOfStream(last, 'answer');
  if (!isJsonObject(summary)) throw unintelligibleAnswer();
  return summary;
}

function missingResult(value: unknown): MissingResult {
  const { status, externalUserId } = isJsonObject(value) ? value : {};
  if (!isCode(status) || typeof externalUserId !== 'string') throw unintelligibleAnswer();
  return { status, externalUserId };
}

/** Result lines are checked strictly, because their texts go to reports and to the screen. */
const isLineResult = (value: JsonObject | LineResult): value is LineResult =>
  Number.isSafeInteger(value.line) &&
  isCode(value.status) &&
  (value.code === undefined || isCode(value.code)) &&
  (value.message === undefined || typeof value.message === 'string');
