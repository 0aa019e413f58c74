import { CliError } from '../cli-error.ts';
import { isThisMachine } from '../options/service-options.ts';
import { printable } from '../terminal/text.ts';

export interface DatabaseAsk {
  /** Value of `--query`: a SELECT to read instead of the tables. */
  query?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Aborts a hanging statement, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called before the database is read, about a connection that is not verified. */
  warn?(message: string): void;
}

/** Returns whether the argument names a database and not a file. */
export const isDatabase = (argument: string): boolean => /^postgres(?:ql)?:\/\//i.test(argument);

/**
 * Shape of an accepted URI. If user or password had an unescaped `/`, `?`, `#` or `@`, a part of the password would be
 * taken for the host, which messages show.
 */
const SHAPE = /^[a-z]+:\/\/(?:[^@/?#]*@)?[^@/?#]*(?:\/[^@/?#]*)?(?:\?[^@#]*)?$/i;

const HOW =
  'Write postgres://user@host:5432/database, with %40 for an @, %2F for a /, %23 for a # and %3F for a ? in a user or a password. A password is better in PGPASSWORD.';

/** Unknown options whose names match are refused: ignoring them would give less security than requested. */
const SECURITY = /ssl|tls|cert|verif|auth|channel|gss/i;
const KNOWN = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'channel_binding'];
/**
 * Options that are passed to the driver. Others, such as Prisma's `schema`, are left out, because the driver would take
 * them for settings of its own.
 */
const PASSED = new Set([
  ...KNOWN,
  'host',
  'port',
  'user',
  'password',
  'options',
  'application_name',
  'connect_timeout',
]);

interface Connection {
  /** URI for messages, without user and password. It has the options `host` and `port`, and no others. */
  name: string;
  /** URI for the driver. */
  uri: string;
  /** Whether it is certain which server answers: its certificate is verified, or it is behind a Unix socket. */
  isVerified: boolean;
  hasTls: boolean;
}

/**
 * Parses the URI of a database. The default of sslmode is `disable` on this machine without sslrootcert, and otherwise
 * `verify-full`. Only `disable` and `no-verify` switch the check of the certificate off; all other modes count as
 * `verify-full`.
 * @throws {CliError} if the URI is refused; the message shows neither user nor password
 */
export function readDatabaseUri(text: string, { env, warn }: DatabaseAsk): Connection {
  // A URI may have no host (`postgres://ada@/app?host=/run/postgresql`), but the class `URL` needs one.
  const whole = text.replace('@/', '@localhost/');
  if (!SHAPE.test(text) || !URL.canParse(whole) || /%(?![0-9a-f]{2})/i.test(text))
    throw new CliError(`The URI of the database cannot be read. ${HOW}`);
  const url = new URL(whole);
  const { searchParams: options, hostname } = url;
  // The option `host` may be the directory of a socket. If an option is repeated, the first value is shown here, and
  // the URI is refused below.
  const place = ['host', 'port'].flatMap((option) =>
    options.get(option) ? `${option}=${options.get(option)}` : [],
  );
  const name = printable(
    `${url.protocol}//${url.host}${url.pathname}${place.length > 0 ? `?${place.join('&')}` : ''}`,
  );
  const stray = [...options.keys()].find((option) => SECURITY.test(option) && !KNOWN.includes(option));
  if (stray !== undefined)
    throw new CliError(
      `${name}: its option ${stray} is unknown. Use sslmode, sslrootcert, sslcert and sslkey instead.`,
    );
  // The driver uses the last value of a repeated option, but the checks below would look at the first.
  const twice = [...options.keys()].find((option) => options.getAll(option).length > 1);
  if (twice !== undefined) throw new CliError(`${name}: its option ${twice} is given twice.`);
  for (const option of [...options.keys()]) if (!PASSED.has(option)) options.delete(option);
  const host = options.get('host') ?? (hostname || env.PGHOST || 'localhost');
  const isHere = host.startsWith('/') || isThisMachine(host);
  if (!options.has('sslrootcert') && env.PGSSLROOTCERT) options.set('sslrootcert', env.PGSSLROOTCERT);
  const asked = options.get('sslmode') ?? env.PGSSLMODE;
  const mode = asked || (isHere && !options.has('sslrootcert') ? 'disable' : 'verify-full');
  const isOff = mode === 'disable' || mode === 'no-verify';
  if (!isOff && !['allow', 'prefer', 'require', 'verify-ca', 'verify-full'].includes(mode))
    throw new CliError(`${name}: sslmode is verify-full, no-verify or disable.`);
  if (isOff && options.get('channel_binding') === 'require')
    throw new CliError(`${name}: channel_binding=require needs sslmode=verify-full.`);
  if (isOff && !isHere)
    warn?.(
      `The connection to ${host} is not ${mode === 'disable' ? 'encrypted' : 'verified'}: an attacker in the network can read and change what is imported. Leave sslmode out, and name the CA of the server with sslrootcert=ca.pem`,
    );
  options.set('sslmode', isOff ? mode : 'verify-full');
  if (mode === 'disable') for (const one of ['sslrootcert', 'sslcert', 'sslkey']) options.delete(one);
  return { name, uri: url.href, isVerified: host.startsWith('/') || !isOff, hasTls: mode !== 'disable' };
}
