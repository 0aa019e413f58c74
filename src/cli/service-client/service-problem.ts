import type { IncomingHttpHeaders } from 'node:http';
import { retry } from '../../lib/async/until.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import { printable } from '../terminal/text.ts';

const MAX_MESSAGE = 500;

/**
 * How often a request is retried. `often`: until the time is up. `seldom`: a few times. `never`: the result would be
 * the same.
 */
type Retry = 'often' | 'seldom' | 'never';

/** A failed request to the service. The message tells the operator what is wrong and what to do. */
export class ServiceProblem extends Error {
  readonly retry: Retry;
  /** Error code that the service sent, as listed in docs/errors.md. */
  readonly code: string | undefined;
  /** The service's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    retry: Retry,
    more: { code?: string; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ServiceProblem';
    this.retry = retry;
    this.code = more.code;
    this.retryAfterMs = more.retryAfterMs;
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

const REFUSED = 'A proxy in front of the service refused the request';

/**
 * Explanations of HTTP statuses that come without an error code of the service. Retrying does not help against these.
 */
const STATUSES: Readonly<Record<number, string>> = {
  401: `${REFUSED} (401). Check its access rules.`,
  403: `${REFUSED} (403). Check its access rules.`,
  404: 'There is no user-import-core at this address (404). Does --url lack a path, or name another service?',
  413: 'A proxy in front of the service refuses long bodies (413). Raise its limit (nginx: client_max_body_size 0) or bypass it.',
};

/** Returns the problem that an answer with a status other than 200 means. */
export function problemOfAnswer(status: number, headers: IncomingHttpHeaders, text: string): ServiceProblem {
  const { code, message } = parseJsonObject(text) ?? {};
  const retryAfterMs = retryAfterMsOf(headers);
  if (isCode(code)) return problemOfError(code, message, { retryAfterMs, status });
  if (status >= 300 && status < 400) {
    // Query and fragment of the address are not shown, because they may hold secrets of a proxy.
    const where = headers.location?.split(/[?#]/)[0];
    const to = where === undefined ? '' : ` to ${printable(where)}`;
    return new ServiceProblem(
      `The service redirects (${status}${to}). Pass that address with --url.`,
      'never',
    );
  }
  const known = STATUSES[status];
  if (known !== undefined) return new ServiceProblem(known, 'never');
  if (PASSING_STATUSES.has(status))
    return new ServiceProblem(`The service cannot be reached now (${status}).`, 'often', { retryAfterMs });
  return new ServiceProblem(`The service answered ${status}, and did not say why.`, 'seldom');
}

function problemOfError(
  code: string,
  message: unknown,
  { retryAfterMs, status = 0 }: { retryAfterMs?: number | undefined; status?: number } = {},
): ServiceProblem {
  const said = printable(typeof message === 'string' ? message : code);
  const advice = ADVICE[code] === undefined ? '' : ` (${ADVICE[code]})`;
  const isOurs = code === 'INTERNAL' || code === 'REQUEST_MALFORMED' || status >= 500;
  const isPassing = PASSING_CODES.has(code) || PASSING_STATUSES.has(status);
  return new ServiceProblem(
    `The service says ${code}: ${said.slice(0, MAX_MESSAGE).replace(/\.$/, '')}${advice}.`,
    isPassing ? 'often' : isOurs ? 'seldom' : 'never',
    { code, retryAfterMs },
  );
}

/**
 * Returns the last line of a stream, which shows that the stream is complete.
 * @throws {ServiceProblem} if there is no last line, or if it states an error
 */
export function endOfStream(last: JsonObject | undefined, what: 'answer' | 'export'): JsonObject {
  if (last === undefined)
    throw new ServiceProblem(`The connection broke before the ${what} was complete.`, 'often');
  const { error } = last;
  if (error === undefined) return last;
  if (!isJsonObject(error) || !isCode(error.code)) throw unintelligibleAnswer();
  throw problemOfError(error.code, error.message);
}

export const unintelligibleAnswer = () =>
  new ServiceProblem(
    'The answer of the service cannot be understood: it is damaged, or from another version.',
    'seldom',
  );

/**
 * Returns whether the value has the form of an error code. Anything else may come from another program, and is not
 * shown.
 */
export const isCode = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Z0-9_]{1,64}$/.test(value);

function retryAfterMsOf({ 'retry-after': seconds }: IncomingHttpHeaders): number | undefined {
  if (seconds === undefined || !/^\d{1,6}$/.test(seconds)) return undefined;
  return Math.min(Number(seconds) * 1000, MAX_RETRY_AFTER_MS);
}

/** Explanations of connection errors. All but ENOTFOUND may pass by themselves. */
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
  ENOTFOUND: 'there is no host of that name',
};

/** Explains the error code of a connection, to the service or to a database. */
export const networkProblem = (code: string): string | undefined => CONNECTION[code];

/** Returns the problem that an error of the connection means. The message shows only the origin of `url`. */
export function problemOfConnection(error: unknown, url: string): ServiceProblem {
  if (error instanceof ServiceProblem) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const [what, retry] = explainConnection(code);
  return new ServiceProblem(`${new URL(url).origin}: ${what}.`, retry, { cause: error });
}

function explainConnection(code: string): [what: string, retry: Retry] {
  if (code === 'ECONNREFUSED') return ['nothing listens there. Is the service running? (--url)', 'often'];
  if (code === 'ENOTFOUND') return [`${CONNECTION[code]} (--url)`, 'never'];
  const passing = CONNECTION[code];
  if (passing !== undefined) return [passing, 'often'];
  if (code.startsWith('HPE_')) return ['the server does not speak HTTP (--url)', 'never'];
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return ['the server does not speak TLS; is it http://? (--url)', 'never'];
  if (!/CERT|ISSUER|SIGNATURE/.test(code))
    return [`the connection failed (${code || 'unknown error'})`, 'seldom'];
  const authorities = 'NODE_EXTRA_CA_CERTS can name a file of further authorities';
  return [`its certificate is not trusted (${code}); ${authorities}`, 'never'];
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Maximum number of tries without progress, for `seldom` problems. */
const SELDOM_TRIES = 3;

interface RetryOptions {
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
  { retryForMs, signal, onPause }: RetryOptions,
  work: (progressed: () => void) => Promise<T>,
): Promise<T> {
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
    // Pauses are shortened at random, so that clients that failed together do not return together.
    const shortened = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
    const pauseMs = Math.max(error.retryAfterMs ?? 0, shortened);
    const mostMs = typeof retryForMs === 'number' ? retryForMs : retryForMs(error);
    if (performance.now() + pauseMs - lastProgressAtMs > mostMs) return undefined;
    onPause?.(error, pauseMs);
    return pauseMs;
  };
  return retry(() => work(progressed), decide, signal);
}
