import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import type { SourceRecord } from '../../sources/containers/table.ts';
import { CliError } from '../cli-error.ts';
import { networkProblem } from '../service-client/service-problem.ts';
import { printable } from '../terminal/text.ts';
import { type DatabaseAsk, readDatabaseUri } from './database-uri.ts';

const CONNECT_MS = 15_000;
/** Time without traffic after which TCP probes check the connection. */
const KEEP_ALIVE_MS = 10_000;

interface Rows {
  rows: SourceRecord[];
  columns: readonly string[];
}

/** A connection to a database. All values come as text, as in a dump. */
export interface PostgresSession {
  name: string;
  /** Runs one SQL statement. The server refuses a text with further statements. */
  ask(statement: string): Promise<Rows>;
  /** Ends the connection, even during a statement. */
  close(): Promise<void>;
}

const AS_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/** @throws {CliError} if the database cannot be reached or refuses the user */
export async function connectPostgres(text: string, ask: DatabaseAsk): Promise<PostgresSession> {
  const { env, signal } = ask;
  const { name, uri, isVerified, hasTls } = readDatabaseUri(text, ask);
  const explained = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      throw databaseProblem(name, error);
    }
  };
  const client = await explained(async () => {
    signal?.throwIfAborted();
    return new pg.Client({
      connectionString: uri,
      // Channel binding ties the proof of the password to the TLS certificate, so that a machine in between cannot
      // reuse it.
      enableChannelBinding: hasTls,
      types: AS_TEXT,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'user-import',
    });
  });
  const { connection } = client as unknown as {
    connection: EventEmitter & { stream: Socket; ssl: ConnectionOptions | false };
  };
  // The certificate is checked even if NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
  if (connection.ssl) connection.ssl.rejectUnauthorized ??= true;
  const destroy = () => void connection.stream.destroy();
  // If the password were null, the driver would look for ~/.pgpass, which it has deprecated.
  client.password = client.password || env.PGPASSWORD || '';
  // If the password is a function, the driver calls it before it sends a password. If it throws, no password is sent.
  if (!isVerified)
    connection.on('authenticationCleartextPassword', () => {
      client.password = (() => {
        throw new CliError(
          `${name}: it asks for the unencrypted password, which is sent only to a verified server. Name its CA with sslrootcert=ca.pem, and leave sslmode out.`,
        );
      }) as unknown as string;
    });
  // Without a listener, losing an idle connection would end the process. The next statement reports the loss.
  client.on('error', () => {});
  signal?.addEventListener('abort', destroy);
  await explained(() => client.connect()).catch((error) => {
    destroy();
    throw error;
  });
  return {
    name,
    ask: (statement) =>
      explained(async () => {
        const query = { text: statement, queryMode: 'extended' } as pg.QueryConfig;
        const { rows, fields } = await client.query<SourceRecord>(query);
        return { rows, columns: fields.map((field) => field.name) };
      }),
    async close() {
      signal?.removeEventListener('abort', destroy);
      await client.end().catch(() => {});
    },
  };
}

const AGAIN = 'Run it again: it reads from the start';

/** Next steps by the SQLSTATE of an error. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'Set PGPASSWORD, or correct the user',
  '42501':
    'A privilege is missing, or row-level security hides rows. Use the owner of the tables, or a role with BYPASSRLS',
  '42601': 'The query must be a single SELECT statement',
  '25006': 'The query would write: only reading is allowed',
  '0A000': 'The query would write: only reading is allowed',
  '40001': 'A standby cannot keep the snapshot: read the primary',
  '57P01': AGAIN,
  '57P05': AGAIN,
  '25P03': AGAIN,
};

/**
 * Classes of SQLSTATE whose messages name only objects and settings. Other messages may quote data of rows, and are not
 * shown as they are.
 */
const WITHOUT_DATA = /^(?:08|0A|21|25|28|3D|3F|40|42|53|55|57)/;

/**
 * End of a message with a value that a query cannot convert. In every language, a colon or a quotation mark precedes
 * it.
 */
const FROM_VALUE = /\s*[:"'`«»‹›„“”‚‘’「『].*/s;

/** Explanations of the driver's own errors, which have no code, by the beginning of their texts. */
const DRIVER: readonly (readonly [start: string, why: string])[] = [
  ['timeout expired', 'it does not answer'],
  ['The server does not support SSL', 'it has no TLS. sslmode=disable connects without'],
  ['SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be', 'it asks for a password. Set PGPASSWORD'],
  ['SASL channel binding', 'the kind of its certificate does not support channel binding'],
];

function databaseProblem(name: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const { code, message, path, syscall } = error as NodeJS.ErrnoException;
  const say = (why: string) => new CliError(`${name}: ${why}.`);
  if (code === undefined) {
    const known = DRIVER.find(([start]) => message.startsWith(start))?.[1];
    return say(known ?? `the connection was lost. ${AGAIN}`);
  }
  if (/^[0-9A-Z]{5}$/.test(code) && error instanceof pg.DatabaseError) {
    const text = code.startsWith('22')
      ? message.replace(FROM_VALUE, '')
      : WITHOUT_DATA.test(code)
        ? message
        : '';
    const said = text === '' ? `cannot be read (${code})` : printable(text);
    return say(ADVICE[code] === undefined ? said : `${said}. ${ADVICE[code]}`);
  }
  if (syscall === 'open') return say(`the file ${path} of its TLS options cannot be read (${code})`);
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|ERR_OSSL/.test(code))
    return say(
      `its TLS certificate is not trusted (${code}). Name the CA of the server: ?sslrootcert=ca.pem`,
    );
  return say(networkProblem(code) ?? `cannot be read (${code})`);
}
