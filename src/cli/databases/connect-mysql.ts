import { isIP, Socket } from 'node:net';
import mysql from 'mysql2';
import { type ColumnKind, textOfBytes } from '../../sources/containers/sql/bytes.ts';
import type { SourceRecord } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import {
  BATCH_CHARACTERS,
  type DatabaseAddress,
  type DatabaseAsk,
  databaseProblem,
  type ReadRows,
  ROWS_A_BATCH,
  readDatabaseAddress,
} from './database.ts';
import {
  connectAsPlanned,
  SOCKET,
  type TlsOptions,
  type TlsPlan,
  tlsPlan,
  unverifiedWarning,
} from './tls-options.ts';

const CONNECT_MS = 15_000;
/** Time without traffic after which TCP probes check the connection. */
const KEEP_ALIVE_MS = 10_000;
const PORT = 3306;
/** Number of rows that are read ahead. Few, because a row may be large. */
const ROWS_AHEAD = 16;

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
  // For an IP address, the driver would compare the certificate with "localhost".
  if (plan.tls?.checksHost && isIP(host) !== 0)
    throw new CliError(
      `${name}: its TLS certificate is not trusted for an IP address. Use the name of the host that the certificate contains, or use verify_ca.`,
    );
  const warning = unverifiedWarning(plan, host, 'ssl-mode=verify_identity&ssl-ca=ca.pem');
  if (warning !== undefined) warn?.(warning);
  const connect = async (tls: TlsOptions | undefined): Promise<OpenConnection> => {
    signal?.throwIfAborted();
    const opened = openConnection(address, tls, plan, env);
    signal?.addEventListener('abort', opened.destroy);
    try {
      await opened.answerTo<void>((resolve, reject) =>
        opened.connection.connect((error) => (error ? reject(error) : resolve())),
      );
      return opened;
    } catch (error) {
      opened.destroy();
      throw error;
    }
  };
  try {
    const opened = await connectAsPlanned(plan, connect, (error) => /SSL|TLS/.test(codeOf(error)));
    return sessionOf(address, opened, signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw databaseProblem(name, codeOf(error), MYSQL_PROBLEMS);
  }
}

interface OpenConnection {
  connection: mysql.Connection;
  /** Rejects when the connection ends, which the driver reports only to some of those who wait for an answer. */
  lost: Promise<never>;
  /** Waits for an answer, or the end of the connection. */
  answerTo<Answer>(
    ask: (resolve: (answer: Answer) => void, reject: (error: unknown) => void) => void,
  ): Promise<Answer>;
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
  let lose = (_: Error) => {};
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  // Nobody may be waiting at that moment.
  lost.catch(() => {});
  connection.on('error', lose);
  socket.on('close', () => lose(LOST));
  const destroy = () => {
    connection.destroy();
    socket.destroy();
    lose(LOST);
  };
  return { connection, lost, answerTo: (ask) => Promise.race([lost, new Promise(ask)]), destroy };
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
  { connection, lost, answerTo, destroy }: OpenConnection,
  signal: AbortSignal | undefined,
): MysqlSession {
  const explain = (error: unknown): never => {
    signal?.throwIfAborted();
    throw databaseProblem(name, codeOf(error), MYSQL_PROBLEMS);
  };
  return {
    name,
    database,
    ask(sql) {
      const values = mysqlValues();
      return answerTo<Awaited<ReturnType<MysqlSession['ask']>>>((resolve, reject) => {
        const query = connection.query({ sql, typeCast: values.cast }, (error, rows, fields) => {
          if (error) reject(error);
          else resolve({ rows: rows as SourceRecord[], columns: fields?.map((field) => field.name) ?? [] });
        });
        query.on('fields', values.describe);
      }).catch(explain);
    },
    async *readRows(sql) {
      const values = mysqlValues();
      const query = connection.query({ sql, typeCast: values.cast });
      query.on('fields', values.describe);
      const rows = query.stream({ highWaterMark: ROWS_AHEAD });
      lost.catch((error: Error) => rows.destroy(error));
      let batch: SourceRecord[] = [];
      try {
        for await (const row of rows) {
          batch.push(row);
          if (batch.length < ROWS_A_BATCH && values.characters < BATCH_CHARACTERS) continue;
          yield batch;
          batch = [];
          values.characters = 0;
        }
      } catch (error) {
        explain(error);
      } finally {
        // Discards rows that nobody wants any more. Only then does the driver send the next statement.
        connection.resume();
      }
      if (batch.length > 0) yield batch;
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

const MYSQL_PROBLEMS: Readonly<Record<string, string>> = {
  ER_ACCESS_DENIED_ERROR: 'the user or the password is wrong (MYSQL_PWD, or in the URI)',
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: 'it asks for a password. Set MYSQL_PWD',
  ER_DBACCESS_DENIED_ERROR: 'this user may not read the database, or it does not exist',
  ER_BAD_DB_ERROR: 'there is no such database',
  ER_HOST_NOT_PRIVILEGED: 'the server refuses connections from this machine',
  ER_HOST_IS_BLOCKED: 'the server refuses connections from this machine',
  ER_CON_COUNT_ERROR: 'it has no connection left',
  ER_TABLEACCESS_DENIED_ERROR: 'this user may not read a table',
  ER_COLUMNACCESS_DENIED_ERROR: 'this user may not read a column',
  ER_PARSE_ERROR: 'the query is not a single SELECT statement',
  ER_EMPTY_QUERY: 'the query is empty',
  ER_NO_SUCH_TABLE: 'the query names a table that does not exist',
  ER_BAD_FIELD_ERROR: 'the query names a column that does not exist',
  ER_NON_UNIQ_ERROR: 'the query names a column that is in more than one table',
  ER_DUP_FIELDNAME:
    'two columns of the query have the same name. Give one another name: select a.id, b.id as b_id',
  ER_SP_DOES_NOT_EXIST: 'the query names a function that does not exist',
  ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: 'the query would write: only reading is allowed',
  ER_TABLE_DEF_CHANGED: 'a table was changed meanwhile. Run it again: it reads from the start',
  ER_QUERY_INTERRUPTED: 'somebody cancelled the statement',
  ER_QUERY_TIMEOUT: 'the statement was ended by the server: it took too long',
  ER_STATEMENT_TIMEOUT: 'the statement was ended by the server: it took too long',
  ER_SERVER_SHUTDOWN: 'the server is shutting down',
  ER_CONNECTION_KILLED: 'somebody ended the connection. Run it again: it reads from the start',
  ER_SECURE_TRANSPORT_REQUIRED: 'it wants TLS: add ?ssl-mode=required',
  HANDSHAKE_NO_SSL_SUPPORT: 'it has no TLS, which the URI asks for',
  PROTOCOL_CONNECTION_LOST: 'the connection was lost. Run it again: it reads from the start',
  PROTOCOL_SEQUENCE_TIMEOUT: 'it does not answer',
};

/** MySQL's character set `binary`, which marks columns of bytes, but also of numbers and times. */
const BINARY_CHARSET = 63;

const BYTE_TYPES: ReadonlySet<number | undefined> = new Set([
  mysql.Types.STRING,
  mysql.Types.VAR_STRING,
  mysql.Types.VARCHAR,
  mysql.Types.TINY_BLOB,
  mysql.Types.BLOB,
  mysql.Types.MEDIUM_BLOB,
  mysql.Types.LONG_BLOB,
  mysql.Types.GEOMETRY,
]);

function kindOf({ columnType, characterSet, columnLength }: mysql.FieldPacket): ColumnKind {
  if (columnType === mysql.Types.BIT) return 'bits';
  if (characterSet !== BINARY_CHARSET || !BYTE_TYPES.has(columnType)) return undefined;
  return columnType === mysql.Types.STRING && columnLength === 16 ? 'uuid' : 'bytes';
}

/** Converts the values of a query result to the text that a dump of the database would have. */
interface MysqlValues {
  /** Sets the columns before the first row. Undefined for statements without a result. */
  describe(fields: readonly mysql.FieldPacket[] | undefined): void;
  cast: (field: Parameters<Extract<mysql.TypeCast, (...args: never[]) => unknown>>[0]) => string | null;
  /** Size of the values of the current batch of rows. The caller resets it, to limit the size of batches. */
  characters: number;
}

function mysqlValues(): MysqlValues {
  const kinds = new Map<string, ColumnKind>();
  const values: MysqlValues = {
    characters: 0,
    describe(fields = []) {
      for (const field of fields) {
        const kind = kindOf(field);
        if (kind !== undefined) kinds.set(field.name, kind);
      }
    },
    cast(field) {
      const kind = kinds.size === 0 ? undefined : kinds.get(field.name);
      const value = kind === undefined ? field.string('utf8') : textOf(field.buffer(), kind);
      if (value !== null) values.characters += value.length;
      return value;
    },
  };
  return values;
}

function textOf(bytes: Buffer | null, kind: ColumnKind): string | null {
  return bytes === null ? null : textOfBytes(bytes, kind);
}
