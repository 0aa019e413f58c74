import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { AppError } from './errors.ts';
import { CONTROL_CHARACTERS } from './text/characters.ts';

/** Members of an error that show where it came from, and contain nothing that a caller sent. */
const ERROR_FIELDS = [
  'code',
  'constraint',
  'table',
  'column',
  'routine',
  'syscall',
  'address',
  'port',
  // Node of a Citus cluster, as `host:port`.
  'node',
] as const;

/**
 * Returns the members of an error that may be logged. pino's own serializer would log all properties. In a PostgreSQL
 * error, some (detail, where, and for invalid values also the message) quote rows with e-mails and hashes.
 */
function serializeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const fields = Object.fromEntries(
    ERROR_FIELDS.flatMap((field) => (field in error ? [[field, Reflect.get(error, field)]] : [])),
  );
  return {
    type: error.name,
    ...fields,
    ...(isPublic(error) && { message: error.message }),
    stack: frames(error),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}

/**
 * Returns the stack frames of an error. The message before them is cut off, because it may quote what a caller sent.
 */
function frames({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const behind = start === -1 ? '' : stack.slice(start + message.length);
  return behind.split('\n').filter((line) => line.startsWith('    at '));
}

/**
 * Returns whether the message of an error may be logged. AppErrors and plain Errors (from the database driver and the
 * hash libraries) contain nothing that callers sent. Other classes may quote input, such as PostgreSQL errors, JSON
 * errors and TypeErrors.
 */
const isPublic = (error: Error) =>
  error instanceof AppError || Object.getPrototypeOf(error) === Error.prototype;

export function createLogger(level: string, stream?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: {
      err: serializeError,
      // Left out, because Fastify and plugins may log a whole request or reply, which may hold secrets.
      req: () => undefined,
      res: () => undefined,
    },
  };
  return pino(options, stream ?? standardOutput());
}

const COLOURS: Readonly<Record<string, 'yellow' | 'red'>> = { warn: 'yellow', error: 'red', fatal: 'red' };

/**
 * Returns a line of the log as people read it in a terminal: `12:14:21 warn a message code=57P01`. The frames
 * of an error follow only at the levels error and fatal, one a line.
 */
export function readableLine(line: string): string {
  const { level, time, msg = '', err, ...others } = JSON.parse(line);
  const members = Object.entries({ ...others, ...shownError(err) }).map(
    ([name, value]) => `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = `${String(level).padEnd(5)} ${msg}${members.join('')}`.replace(CONTROL_CHARACTERS, ' ');
  const frames: string[] = level === 'error' || level === 'fatal' ? (err?.stack ?? []) : [];
  // https://no-color.org
  const colour = process.env.NO_COLOR ? undefined : COLOURS[level];
  return [
    `${String(time).slice(11, 19)} ${colour === undefined ? text : styleText(colour, text)}`,
    ...frames.map((frame) => `           ${frame.trim()}`),
    '',
  ].join('\n');
}

/** Returns the members of an error that was logged, and of its cause. */
const shownError = (err?: { stack?: unknown; cause?: object }): object => {
  const { stack: _, cause, ...members } = err ?? {};
  return { ...members, ...(cause !== undefined && { cause: shownError(cause) }) };
};

/**
 * Returns the standard output for the log. It stops writing when its terminal is closed. Otherwise the error of writing
 * would end the process, which would then try for ever to write its last lines.
 */
function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: false });
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') throw error;
    const ignore = () => {};
    Object.assign(stream, { write: ignore, flush: ignore, flushSync: ignore, end: ignore });
  });
  if (isatty(1)) return { write: (line) => stream.write(readableLine(line)) };
  joinLines(stream);
  return stream;
}

/**
 * Makes a stream write the lines of one turn of the event loop together, because a system call costs more than a line.
 * The stream is flushed when the process exits, also by an exception.
 */
function joinLines(stream: ReturnType<typeof pino.destination>): void {
  let lines = '';
  const [write, flushSync] = [stream.write.bind(stream), stream.flushSync.bind(stream)];
  const writeAll = () => {
    const all = lines;
    lines = '';
    if (all !== '') write(all);
  };
  stream.write = (line) => {
    if (lines === '') setImmediate(writeAll);
    lines += line;
    return true;
  };
  stream.flushSync = () => {
    // Otherwise `write` would hand the lines to another thread, and `flushSync` would not wait for it.
    Object.assign(stream, { minLength: Number.MAX_VALUE });
    writeAll();
    Object.assign(stream, { minLength: 0 });
    flushSync();
  };
}
