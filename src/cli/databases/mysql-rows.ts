import type mysql from 'mysql2';
import type { SourceRecord } from '../../sources/containers/table.ts';
import { BATCH_CHARACTERS, ROWS_A_BATCH } from './database.ts';
import { mysqlValues } from './mysql-values.ts';
import type { Pending } from './pending.ts';

/** Rows of one SQL statement. They are read while the server sends them. */
export interface MysqlRows {
  /** Pauses the connection while the consumer works on a batch, so few rows are buffered. */
  batches(): AsyncGenerator<SourceRecord[]>;
  /** Discards the remaining rows. Until then, the connection can run no other statement. Never rejects. */
  drain(): Promise<void>;
}

export function readMysqlRows(connection: mysql.Connection, sql: string, wait: Pending['wait']): MysqlRows {
  const values = mysqlValues();
  let rows: SourceRecord[] = [];
  let isWanted = true;
  let isOver = false;
  let problem: unknown;
  let wake = () => {};
  const query = connection.query({ sql, typeCast: values.cast });
  query.on('fields', values.describe);
  query.on('result', (row) => {
    if (!isWanted) return;
    rows.push(row as SourceRecord);
    if (rows.length < ROWS_A_BATCH && values.characters < BATCH_CHARACTERS) return;
    connection.pause();
    wake();
  });
  query.on('error', (error) => {
    problem = error;
    isOver = true;
    wake();
  });
  query.on('end', () => {
    isOver = true;
    wake();
  });
  const next = () =>
    wait<void>((resolve, reject) => {
      wake = () => (problem === undefined ? resolve() : reject(problem));
      if (isOver) wake();
      else connection.resume();
    });
  return {
    async *batches() {
      while (!isOver) {
        await next();
        const batch = rows;
        rows = [];
        values.characters = 0;
        if (batch.length > 0) yield batch;
      }
      // The query may have failed while the consumer worked on the last batch. `next` then throws its error.
      if (problem !== undefined) await next();
    },
    async drain() {
      isWanted = false;
      rows = [];
      if (!isOver) await next().catch(() => {});
    },
  };
}
