import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { readText, silent } from './call-service.ts';
import { createdLine } from './created-line.ts';
import { openRequest } from './open-request.ts';
import {
  garbled,
  isCode,
  problemOfAnswer,
  problemOfConnection,
  problemOfError,
  ServiceProblem,
} from './service-problem.ts';

/** Longest line of an answer: far above a message of the service. */
const MAX_RESULT_CHARACTERS = 1024 * 1024;
/** How often it is looked whether the service is still there, in parts of the timeout. */
const LOOKS = 10;

/**
 * A service that refuses a stream says why and closes, with the body unread: its answer is lost then, if more of it is on the way.
 * A body of more than this is therefore sent only when there was no refusal for a moment, in ms.
 */
const MAX_UNASKED_CHARACTERS = 8 * 1024;
const REFUSAL_MS = 200;

/** What the service says of a line. */
export interface LineResult {
  line: number;
  status: string;
  code?: string;
  message?: string;
}

export interface LineStream {
  service: ServiceAddress;
  /** Of `/bulk-import/stream`, encoded. */
  query: string;
  /** Text of whole lines, in pieces of some ten kilobytes. `signal` aborts when no more are wanted. */
  lines(signal: AbortSignal): AsyncGenerator<string>;
  /** Takes each result. What it throws ends the stream. */
  onResult(result: LineResult): void;
  /** Called after some results. */
  onPiece(): void;
  /** Does the service owe an answer? While it does not, it may be silent. */
  isWaiting(): boolean;
  timeoutMs: number;
  /** Ends the stream, however far it is, with its reason. */
  giveUp?: AbortSignal;
}

/**
 * Sends lines and takes what comes of them at the same time, in bounded memory. Returns the summary.
 * @throws {ServiceProblem} where the service did not come to the end of them
 * @throws what `lines` or `onResult` throw
 */
export async function streamLines(stream: LineStream): Promise<JsonObject> {
  const { service, query, timeoutMs } = stream;
  const over = new AbortController();
  const pieces = stream.lines(over.signal);
  let sending: Promise<void> | undefined;
  let watch: NodeJS.Timeout | undefined;
  try {
    // The service would be asked to wait for a conversion that has not begun.
    const first = await pieces.next();
    stream.giveUp?.throwIfAborted();
    const request = openRequest(service, `/bulk-import/stream?${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        // Asked to close it, the service would break the connection under what is still sent: its last line could be lost.
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
      silence = silent(timeoutMs);
      request.destroy(silence);
    }, timeoutMs / LOOKS);
    /** What a broken connection throws says nothing of the silence for which it was broken. */
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
        if (!isAllSent) throw garbled();
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

/** Sends the pieces no faster than they are taken. Ends early, and in silence, when the connection is gone: its error says why. */
async function send(
  request: ClientRequest,
  first: IteratorResult<string, undefined>,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => request.once('close', resolve));
  // Whoever waits for the response is told of the first; without a listener a later one would end the process.
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
    // What has come is read first: to write to a connection that is closed there would lose it.
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
  /** Throws what a connection that broke means. */
  explain(error: unknown): never;
}

async function receive(
  response: IncomingMessage,
  { onResult, onPiece }: LineStream,
  { heard, explain }: Receiver,
): Promise<JsonObject> {
  heard();
  if (response.statusCode !== 200) {
    const text = await readText(response).catch(explain);
    throw problemOfAnswer(response.statusCode ?? 0, response.headers, text);
  }
  if (!/^application\/x-ndjson\b/.test(response.headers['content-type'] ?? ''))
    throw new ServiceProblem('What answers is not user-import-core. (--url)', { retry: 'never' });
  let rest = '';
  let last: JsonObject | undefined;
  for await (const piece of piecesOf(response, explain)) {
    heard();
    const text = rest + piece;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (rest.length > MAX_RESULT_CHARACTERS) throw garbled();
    for (const line of text.slice(0, end).split('\n')) {
      if (line === '') continue;
      // Nothing comes after the last line.
      if (last !== undefined) throw garbled();
      const value = createdLine(line) ?? parse(line);
      if (isLineResult(value)) onResult(value);
      else last = value;
    }
    onPiece();
  }
  return summaryOf(last);
}

/** What the response throws is told from what is thrown while its pieces are looked at. */
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
    throw new ServiceProblem('The connection broke: the answer has no end.', { retry: 'often' });
  const { summary, error } = last;
  if (isJsonObject(summary)) return summary;
  if (!isJsonObject(error)) throw garbled();
  const { code, message } = error;
  if (!isCode(code)) throw garbled();
  throw problemOfError({ code, message: typeof message === 'string' ? message : '' });
}

function parse(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below.
  }
  throw garbled();
}

/** @throws {ServiceProblem} for one that no line has: its words go into reports and onto the screen */
function isLineResult(value: JsonObject | LineResult): value is LineResult {
  const { line, status, code, message } = value;
  if (line === undefined) return false;
  const isOne =
    Number.isSafeInteger(line) &&
    isCode(status) &&
    (code === undefined || isCode(code)) &&
    (message === undefined || typeof message === 'string');
  if (!isOne) throw garbled();
  return true;
}
