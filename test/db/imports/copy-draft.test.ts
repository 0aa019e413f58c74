import { expect, it } from 'vitest';
import type { Connection } from '../../../src/db/connection.ts';
import type { Copy } from '../../../src/db/copy-in.ts';
import { CopyDraft, CopyRows } from '../../../src/db/imports/copy-draft.ts';
import { Pool } from '../../../src/pool.ts';

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
  const pool = new Pool(() => {
    const rows = new CopyRows();
    made.push(rows);
    return rows;
  });
  const answering = new Answering();
  const draft = () => {
    const one = new CopyDraft(pool);
    one.add(ROWS);
    return one;
  };
  return { made, pool, answering, connection: answering as unknown as Connection, draft };
}

it('uses memory again once its rows are written, or never will be', async () => {
  const { made, answering, connection, draft } = setUp();
  await draft().write(connection);
  draft().discard();
  await draft().write(connection);
  expect(made).toHaveLength(1);
  const row = '01890000-0000-7000-8000-000000000000\t1\t\\N\n';
  expect(answering.copied).toEqual([
    [row, 1],
    [row, 1],
  ]);
});

it('leaves memory alone that may still be sent', async () => {
  const { made, answering, connection, draft } = setUp();
  answering.fails = true;
  const failed = draft();
  await expect(failed.write(connection)).rejects.toThrow('no');
  failed.discard();
  draft();
  expect(made).toHaveLength(2);
});

it('is written once, and takes no more rows after that', async () => {
  const { connection, draft } = setUp();
  const done = draft();
  await done.write(connection);
  await expect(done.write(connection)).rejects.toThrow('over');
  expect(() => done.add(ROWS)).toThrow('over');
});
