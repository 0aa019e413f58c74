import { PRIVATE_ANSWER } from '../server/request-checks.ts';

/** Headers that concern one connection only (RFC 9110, 7.6.1), or that Node has answered (`expect`). */
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

/** Host and API key of this service, which are replaced by those of the core, and the length of the body, which undici writes. */
const OF_CALLER = new Set(['host', 'api-key', 'authorization', 'content-length']);

/** Matches an access token of the core's SAML. It has a dot, which no API key of this service has. */
const ACCESS_TOKEN = /^Bearer [^\s.]+\.[^\s.]+$/;

/**
 * Returns the headers of a request to the core, names and values in turn, unchanged.
 * @param without name of a further header to omit, in lower case
 * @param readsAuthorization whether the core gets an access token from `Authorization`
 */
export function requestHeaders(
  rawHeaders: readonly string[],
  connection: string | undefined,
  { without, readsAuthorization = false }: { without?: string; readsAuthorization?: boolean } = {},
): string[] {
  const listed = listedIn(connection);
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    const lower = name.toLowerCase();
    const isToken = readsAuthorization && lower === 'authorization' && ACCESS_TOKEN.test(value);
    if (OF_CONNECTION.has(lower) || (OF_CALLER.has(lower) && !isToken)) continue;
    if (listed.has(lower) || lower === without) continue;
    kept.push(name, value);
  }
  return kept;
}

/** Headers of answers that may hold data of users, unless the core says otherwise, as for public keys. */
const PRIVATE = Object.entries(PRIVATE_ANSWER);

/** Returns the headers of the core's answer that the caller gets, names and values in turn. */
export function answerHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const listed = listedIn([headers.connection].flat().join());
  const kept: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OF_CONNECTION.has(name) || listed.has(name)) continue;
    if (typeof value === 'string') kept.push(name, value);
    else for (const one of value) kept.push(name, one);
  }
  for (const [name, value] of PRIVATE) if (headers[name] === undefined) kept.push(name, value);
  return kept;
}

const NONE: ReadonlySet<string> = new Set();

/** Headers that this service reads as well. Without them, the core would read another request. */
const READ_HERE: ReadonlySet<string> = new Set(['content-length', 'content-type', 'cdi-version', 'rid']);

/**
 * Returns the header names listed in a `Connection` header, which must not be forwarded. `content-length` and
 * `content-type` are never among them: without its length, a body would be read as another request.
 */
function listedIn(connection = ''): ReadonlySet<string> {
  // Fast path for the values of `Connection` that most callers and cores send.
  if (connection === '' || connection === 'keep-alive' || connection === 'close') return NONE;
  const names = connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return new Set(names.filter((name) => !READ_HERE.has(name)));
}
