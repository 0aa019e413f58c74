import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from './database-address.ts';

/** Mode bits that let other users read the password file, which is then ignored as in libpq. */
const ACCESS_BY_OTHERS = 0o077;

/**
 * Lines of ~/.pgpass are `host:port:database:user:password`. `*` matches anything, and a backslash escapes
 * `:` and `\`.
 * https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export function postgresPassword(address: DatabaseAddress, env: NodeJS.ProcessEnv): string | undefined {
  return address.password ?? (env.PGPASSWORD || undefined) ?? fromFile(address, env);
}

function fromFile(
  { host = 'localhost', port = 5432, database, user }: DatabaseAddress,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const path = env.PGPASSFILE || join(homedir(), '.pgpass');
  let text: string;
  try {
    const { mode } = statSync(path);
    if ((mode & ACCESS_BY_OTHERS) !== 0 && process.platform !== 'win32') return undefined;
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database ?? user, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/g)?.map((field) => field.replace(/:$/, '')) ?? [];
    const fits = wanted.every((value, at) => fields[at] === '*' || unescaped(fields[at]) === value);
    if (fits && fields[4]) return unescaped(fields[4]);
  }
  return undefined;
}

const unescaped = (field: string | undefined) => field?.replace(/\\(.)/g, '$1');
