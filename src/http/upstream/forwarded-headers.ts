/** Headers of one connection (RFC 9110, 7.6.1), and `expect`, which Node has answered. */
const OF_CONNECTION = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The core gets its own host and its own key. A caller's key is for this service only. */
const OF_CALLER = new Set(['host', 'api-key', 'authorization']);

/**
 * Returns the headers of a request for the core, names and values in turn, as they were written.
 * @param without further headers to leave out, in lower case
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  without: readonly string[] = [],
): string[] {
  const listed = new Set([...listedIn(connection), ...without]);
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    if (OF_CONNECTION.has(lower) || OF_CALLER.has(lower) || listed.has(lower)) continue;
    kept.push(name, value);
  }
  return kept;
}

/** Returns the headers of an answer of the core for the caller. */
export function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): [name: string, value: string | string[]][] {
  const listed = listedIn([headers.connection].flat().join());
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || OF_CONNECTION.has(name) || listed.has(name) ? [] : [[name, value]],
  );
}

/**
 * Returns the headers that `Connection` lists. A caller could otherwise list `content-length` to have it dropped, so that
 * the body becomes another request.
 */
function listedIn(connection: string | undefined): Set<string> {
  const names = (connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return new Set(names.filter((name) => name !== 'content-length' && name !== 'content-type'));
}
