import { isIP, Socket } from 'node:net';
import mysql from 'mysql2';
import type { SourceRecord } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import type { DatabaseAsk, ReadRows } from './database.ts';
import { type DatabaseAddress, readDatabaseAddress } from './database-address.ts';
import { databaseProblem } from './database-problem.ts';
import { MYSQL_PROBLEMS } from './mysql-problems.ts';
import { readMysqlRows } from './mysql-rows.ts';
import { mysqlValues } from './mysql-values.ts';
import { newPending, type Pending } from './pending.ts';
import { SOCKET, type TlsOptions, type TlsPlan, tlsPlan, unverifiedWarning } from './tls-options.ts';

const CONNECT_MS = 15_000;
/** Time without traffic after which TCP probes check the connection. */
const KEEP_ALIVE_MS = 10_000;
const PORT = 3306;

/** Errors never quote messages of the database, which may contain data. Values are text, as in a dump. */
export interface MysqlSession {
  name: string;
  database: string | undefined;
  /** Runs one SQL statement. The server refuses a text with further statements. */
  ask(statement: string): Promise<{ rows: SourceRecord[]; columns: readonly string[] }>;
  /** Yields rows as they arrive. The server waits while the consumer is busy. */
  readRows: ReadRows;
  close(): void;
}

/** @throws {CliError} if the database cannot be reached or refuses the user */
export async function connectMysql(uri: string, { env, signal, warn }: DatabaseAsk): Promise<MysqlSession> {
  const address = readDatabaseAddress(uri);
  const { name } = address;
  const { host = 'localhost' } = address;
  const plan = socketPath(address) === undefined ? tlsPlan(address) : SOCKET;
  const { attempts } = plan;
  // For an IP address, the driver would compare the certificate with "localhost".
  if (attempts[0]?.checksHost && isIP(host) !== 0)
    throw new CliError(
      `${name}: its TLS certificate is not trusted for an IP address. Use the name of the host that the certificate contains, or use verify_ca.`,
    );
  const warning = unverifiedWarning(plan, host, 'ssl-mode=verify_identity&ssl-ca=ca.pem');
  if (warning !== undefined) warn?.(warning);
  for (const [index, tls] of attempts.entries()) {
    signal?.throwIfAborted();
    const opened = openConnection(address, tls, plan, env);
    signal?.addEventListener('abort', opened.destroy);
    try {
      await opened.pending.wait<void>((resolve, reject) =>
        opened.connection.connect((error) => (error ? reject(error) : resolve())),
      );
      return sessionOf(address, opened, signal);
    } catch (error) {
      opened.destroy();
      signal?.throwIfAborted();
      const code = codeOf(error);
      // If TLS is only preferred, the last attempt is made without TLS, as MySQL's own clients do.
      if (index === attempts.length - 1 || !/SSL|TLS/.test(code))
        throw databaseProblem(name, code, MYSQL_PROBLEMS);
    }
  }
  throw databaseProblem(name, 'NO_TLS');
}

interface OpenConnection {
  connection: mysql.Connection;
  pending: Pending;
  destroy(): void;
}

const LOST = Object.assign(new Error('the connection was lost'), { code: 'LOST' });

function openConnection(
  address: DatabaseAddress,
  tls: TlsOptions | undefined,
  { isVerified }: TlsPlan,
  env: NodeJS.ProcessEnv,
): OpenConnection {
  const { user, password, database } = address;
  const socket = new Socket();
  const pending = newPending();
  const { checksHost, ...options } = tls ?? { checksHost: false };
  const connection = mysql.createConnection({
    user: user ?? env.USER ?? '',
    password: password ?? env.MYSQL_PWD ?? '',
    ...(database !== undefined && { database }),
    ...(address.host !== undefined && { host: address.host }),
    ...(tls !== undefined && { ssl: { ...options, verifyIdentity: checksHost } }),
    ...(isVerified ? { enableCleartextPlugin: true } : { authPlugins: PROOFS_ONLY }),
    stream: () => connected(socket, address),
    connectTimeout: CONNECT_MS,
    charset: 'utf8mb4',
    multipleStatements: false,
    // The flag forbids LOAD DATA LOCAL, by which a server requests files of this machine.
    flags: ['-LOCAL_FILES'],
  });
  connection.on('error', (error) => pending.end(error));
  socket.on('close', () => pending.end(LOST));
  const destroy = () => {
    connection.destroy();
    socket.destroy();
    pending.end(LOST);
  };
  return { connection, pending, destroy };
}

const refusePassword = () => () => {
  throw Object.assign(new Error('the password is not sent'), { code: 'PASSWORD_WANTED' });
};

const PERFORM_FULL_AUTHENTICATION = 4;

/**
 * Authentication plugins for unverified servers, which the driver tries before its own. They never send the
 * password, not even encrypted with a key from the server.
 */
const PROOFS_ONLY: Record<string, mysql.AuthPlugin> = {
  mysql_clear_password: refusePassword,
  sha256_password: refusePassword,
  caching_sha2_password: (options) => {
    const answer = mysql.authPlugins.caching_sha2_password({})(options);
    return (data) =>
      data.length === 1 && data[0] === PERFORM_FULL_AUTHENTICATION ? refusePassword()() : answer(data);
  },
};

function connected(socket: Socket, address: DatabaseAddress): Socket {
  const path = socketPath(address);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  socket.setNoDelay(true);
  return path === undefined
    ? socket.connect(address.port ?? PORT, address.host ?? 'localhost')
    : socket.connect(path);
}

const socketPath = ({ host, options }: DatabaseAddress) =>
  options.get('socket') ??
  options.get('socketpath') ??
  options.get('unixsocket') ??
  (host?.startsWith('/') ? host : undefined);

function sessionOf(
  { name, database }: DatabaseAddress,
  { connection, pending, destroy }: OpenConnection,
  signal: AbortSignal | undefined,
): MysqlSession {
  const wait: Pending['wait'] = async (work) => {
    try {
      return await pending.wait(work);
    } catch (error) {
      signal?.throwIfAborted();
      throw databaseProblem(name, codeOf(error), MYSQL_PROBLEMS);
    }
  };
  /** Settles when the rest of the last result is discarded. Only then can the next statement run. */
  let rest: Promise<void> = Promise.resolve();
  return {
    name,
    database,
    async ask(sql) {
      await rest;
      const values = mysqlValues();
      return wait((resolve, reject) => {
        const query = connection.query({ sql, typeCast: values.cast }, (error, rows, fields) => {
          if (error) reject(error);
          else resolve({ rows: rows as SourceRecord[], columns: fields?.map((field) => field.name) ?? [] });
        });
        query.on('fields', values.describe);
      });
    },
    async *readRows(statement) {
      await rest;
      const reading = readMysqlRows(connection, statement, wait);
      try {
        yield* reading.batches();
      } finally {
        rest = reading.drain();
      }
    },
    close() {
      signal?.removeEventListener('abort', destroy);
      destroy();
    },
  };
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'LOST';
}
