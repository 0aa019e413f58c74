import type { EventEmitter } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { SourceRecord } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import { type DatabaseAddress, type DatabaseAsk, databaseProblem, readDatabaseAddress } from './database.ts';
import {
  connectAsPlanned,
  SOCKET,
  type TlsDefaults,
  type TlsOptions,
  type TlsPlan,
  tlsPlan,
  unverifiedWarning,
} from './tls-options.ts';

const CONNECT_MS = 15_000;
/** Time without traffic after which TCP probes check the connection. */
const KEEP_ALIVE_MS = 10_000;
/** Maximum time to wait until the server has closed the connection. */
const END_MS = 2_000;

export interface Rows {
  rows: SourceRecord[];
  columns: readonly string[];
}

/** Errors never quote messages of the database, which may contain data. Values are text, as in a dump. */
export interface PostgresSession {
  name: string;
  /** Runs one SQL statement. The server refuses a text with further statements. */
  ask(statement: string): Promise<Rows>;
  /** Runs several statements of this tool in one round trip. */
  askAll(statements: readonly string[]): Promise<Rows[]>;
  /** Always resolves, within END_MS. */
  close(): Promise<void>;
}

/** @throws {CliError} if the database cannot be reached or refuses the user */
export async function connectPostgres(
  uri: string,
  { env, signal, warn }: DatabaseAsk,
): Promise<PostgresSession> {
  const address = withOptions(readDatabaseAddress(uri), env);
  const { name } = address;
  const plan = address.host.startsWith('/') ? SOCKET : tlsPlan(address, tlsDefaults(env));
  const warning = unverifiedWarning(plan, address.host, 'sslmode=verify-full&sslrootcert=ca.pem');
  if (warning !== undefined) warn?.(warning);
  const connect = async (tls: TlsOptions | undefined): Promise<Attempt> => {
    signal?.throwIfAborted();
    const attempt = clientOf(address, tls, plan, env);
    const end = () => attempt.socket.destroy();
    signal?.addEventListener('abort', end);
    try {
      await attempt.client.connect();
      if (attempt.isUnbound()) throw problem('NO_CHANNEL_BINDING');
      return attempt;
    } catch (error) {
      end();
      throw error;
    } finally {
      signal?.removeEventListener('abort', end);
    }
  };
  try {
    return sessionOf(name, await connectAsPlanned(plan, connect, isOfTls), signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof CliError ? error : databaseProblem(name, codeOf(error), EXPLANATIONS);
  }
}

function isOfTls(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'NO_TLS' || code === '28000' || /SSL|TLS|EPROTO/.test(code);
}

function tlsDefaults(env: NodeJS.ProcessEnv): TlsDefaults {
  return { mode: env.PGSSLMODE, ca: env.PGSSLROOTCERT, cert: env.PGSSLCERT, key: env.PGSSLKEY };
}

/** Adds what the URI's host part lacks: from its options (`?host=…`), then from variables such as PGHOST. */
function withOptions(address: DatabaseAddress, env: NodeJS.ProcessEnv): PostgresAddress {
  const { options, host, port, user, password, database } = address;
  return {
    ...address,
    host: options.get('host') ?? host ?? (env.PGHOST || 'localhost'),
    port: port ?? Number(options.get('port') ?? (env.PGPORT || 5432)),
    user: user ?? options.get('user') ?? (env.PGUSER || env.USER || undefined),
    password: password ?? options.get('password'),
    database: database ?? options.get('dbname') ?? (env.PGDATABASE || undefined),
  };
}

type PostgresAddress = DatabaseAddress & { host: string };

interface Attempt {
  client: pg.Client;
  socket: Socket;
  /** Whether the server ignored `channel_binding=require`. */
  isUnbound(): boolean;
}

function clientOf(
  address: PostgresAddress,
  tls: TlsOptions | undefined,
  { isVerified }: TlsPlan,
  env: NodeJS.ProcessEnv,
): Attempt {
  const { host, port, user, database } = address;
  const socket = new Socket();
  const { checksHost, ...options } = tls ?? { checksHost: false };
  const binding = bindingOf(address);
  const mustBind = binding === 'require';
  let asked: AuthRequest | undefined;
  const client = new pg.Client({
    host,
    port,
    user,
    database,
    // A function, because the driver would replace an empty password text with one from other sources.
    password: () => {
      if (asked === 'authenticationCleartextPassword' && !isVerified) throw problem('PASSWORD_WANTED');
      if (asked !== 'authenticationSASL' && mustBind) throw problem('NO_CHANNEL_BINDING');
      return postgresPassword(address, env) ?? '';
    },
    // Channel binding ties the proof of the password to the TLS certificate, so that nobody can pass it on.
    enableChannelBinding: tls !== undefined && binding !== 'disable',
    ssl: tls !== undefined && { ...options, ...(!checksHost && { checkServerIdentity: () => undefined }) },
    stream: () => socket,
    types: AS_TEXT,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'user-import',
  });
  // The listeners must run before the client asks for the password.
  const { connection } = client as unknown as { connection: EventEmitter };
  for (const request of AUTH_REQUESTS)
    connection.on(request, (message: { mechanisms?: readonly string[] }) => {
      asked = request;
      if (mustBind && request === 'authenticationSASL' && !message.mechanisms?.includes(BINDING))
        connection.emit('error', problem('NO_CHANNEL_BINDING'));
    });
  // If an idle connection is lost, the next statement reports it.
  client.on('error', () => {});
  return { client, socket, isUnbound: () => mustBind && asked !== 'authenticationSASL' };
}

function bindingOf({ name, options }: DatabaseAddress): string {
  const binding = options.get('channelbinding') ?? 'prefer';
  if (['disable', 'prefer', 'require'].includes(binding)) return binding;
  throw new CliError(`${name}: channel_binding is disable, prefer or require.`);
}

const AUTH_REQUESTS = [
  'authenticationCleartextPassword',
  'authenticationMD5Password',
  'authenticationSASL',
] as const;
type AuthRequest = (typeof AUTH_REQUESTS)[number];
const BINDING = 'SCRAM-SHA-256-PLUS';

const problem = (code: string) => Object.assign(new Error(code), { code });

const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

function sessionOf(
  name: string,
  { client, socket }: Attempt,
  signal: AbortSignal | undefined,
): PostgresSession {
  const destroy = () => socket.destroy();
  signal?.addEventListener('abort', destroy);
  const run = async <Result>(query: () => Promise<Result>): Promise<Result> => {
    try {
      return await query();
    } catch (error) {
      signal?.throwIfAborted();
      throw databaseProblem(name, codeOf(error), EXPLANATIONS);
    }
  };
  return {
    name,
    ask: (statement) =>
      run(async () => {
        const query = { text: statement, queryMode: 'extended' } as pg.QueryConfig;
        return rowsOf(await client.query<SourceRecord>(query));
      }),
    askAll: (statements) =>
      run(async () => {
        const results: unknown = await client.query(statements.join(';\n'));
        return [results].flat().map((result) => rowsOf(result as pg.QueryResult<SourceRecord>));
      }),
    async close() {
      signal?.removeEventListener('abort', destroy);
      // `client.end` waits for a running statement.
      const timer = setTimeout(destroy, END_MS);
      await client.end().catch(() => {});
      clearTimeout(timer);
      destroy();
    },
  };
}

const rowsOf = ({ rows, fields }: pg.QueryResult<SourceRecord>): Rows => ({
  rows,
  columns: fields.map((field) => field.name),
});

/** Error codes for the driver's own errors, which have no code, by the beginning of their texts. */
const TEXTS: readonly (readonly [start: string, code: string])[] = [
  ['timeout expired', 'NO_ANSWER'],
  ['Connection terminated due to connection timeout', 'NO_ANSWER'],
  ['The server does not support SSL connections', 'NO_TLS'],
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be', 'NO_PASSWORD'],
  ['SASL channel binding', 'NO_BINDING_HASH'],
];

function codeOf(error: unknown): string {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (typeof code === 'string') return code;
  return TEXTS.find(([start]) => message.startsWith(start))?.[1] ?? 'LOST';
}

/** Explanations of errors by SQLSTATE. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  NO_BINDING_HASH:
    'the kind of its certificate does not support channel binding. Add channel_binding=disable',
  NO_PASSWORD: 'it asks for a password. Set PGPASSWORD, or name a file in PGPASSFILE',
  '28P01': 'the user or the password is wrong (PGPASSWORD, PGPASSFILE, or in the URI)',
  '28000': 'the server refuses this user from this machine (its pg_hba.conf; it may want sslmode=require)',
  '3D000': 'there is no such database',
  '53300': 'it has no connection left',
  '57P03': 'it is starting up or shutting down',
  '57P01': 'the connection was ended by the server. Run it again: it reads from the start',
  '57P05': 'the connection was ended by the server. Run it again: it reads from the start',
  '25P03': 'the connection was ended by the server. Run it again: it reads from the start',
  '57014': 'the statement was ended by the server: it took too long, or somebody cancelled it',
  '40001': 'the snapshot was ended by the server: a standby cannot keep it. Read the primary',
  '42501':
    'this user may not read all of a table: a privilege is missing, or row-level security hides rows. Use the owner of the tables, or a role with BYPASSRLS',
  '42601': 'the query is not a single SELECT statement',
  '42P01': 'the query names a table that does not exist',
  '42703': 'the query names a column that does not exist',
  '42702': 'the query names a column that is in more than one table',
  '42883': 'the query names a function that does not exist, or compares different types',
  '22P02': 'the query casts a value to a type that it does not have',
  '25006': 'the query would write: only reading is allowed',
  '0A000': 'the query would write: only reading is allowed',
};

/** Mode bits that let other users read the password file, which is then ignored as in libpq. */
const ACCESS_BY_OTHERS = 0o077;

/**
 * Lines of ~/.pgpass are `host:port:database:user:password`. `*` matches anything, and a backslash escapes
 * `:` and `\`.
 * https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
function postgresPassword(address: DatabaseAddress, env: NodeJS.ProcessEnv): string | undefined {
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
