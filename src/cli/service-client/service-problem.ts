import type { IncomingHttpHeaders } from 'node:http';
import { retry } from '../../lib/async/until.ts';
import { parseJsonObject } from '../../lib/json/json-object.ts';
import { printable } from '../terminal/text.ts';

const MAX_MESSAGE = 500;

/** A failed request to the service. The message tells the operator what is wrong and what to do. */
export class ServiceProblem extends Error {
  /** Error code that the service sent, as listed in docs/errors.md. */
  readonly code: string | undefined;
  /** `often`: until the time is up. `seldom`: a few times. `never`: the result would be the same. */
  readonly retry: 'often' | 'seldom' | 'never';
  /** The service's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { code?: string; retry: ServiceProblem['retry']; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'ServiceProblem';
    this.code = options.code;
    this.retry = options.retry;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  API_KEY_INVALID: 'check USER_IMPORT_API_KEY, or the file of --api-key-file',
  IMPORT_ROLLED_BACK: 'to import these files again, add --new',
  IMPORT_EXPIRED: 'to import these files again, add --new',
  IMPORT_OPTIONS_DIFFER: 'leave --import-id out, or add --new',
  IMPORT_TAKEN_OVER:
    'another run of this tool has taken it over, or a rollback: `user-import status ID` shows its progress',
  HASHING_SECRET_MISSING: 'configure hashing_secrets of the service, or correct --hashing-secret-id',
  SIGNER_KEY_NOT_CONFIGURED:
    'start the service with EXTERNAL_PASSWORD_HASHING_SIGNER_KEY, the base64_signer_key of the hash parameters',
  FACTORS_SECRET_MISSING:
    'an export can leave them out with --without-factors, an import with --mfa password-only',
  RIGHT_MISSING: 'add it to `allow` of this key in api_keys of the service, or use another key',
  NOT_FOUND: 'the service is older than this tool, or --url names another address',
  TENANT_NOT_FOUND: '--url names a tenant: leave it out',
};

const PASSING_CODES = new Set(['OVERLOADED', 'SHUTTING_DOWN', 'STORAGE_UNAVAILABLE', 'REQUEST_TIMEOUT']);
/** HTTP statuses for problems of the service, or of a proxy in front of it, that may pass by themselves. */
const PASSING_STATUSES = new Set([408, 425, 429, 502, 503, 504]);
const MAX_RETRY_AFTER_MS = 60_000;

/** Converts an answer with a status other than 200. */
export function problemOfAnswer(status: number, headers: IncomingHttpHeaders, text: string): ServiceProblem {
  const { code, message } = errorIn(text);
  if (code !== undefined)
    return problemOfError({ code, message: message ?? code }, retryAfterMs(headers), status);
  if (status >= 300 && status < 400) {
    const where = headers.location === undefined ? '' : ` to ${printable(originOf(headers.location))}`;
    return never(`The service redirects (${status}${where}). Pass that address with --url.`);
  }
  if (status === 404)
    return never(
      'There is no user-import-core at this address (404). Does --url lack a path, or name another service?',
    );
  if (status === 401 || status === 403)
    return never(`A proxy in front of the service refused the request (${status}). Check its access rules.`);
  if (status === 413)
    return never(
      'A proxy in front of the service refuses long bodies (413). Raise its limit (nginx: client_max_body_size 0) or bypass it.',
    );
  if (PASSING_STATUSES.has(status))
    return new ServiceProblem(`The service cannot be reached now (${status}).`, {
      retry: 'often',
      ...retryAfterMs(headers),
    });
  return new ServiceProblem(`The service answered ${status}, and did not say why.`, { retry: 'seldom' });
}

/** Converts an error object, which is an answer of its own or a line of a stream. */
export function problemOfError(
  { code, message }: { code: string; message: string },
  more: { retryAfterMs?: number } = {},
  status?: number,
): ServiceProblem {
  const advice = ADVICE[code];
  const said = printable(message).slice(0, MAX_MESSAGE).replace(/\.$/, '');
  const text = `${said}${advice === undefined ? '' : ` (${advice})`}.`;
  const isPassing = PASSING_CODES.has(code) || PASSING_STATUSES.has(status ?? 0);
  const isOurs = code === 'INTERNAL' || code === 'REQUEST_MALFORMED' || (status ?? 0) >= 500;
  return new ServiceProblem(`The service says ${code}: ${text}`, {
    code,
    retry: isPassing ? 'often' : isOurs ? 'seldom' : 'never',
    ...more,
  });
}

export const unintelligibleAnswer = () =>
  new ServiceProblem(
    'The answer of the service cannot be understood: it is damaged, or from another version.',
    {
      retry: 'seldom',
    },
  );

/** Anything that has not the form of an error code may come from another program and is not shown. */
export const isCode = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Z0-9_]{1,64}$/.test(value);

const never = (message: string) => new ServiceProblem(message, { retry: 'never' });

function errorIn(text: string): { code?: string; message?: string } {
  const { code, message } = parseJsonObject(text) ?? {};
  return { ...(isCode(code) && { code }), ...(typeof message === 'string' && { message }) };
}

function retryAfterMs(headers: IncomingHttpHeaders): { retryAfterMs?: number } {
  const seconds = headers['retry-after'];
  if (seconds === undefined || !/^\d{1,6}$/.test(seconds)) return {};
  return { retryAfterMs: Math.min(Number(seconds) * 1000, MAX_RETRY_AFTER_MS) };
}

/** Returns the URL without query and fragment, which may hold secrets of a proxy. */
function originOf(location: string): string {
  return location.split(/[?#]/)[0] ?? '';
}

/** Explanations of connection errors that may pass by themselves. */
const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ECONNABORTED: 'the connection broke',
  ETIMEDOUT: 'nothing answers',
  ENETUNREACH: 'the network is unreachable',
  EHOSTUNREACH: 'the host is unreachable',
  ENETDOWN: 'the network is down',
  EAI_AGAIN: 'its name cannot be looked up now',
};

/** Explains the error code of a connection, to the service or to a database. */
export const networkProblem = (code: string): string | undefined =>
  CONNECTION[code] ?? (code === 'ENOTFOUND' ? 'there is no host of that name' : undefined);

/** The message shows only the origin of `url`. */
export function problemOfConnection(error: unknown, url: string): ServiceProblem {
  if (error instanceof ServiceProblem) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const say = (what: string, retry: ServiceProblem['retry']) =>
    new ServiceProblem(`${new URL(url).origin}: ${what}.`, { retry, cause: error });
  if (code === 'ECONNREFUSED') return say('nothing listens there. Is the service running? (--url)', 'often');
  if (code === 'ENOTFOUND') return say(`${networkProblem(code)} (--url)`, 'never');
  const passing = networkProblem(code);
  if (passing !== undefined) return say(passing, 'often');
  if (code.startsWith('HPE_')) return say('the server does not speak HTTP (--url)', 'never');
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return say('the server does not speak TLS; is it http://? (--url)', 'never');
  if (/CERT|ISSUER|SIGNATURE/.test(code))
    return say(
      `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS can name a file of further authorities`,
      'never',
    );
  return say(`the connection failed (${code || 'unknown error'})`, 'seldom');
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Maximum number of tries without progress, for `seldom` problems. */
const SELDOM_TRIES = 3;

export interface RetryOptions {
  /** Time without progress after which requests are no longer retried. It may depend on the problem. */
  retryForMs: number | ((problem: ServiceProblem) => number);
  signal?: AbortSignal | undefined;
  onPause?(problem: ServiceProblem, pauseMs: number): void;
}

/**
 * Calls `work` until it succeeds. Progress resets the pauses and the time limit.
 * @param work must call `progressed` when it gets further than in any earlier attempt
 * @throws the last ServiceProblem if it cannot pass or the time is up, and any other error at once
 */
export function withRetries<T>(
  options: RetryOptions,
  work: (progressed: () => void) => Promise<T>,
): Promise<T> {
  const { retryForMs, signal, onPause } = options;
  let lastProgressAtMs = performance.now();
  let tries = 0;
  const progressed = () => {
    lastProgressAtMs = performance.now();
    tries = 0;
  };
  const decide = (error: unknown) => {
    if (!(error instanceof ServiceProblem) || error.retry === 'never') return undefined;
    signal?.throwIfAborted();
    tries += 1;
    if (error.retry === 'seldom' && tries >= SELDOM_TRIES) return undefined;
    const pauseMs = pauseAfter(tries, error.retryAfterMs);
    const mostMs = typeof retryForMs === 'number' ? retryForMs : retryForMs(error);
    if (performance.now() + pauseMs - lastProgressAtMs > mostMs) return undefined;
    onPause?.(error, pauseMs);
    return pauseMs;
  };
  return retry(() => work(progressed), decide, signal);
}

/** Pauses are shortened at random, so that clients that failed together do not return together. */
function pauseAfter(tries: number, leastMs = 0): number {
  const mostMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS);
  return Math.max(leastMs, mostMs * (0.5 + Math.random() / 2));
}
