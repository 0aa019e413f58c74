import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import type { Connection, Queryable } from '../../../src/postgres/client/connection.ts';
import { copySnapshot } from '../../../src/postgres/client/copy-snapshot.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const PARTS = [1, 2, 3];
/** So many rows of so many bytes that no buffer on the way holds those of one part. */
const ROWS = 2000;
const BYTES = 5000;

/** Returns the parts of a table: one statement for each number of `PARTS`. */
const partsOf = async () =>
  PARTS.map((part) => `copy (select row from notes where part = ${part}) to stdout (format binary)`);

let database: TestDatabase;
const add = (from: number, to: number) =>
  database.db.query(`insert into notes select part, part || '-' || n || repeat('.', ${BYTES})
    from generate_series(${from}, ${to}) n, unnest('{${PARTS}}'::int[]) part`);
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  await database.db.query('create table notes (part int, row text)');
  await add(1, ROWS);
});
afterAll(() => database.drop());

function useNotes({ size = 5, Pool = Database } = {}) {
  const { uri, db: admin } = database;
  const db = new Pool({ uri, size, timeoutMs: 10_000, onIdleError: () => {} });
  onTestFinished(() => db.close());
  const copy = (options: Partial<Parameters<typeof copySnapshot>[1]> = {}) =>
    copySnapshot(db, {
      partsOf,
      rewrite: (row) => row,
      signal: new AbortController().signal,
      ...options,
    });
  /** Numbers of the parts that are being copied, and the processes that do so. */
  const running = () =>
    admin.query<{ part: string; pid: number }>(
      `select right(substring(query from 'part = .'), 1) as part, pid from pg_stat_activity
       where datname = current_database() and query like 'copy %' and state = 'active' order by 1`,
    );
  return { db, admin, copy, running };
}

/** Reads a copy to its end. Returns its distinct rows and the number that it returned. */
async function readAll(copy: AsyncGenerator<Buffer, number>) {
  const blocks: Buffer[] = [];
  for (;;) {
    const next = await copy.next();
    if (next.done) {
      const rows = Buffer.concat(blocks).toString().split('\n').slice(0, -1);
      return { rows: new Set(rows), copied: rows.length, returned: next.value };
    }
    blocks.push(next.value);
  }
}

const partsCopied = async (running: () => Promise<{ part: string }[]>) =>
  (await running()).map(({ part }) => Number(part));

const COMPLETE = { copied: PARTS.length * ROWS, returned: PARTS.length * ROWS };

describe('a copy in parts', () => {
  it('runs on two connections', async () => {
    const { copy, running } = useNotes();
    const rows = copy();
    const first = await rows.next();
    await expect.poll(() => partsCopied(running)).toEqual([1, 2]);
    const all = await readAll(rows);
    expect(all.returned).toBe(COMPLETE.returned);
    expect(all.copied + String(first.value).split('\n').length - 1).toBe(COMPLETE.copied);
  });

  it('takes no connection that others would wait for', async () => {
    const { copy, running } = useNotes({ size: 2 });
    const rows = copy();
    await rows.next();
    expect(await partsCopied(running)).toEqual([1]);
    expect(await readAll(rows)).toMatchObject({ returned: COMPLETE.returned });
  });

  it('sees one moment on both connections', async () => {
    const { admin, copy } = useNotes();
    onTestFinished(() => void admin.query(`delete from notes where row like '_-0.%'`));
    const changing = async (connection: Queryable) => {
      // The transaction sees the moment of its first statement.
      await connection.query('select 1');
      await add(0, 0);
      return partsOf();
    };
    const all = await readAll(copy({ partsOf: changing }));
    expect(all).toMatchObject(COMPLETE);
    expect(all.rows.size).toBe(COMPLETE.copied);
  });

  it('is complete when the second connection cannot see the same moment', async () => {
    let refusals = 0;
    // A pooler may connect to another server.
    class OfTwoServers extends Database {
      override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
        return super.connection((connection) => {
          const query = connection.query.bind(connection);
          connection.query = (text: string, values?: readonly unknown[]) => {
            if (!text.startsWith('set transaction snapshot')) return query(text, values);
            refusals += 1;
            return query(`set transaction snapshot '00000003-00000000-1'`);
          };
          return work(connection);
        });
      }
    }
    const { copy, db } = useNotes({ Pool: OfTwoServers });
    // The second connection is open already, so that it takes part.
    await Promise.all([db.query('select pg_sleep(0.1)'), db.query('select pg_sleep(0.1)')]);
    expect(await readAll(copy())).toMatchObject(COMPLETE);
    expect(refusals).toBe(1);
    await expect.poll(() => db.spareConnections).toBe(5);
  });

  it.each([0, 1])('ends with an error when connection %i is lost, on the other one, too', async (lost) => {
    const { admin, copy, db, running } = useNotes();
    const rows = copy();
    await rows.next();
    await expect.poll(() => partsCopied(running)).toEqual([1, 2]);
    await admin.query('select pg_terminate_backend($1::int)', [(await running())[lost]?.pid]);
    await expect(readAll(rows)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await expect.poll(running).toEqual([]);
    await expect.poll(() => db.spareConnections).toBe(5);
    expect(await readAll(copy())).toMatchObject(COMPLETE);
  });

  it.each(PARTS)('ends with the error of a row of part %i', async (part) => {
    const { copy, db, running } = useNotes();
    const rewrite = (row: Buffer) => {
      if (row.toString().startsWith(`${part}-1000.`)) throw new AppError('INTERNAL', 'cannot be read');
      return row;
    };
    await expect(readAll(copy({ rewrite }))).rejects.toThrow('cannot be read');
    await expect.poll(running).toEqual([]);
    await expect.poll(() => db.spareConnections).toBe(5);
    expect(await readAll(copy())).toMatchObject(COMPLETE);
  });

  it.each([
    ['its reader leaves', async (rows: AsyncGenerator<Buffer, number>) => void (await rows.return(0))],
    [
      'its signal ends',
      async (rows: AsyncGenerator<Buffer, number>, end: AbortController) => {
        end.abort(new AppError('REQUEST_TIMEOUT', 'too late'));
        await expect(readAll(rows)).rejects.toThrow('too late');
      },
    ],
  ])('ends both statements when %s', async (_, end) => {
    const { copy, db, running } = useNotes();
    const controller = new AbortController();
    const rows = copy({ signal: controller.signal });
    await rows.next();
    await expect.poll(() => partsCopied(running)).toEqual([1, 2]);
    await end(rows, controller);
    await expect.poll(running).toEqual([]);
    await expect.poll(() => db.spareConnections).toBe(5);
    expect(await readAll(copy())).toMatchObject(COMPLETE);
  });

  it('sends what begins the transaction, if it is the first statement', async () => {
    const { db } = useNotes();
    const to = new PassThrough();
    const statement = `copy (select current_setting('transaction_read_only')) to stdout (format binary)`;
    const { signal } = new AbortController();
    await db.connection((connection) =>
      connection.transaction(
        () => connection.copyOut(statement, { to, rewrite: (row) => row, signal }),
        'begin read only',
      ),
    );
    expect(String(to.read())).toBe('on\n');
  });

  it('waits for a slow reader', async () => {
    const { copy, running } = useNotes();
    const received: number[] = [0, 0, 0, 0];
    const rewrite = (row: Buffer) => {
      const part = Number(String.fromCharCode(row[0] ?? 0));
      received[part] = (received[part] ?? 0) + 1;
      return row;
    };
    const rows = copy({ rewrite });
    await rows.next();
    await expect.poll(() => partsCopied(running)).toEqual([1, 2]);
    const sum = () => received.reduce((a, b) => a + b);
    await expect.poll(async () => sum() === (await new Promise((r) => setTimeout(r, 100, sum())))).toBe(true);
    expect(sum() * BYTES).toBeLessThan((COMPLETE.copied * BYTES) / 2);
    expect(await readAll(rows)).toMatchObject({ returned: COMPLETE.returned });
  });
});
