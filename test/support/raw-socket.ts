import { connect, type Socket } from 'node:net';
import { API_KEY, type TestApp } from './app.ts';

/** Client that sends raw bytes. */
export interface RawSocket {
  socket: Socket;
  text(): string;
  /** Resolves to everything received, once the connection is closed. */
  closed: Promise<string>;
}

export function rawSocket(url: string, bytes = ''): RawSocket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve(text));
  });
  if (bytes !== '') socket.write(bytes, 'latin1');
  return { socket, text: () => text, closed };
}

/**
 * Returns the text of a request with the API key. `headers` override the defaults; undefined removes a
 * header.
 */
export function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string | undefined> = {},
  body = '',
): string {
  const all = { host: 'x', 'api-key': API_KEY, ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Returns the status codes of the responses in a text. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

export const openConnections = ({ app }: TestApp): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
