import { CliError } from '../cli-error.ts';

/** Address of a database, and the user to connect as. */
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

/**
 * Parses the URI of a database.
 * @throws {CliError} if the URI is malformed; the message does not show it, because any part may be a
 * password
 */
export function readDatabaseAddress(uri: string): DatabaseAddress {
  const broken = new CliError(`The URI of the database cannot be read. ${HOW}`);
  // A URI may have no host, such as `postgres://ada@/app?host=/run/postgresql`. URL needs one, so a
  // placeholder is inserted.
  const whole = uri.replace('@/', '@localhost/');
  if (!URL.canParse(whole)) throw broken;
  const url = new URL(whole);
  const path = url.pathname.replace(/^\//, '');
  // An unescaped `/`, `?` or `#` in a password ends the host of the URI too early. The rest of the password
  // then becomes path, query or fragment.
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

/**
 * Reads the options after the `?` of a database URI. An option with two different values makes the URI
 * invalid.
 */
function readOptions({ searchParams }: URL, broken: CliError): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [given, value] of searchParams) {
    const name = given.toLowerCase().replace(/[-_]/g, '');
    if ((options.get(name) ?? value) !== value) throw broken;
    options.set(name, value);
  }
  return options;
}
