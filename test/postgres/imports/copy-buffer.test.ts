import { expect, it } from 'vitest';
import { BufferPool } from '../../../src/lib/buffers/buffer-pool.ts';
import { CopyBuffer, CopyRows } from '../../../src/postgres/imports/copy-buffer.ts';
import { COPY_TARGETS } from '../../../src/postgres/imports/user-columns.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const ALIAS = { alias: 'a', kind: 'external' as const, userId: ID, recipeUserId: ID };
const ROWS = { users: [], passwordLogins: [], thirdPartyLogins: [], aliases: [ALIAS] };
const ROW = `a\texternal\t${ID}\t${ID}\n`;
const { statement } = COPY_TARGETS.aliases;

function setUp() {
  const made: CopyRows[] = [];
  const pool = new BufferPool(() => {
    const rows = new CopyRows();
    made.push(rows);
    return rows;
  });
  return { made, newBuffer: () => new CopyBuffer(pool) };
}

const textOf = (buffer: CopyBuffer) =>
  buffer.encoded().map(({ rows, ...others }) => ({ ...others, rows: rows.toString() }));

it('encodes rows for the tables that have any', () => {
  const buffer = setUp().newBuffer();
  expect(textOf(buffer)).toEqual([]);
  buffer.add(ROWS);
  buffer.add(ROWS);
  expect(textOf(buffer)).toEqual([{ statement, count: 2, rows: ROW + ROW }]);
});

it('reuses released memory, without its old content', () => {
  const { made, newBuffer } = setUp();
  const first = newBuffer();
  first.add(ROWS);
  first.release();
  const second = newBuffer();
  expect(textOf(second)).toEqual([]);
  second.add(ROWS);
  expect(textOf(second)).toMatchObject([{ count: 1, rows: ROW }]);
  expect(made).toHaveLength(1);
});

it('does not reuse memory that was not released', () => {
  const { made, newBuffer } = setUp();
  newBuffer().add(ROWS);
  newBuffer();
  expect(made).toHaveLength(2);
});

it('cannot be used after it is released', () => {
  const released = setUp().newBuffer();
  released.release();
  expect(() => released.add(ROWS)).toThrow('were released');
  expect(() => released.encoded()).toThrow('were released');
  expect(() => released.release()).toThrow('were released');
});
