import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

type Handler = (request: IncomingMessage, response: ServerResponse, attempt: number) => unknown;

export interface FakeService {
  url: string;
  /** Streams that were begun. */
  streams: string[];
  requests: IncomingMessage[];
}

/** Starts a service that answers streams with `onStream` and knows no import. */
export async function fakeService(onStream: Handler, onOther: Handler = unknownImport): Promise<FakeService> {
  const streams: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    // The command asks this of each address, without the key.
    if (request.url === '/hello') return response.end('Hello');
    requests.push(request);
    const isStream = request.url?.startsWith('/bulk-import/stream');
    if (!isStream) return onOther(request, response, requests.length);
    streams.push(request.url ?? '');
    return onStream(request, response, streams.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, streams, requests };
}

function unknownImport(_: IncomingMessage, response: ServerResponse): void {
  answer(response, 200, { status: 'UNKNOWN_IMPORT_ID_ERROR' });
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
    .end(text);
}

export const NDJSON = { 'content-type': 'application/x-ndjson; charset=utf-8' };

/**
 * Answers each line that is not blank as the service does. If `onLine` handles a line itself, it returns
 * true.
 */
export async function importLikeTheService(
  request: IncomingMessage,
  response: ServerResponse,
  onLine: (line: number) => boolean | undefined = () => undefined,
): Promise<void> {
  response.writeHead(200, NDJSON);
  let line = 0;
  let lines = 0;
  try {
    for await (const text of createInterface({ input: request })) {
      line += 1;
      if (text === '') continue;
      if (onLine(line)) continue;
      lines += 1;
      response.write(`${JSON.stringify({ line, status: 'CREATED', userId: `user-${line}` })}\n`);
    }
  } catch {
    return;
  }
  response.end(`${JSON.stringify({ summary: { lines, created: lines } })}\n`);
}

/** Starts a TCP server that does not speak HTTP: it sends a greeting, or nothing. */
export async function tcpService(greeting: string | undefined): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      if (greeting !== undefined) socket.end(greeting);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
