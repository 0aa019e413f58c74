import { expect, it } from 'vitest';
import { BufferPool } from '../../../src/lib/buffers/buffer-pool.ts';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import type { Copy } from '../../../src/postgres/client/copy-in.ts';
import { CopyBuffer, CopyRows } from '../../../src/postgres/imports/copy-buffer.ts';

const ROWS = {
  passwordLogins: [],
  thirdPartyLogins: [],
  aliases: [],
  users: [{ userId: '01890000-0000-7000-8000-000000000000', timeJoinedMs: 1, metadata: undefined }],
};

class Answering {
  readonly copied: [rows: string, count: number][] = [];
  fails = false;

  async copy(copies: readonly Copy[]): Promise<void> {
    if (this.fails) throw new Error('no');
    for (const { rows, count } of copies) this.copied.push([rows.toString(), count]);
  }
}

function setUp() {
  const made: CopyRows[] = [];
  const pool = new BufferPool(() => {
    const rows = new CopyRows();
    made.push(rows);
    return rows;
  });
  const answering = new Answering();
  const optimistic = () => {
    const one = new CopyBuffer(pool);
    one.add(ROWS);
    return one;
  };
  return { made, pool, answering, connection: answering as unknown as Connection, optimistic };
}

it('uses memory again once its rows are written, or never will be', async () => {
  const { made, answering, connection, optimistic } = setUp();
  await optimistic().write(connection);
  optimistic().discard();
  await optimistic().write(connection);
  expect(made).toHaveLength(1);
  const row = '01890000-0000-7000-8000-000000000000\t1\t\\N\n';
  expect(answering.copied).toEqual([
    [row, 1],
    [row, 1],
  ]);
});

it('leaves memory alone that may still be sent', async () => {
  const { made, answering, connection, optimistic } = setUp();
  answering.fails = true;
  const failed = optimistic();
  await expect(failed.write(connection)).rejects.toThrow('no');
  failed.discard();
  optimistic();
  expect(made).toHaveLength(2);
});

it('is written once, and takes no more rows after that', async () => {
  const { connection, optimistic } = setUp();
  const done = optimistic();
  await done.write(connection);
  await expect(done.write(connection)).rejects.toThrow('handed on');
  expect(() => done.add(ROWS)).toThrow('handed on');
});
