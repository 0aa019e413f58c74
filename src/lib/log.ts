import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { AppError } from './errors.ts';

/** Fields of an error that say where it came from and hold nothing that a caller sent. */
const ERROR_FIELDS = [
  'code',
  'constraint',
  'table',
  'column',
  'routine',
  'syscall',
  'address',
  'port',
] as const;

/**
 * What of an error is logged. pino's own serializer would add every property, and those of a Postgres error (detail,
 * where, and the message itself for invalid values) quote rows: e-mails and hashes. So: our own messages, which are
 * public, and the stack below the message; of other errors the type and the fields above.
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

/** The stack without the message that stands before it, whatever that looks like. */
function frames({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const behind = start === -1 ? '' : stack.slice(start + message.length);
  return behind.split('\n').filter((line) => line.startsWith('    at '));
}

/**
 * Our own messages, and those of plain Errors (the driver's "connection terminated", the hash libraries'), hold nothing
 * a caller sent. Those of every other class may: Postgres and JSON errors quote their input, TypeErrors of Node too.
 */
const isPublic = (error: Error) =>
  error instanceof AppError || Object.getPrototypeOf(error) === Error.prototype;

/** A logger that writes JSON lines to `stream`, or to standard output. */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: {
      err: serializeError,
      // Whatever logs a request or a reply by habit logs nothing of it.
      req: () => undefined,
      res: () => undefined,
    },
  };
  return stream === undefined ? pino(options) : pino(options, stream);
}
