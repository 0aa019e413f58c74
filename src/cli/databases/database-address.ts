import { Stopped } from '../stopped.ts';

/** Where a database is, and who asks. */
export interface DatabaseAddress {
  /** The URI without what is secret: user, password and options. Shown. */
  name: string;
  host: string | undefined;
  port: number | undefined;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  /** What follows the `?`, names in lower case without hyphens and underscores. */
  options: ReadonlyMap<string, string>;
}

const HOW =
  'Write postgres://user@host:5432/database or mysql://user@host:3306/database, with %40 for an @, %2F for a /, %23 for a # and %3F for a ? in a user or a password. A password is better in PGPASSWORD or MYSQL_PWD.';

/** @throws {Stopped} where the URI is none; it is not shown, as a password may stand anywhere in it */
export function readDatabaseAddress(uri: string): DatabaseAddress {
  const broken = new Stopped(`The URI of the database cannot be read. ${HOW}`);
  // Without a host: `postgres://ada@/app?host=/run/postgresql`.
  const whole = uri.replace('@/', '@localhost/');
  if (!URL.canParse(whole)) throw broken;
  const url = new URL(whole);
  const path = url.pathname.replace(/^\//, '');
  // What should stand before the host: a password with an unescaped sign ends it too early.
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

/** Of two that contradict each other, the reader may have meant either. */
function readOptions({ searchParams }: URL, broken: Stopped): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [given, value] of searchParams) {
    const name = given.toLowerCase().replace(/[-_]/g, '');
    if ((options.get(name) ?? value) !== value) throw broken;
    options.set(name, value);
  }
  return options;
}
