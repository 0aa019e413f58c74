import type { Connection } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';

/** A statement that was sent, with its origin. */
export interface Sent {
  text: string;
  /** Path below `src`. */
  file: string;
  line: number;
  /** Name of the function, or empty. */
  name: string;
}

const FRAME =
  /^ *at (?:async )?(?:(\S+) .*?)?\(?(?:file:\/\/)?[^()]*\/src\/(postgres\/[^():]+):(\d+):\d+\)?$/;

/** The file that passes statements on to a connection, where they are recorded. */
const HANDS_ON = 'postgres/client/database.ts';

/** Sender of what begins a transaction. */
const BEGINNING = {
  file: 'postgres/client/connection.ts',
  line: Number.MAX_SAFE_INTEGER,
  name: 'Connection.#sendBegin',
};

/** Records every statement and its sender before it is sent, without rows. */
export class RecordingDatabase extends Database {
  readonly sent: Sent[] = [];

  override query<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) {
    this.#note(text);
    return super.query<Row>(text, values);
  }

  override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return super.connection((connection) => {
      const query = connection.query.bind(connection);
      const copy = connection.copy.bind(connection);
      const copyOut = connection.copyOut.bind(connection);
      const transaction = connection.transaction.bind(connection);
      connection.transaction = (run, begin = 'begin') => {
        // One PostgreSQL gets what begins a transaction together with the first statement.
        if (!connection.engine.splitsMessages) this.sent.push({ text: begin, ...BEGINNING });
        return transaction(run, begin);
      };
      connection.query = (...args: Parameters<Connection['query']>) => {
        this.#note(args[0]);
        return query(...args);
      };
      connection.copy = (copies) => {
        for (const { statement } of copies) this.#note(statement);
        return copy(copies);
      };
      connection.copyOut = (statement, to) => {
        this.#note(statement);
        return copyOut(statement, to);
      };
      return work(connection);
    });
  }

  #note(text: string): void {
    const frames = new Error().stack?.split('\n') ?? [];
    const [name = '', file = '', line = ''] =
      frames.map((frame) => FRAME.exec(frame)?.slice(1)).find((place) => place !== undefined) ?? [];
    if (file !== HANDS_ON) this.sent.push({ text, file, line: Number(line), name });
  }
}
