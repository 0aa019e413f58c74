import { CliError } from '../cli-error.ts';

export interface DatabaseAddress {
  /** The database's URI for messages, without user, password and options. */
  name: string;
  host: string | undefined;
  port: number | undefined;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** Options of the URI by name, in lower case and without hyphens and underscores. */
  options: ReadonlyMap<string, string>;
}

const HOW =
  'Write postgres://user@host:5432/database or mysql://user@host:3306/database, with %40 for an @, %2F for a /, %23 for a # and %3F for a ? in a user or a password. A password is better in PGPASSWORD or MYSQL_PWD.';

/** @throws {CliError} if the URI is malformed; the message does not show any part, which may be a password */
export function readDatabaseAddress(uri: string): DatabaseAddress {
  const broken = new CliError(`The URI of the database cannot be read. ${HOW}`);
  // A URI may have no host (`postgres://ada@/app?host=/run/postgresql`), but URL needs one.
  const whole = uri.replace('@/', '@localhost/');
  if (!URL.canParse(whole)) throw broken;
  const url = new URL(whole);
  const path = url.pathname.replace(/^\//, '');
  // An unescaped `/`, `?` or `#` ends the host too early, so the path or query has the rest of the password.
  if (/[@/]/.test(path) || url.search.includes('@') || url.hash !== '') throw broken;
  let decoded: (string | undefined)[];
  try {
    decoded = [url.hostname.replace(/^\[(.+)\]$/, '$1'), url.username, url.password, path].map(
      (part) => decodeURIComponent(part) || undefined,
    );
  } catch {
    throw broken;
  }
  const [host, user, password, database] = decoded;
  return {
    name: `${url.protocol}//${url.host}${url.pathname}`,
    host,
    port: url.port === '' ? undefined : Number(url.port),
    user,
    password,
    database,
    options: readOptions(url, broken),
  };
}

function readOptions({ searchParams }: URL, broken: CliError): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [given, value] of searchParams) {
    const name = given.toLowerCase().replace(/[-_]/g, '');
    if ((options.get(name) ?? value) !== value) throw broken;
    options.set(name, value);
  }
  return options;
}
