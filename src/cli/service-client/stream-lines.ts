import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { openRequest, requireNdjson, silenceProblem } from './call-service.ts';
import {
  isCode,
  problemOfConnection,
  problemOfError,
  ServiceProblem,
  unintelligibleAnswer,
} from './service-problem.ts';

const MAX_RESULT_CHARACTERS = 1024 * 1024;
const CHECKS_PER_TIMEOUT = 10;

/**
 * Maximum characters to send before the service can have refused the stream. When it refuses, it closes the
 * connection, and its answer is lost if more of the body is on the way.
 */
const MAX_UNASKED_CHARACTERS = 8 * 1024;
const REFUSAL_MS = 200;

/** Statuses and codes are any text, because another version of the service may send others. */
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
  onMissing?(user: MissingResult): void;
  /** Called for each received part of the answer, after `onResult` was called with all results in it. */
  onPiece(): void;
  /** Returns whether answers to lines are due. Otherwise the silence of the service is no problem. */
  isWaiting(): boolean;
  timeoutMs: number;
  /** Signal that ends the stream at once. Its reason is thrown. */
  giveUp?: AbortSignal;
}

/**
 * Sends lines and receives results at the same time, in bounded memory. Returns the summary.
 * @throws {ServiceProblem} if the service did not process all lines
 * @throws errors of `lines` and `onResult`
 */
export async function streamLines(stream: LineStream): Promise<JsonObject> {
  const { service, query, timeoutMs } = stream;
  const over = new AbortController();
  const pieces = stream.lines(over.signal);
  let sending: Promise<void> | undefined;
  let watch: NodeJS.Timeout | undefined;
  try {
    // The service must not wait for the conversion of the rows, so the first lines are awaited here.
    const first = await pieces.next();
    stream.giveUp?.throwIfAborted();
    const request = openRequest(service, `/bulk-import/stream?${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        // With `connection: close`, the service would close too early, and its last line could be lost.
        connection: 'keep-alive',
      },
    });
    over.signal.addEventListener('abort', () => request.destroy());
    let isAllSent = false;
    let silence: ServiceProblem | undefined;
    const { giveUp } = stream;
    giveUp?.addEventListener('abort', () => request.destroy(), { signal: over.signal });
    let heardAtMs = performance.now();
    const heard = () => {
      heardAtMs = performance.now();
    };
    watch = setInterval(() => {
      if (!isAllSent && !stream.isWaiting()) heard();
      if (performance.now() - heardAtMs <= timeoutMs) return;
      silence = silenceProblem(timeoutMs);
      request.destroy(silence);
    }, timeoutMs / CHECKS_PER_TIMEOUT);
    const explain = (error: unknown) => {
      giveUp?.throwIfAborted();
      throw silence ?? problemOfConnection(error, service.url);
    };
    const answered = once(request, 'response').catch(explain) as Promise<[IncomingMessage]>;
    sending = send(request, first, pieces).then(() => {
      isAllSent = true;
    });
    const receiving = answered
      .then(([response]) => receive(response, stream, { heard, explain }))
      .then((summary) => {
        if (!isAllSent) throw unintelligibleAnswer();
        return summary;
      });
    const [summary] = await Promise.all([receiving, sending]);
    return summary;
  } finally {
    clearInterval(watch);
    over.abort();
    await sending?.catch(() => {});
    await pieces.return(undefined);
  }
}

/** Returns early, without an error, if the connection is lost: the request reports the reason. */
async function send(
  request: ClientRequest,
  first: IteratorResult<string, undefined>,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => request.once('close', resolve));
  // once() settles `answered` at the first error. Without a listener, a later one would end the process.
  request.on('error', () => {});
  let isRefused = false;
  const answered = new Promise<void>((resolve) =>
    request.once('response', ({ statusCode }) => {
      isRefused = statusCode !== 200;
      resolve();
    }),
  );
  if ((first.value?.length ?? 0) > MAX_UNASKED_CHARACTERS) {
    request.flushHeaders();
    await Promise.race([answered, closed, sleep(REFUSAL_MS, undefined, { ref: false })]);
  }
  let piece = first;
  while (piece.done !== true) {
    // Writing to a connection that the other end has closed would discard received data that is not read yet.
    await eventLoopTurn();
    if (request.destroyed || isRefused) return;
    if (!request.write(piece.value)) {
      await Promise.race([once(request, 'drain').catch(() => {}), closed]);
    }
    piece = await pieces.next();
  }
  request.end();
}

interface Receiver {
  heard(): void;
  /** Throws the abort or the timeout, if there was one, or else the connection error itself. */
  explain(error: unknown): never;
}

async function receive(
  response: IncomingMessage,
  { onResult, onMissing, onPiece }: LineStream,
  { heard, explain }: Receiver,
): Promise<JsonObject> {
  heard();
  await requireNdjson(response).catch(explain);
  let rest = '';
  let last: JsonObject | undefined;
  for await (const piece of piecesOf(response, explain)) {
    heard();
    const text = rest + piece;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (rest.length > MAX_RESULT_CHARACTERS) throw unintelligibleAnswer();
    for (const line of text.slice(0, end).split('\n')) {
      if (line === '') continue;
      // The summary must be the last line of the answer.
      if (last !== undefined) throw unintelligibleAnswer();
      const value = parse(line);
      if (isLineResult(value)) onResult(value);
      else if ('missing' in value) onMissing?.(missingResult(value.missing));
      else last = value;
    }
    onPiece();
  }
  return summaryOf(last);
}

/** Explains errors of the connection. Errors of the consumer are not caught. */
async function* piecesOf(response: IncomingMessage, explain: Receiver['explain']): AsyncGenerator<string> {
  response.setEncoding('utf8');
  try {
    yield* response;
  } catch (error) {
    explain(error);
  }
}

function summaryOf(last: JsonObject | undefined): JsonObject {
  if (last === undefined)
    throw new ServiceProblem('The connection broke before the answer was complete.', { retry: 'often' });
  const { summary, error } = last;
  if (isJsonObject(summary)) return summary;
  if (!isJsonObject(error)) throw unintelligibleAnswer();
  const { code, message } = error;
  if (!isCode(code)) throw unintelligibleAnswer();
  throw problemOfError({ code, message: typeof message === 'string' ? message : '' });
}

function missingResult(value: unknown): MissingResult {
  const { status, externalUserId } = isJsonObject(value) ? value : {};
  if (!isCode(status) || typeof externalUserId !== 'string') throw unintelligibleAnswer();
  return { status, externalUserId };
}

function parse(line: string): JsonObject {
  const value = parseJsonObject(line);
  if (value === undefined) throw unintelligibleAnswer();
  return value;
}

/** Result lines are checked strictly, because their texts go to reports and to the screen. */
function isLineResult(value: JsonObject | LineResult): value is LineResult {
  const { line, status, code, message } = value;
  if (line === undefined) return false;
  const isOne =
    Number.isSafeInteger(line) &&
    isCode(status) &&
    (code === undefined || isCode(code)) &&
    (message === undefined || typeof message === 'string');
  if (!isOne) throw unintelligibleAnswer();
  return true;
}
