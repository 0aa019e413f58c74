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
  // Node of Citus, in the form `host:port`.
  'node',
] as const;

/**
 * Returns what of an error is logged. pino's own serializer would add every property, and those of a Postgres error (detail,
 * where, and for invalid values the message itself) quote rows: e-mails and hashes. The message is therefore logged only if it
 * is public. The type, the stack below the message and the fields above are always logged.
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

/** The stack without the message before it, of whatever lines that consists. */
function frames({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const behind = start === -1 ? '' : stack.slice(start + message.length);
  return behind.split('\n').filter((line) => line.startsWith('    at '));
}

/**
 * Is the message free of what callers sent? Our own are, and those of plain Errors (of the database driver and the hash
 * libraries). Messages of any other class may quote it: Postgres and JSON errors do, and Node's TypeErrors.
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
      // Fastify and plugins may log requests and replies by habit: nothing of them is written.
      req: () => undefined,
      res: () => undefined,
    },
  };
  return stream === undefined ? pino(options) : pino(options, stream);
}
