import { expect, it } from 'vitest';
import { noKnown } from '../../../src/imports/resolve/person.ts';
import { Resolver } from '../../../src/imports/resolve/resolver.ts';
import { BufferPool } from '../../../src/lib/buffers.ts';
import {
  copyBigint,
  copyBoolean,
  copyText,
  copyUuid,
  rowHead,
} from '../../../src/postgres/client/copy-in.ts';
import { COPY_TARGETS, CopyBuffer, CopyRows } from '../../../src/postgres/imports/copy-people.ts';
import { testVault } from '../../support/factors.ts';
import { parsedUserOf } from '../../support/user-forms.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const LOGIN = { recipeId: 'emailpassword', email: 'a@b.c', password: 'unset', timeJoinedInMSSinceEpoch: 1 };
const { created: PEOPLE } = new Resolver(noKnown(), {
  ...{ onConflict: 'fail', matchBy: 'login', dryRun: false, vault: testVault(), now: 0 },
}).addAll([{ ...parsedUserOf({ externalUserId: 'a', loginMethods: [LOGIN] }), userId: ID }]).decisions;
const { passwordLogins, aliases, users } = COPY_TARGETS;
const NULL = copyText(undefined);
const LOGIN_ROW = [
  ...[rowHead(12), copyUuid(ID), copyUuid(ID), copyText('a@b.c'), NULL, copyBigint(1), copyBoolean(true)],
  ...[copyBoolean(false), NULL, NULL, NULL, NULL, copyText('unset')],
].join('');
const ALIAS_ROW = [rowHead(4), copyText('a'), copyText('external'), copyUuid(ID), copyUuid(ID)].join('');
const USER_ROW = [rowHead(4), copyUuid(ID), copyBigint(1), NULL, NULL].join('');

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
  buffer.encoded().map(({ rows, ...others }) => ({ ...others, rows: rows.toString('latin1') }));

it('encodes rows for the tables that have any', () => {
  const buffer = setUp().newBuffer();
  expect(textOf(buffer)).toEqual([]);
  buffer.add(PEOPLE);
  buffer.add(PEOPLE);
  expect(textOf(buffer)).toEqual([
    { statement: passwordLogins.statement, count: 2, rows: LOGIN_ROW + LOGIN_ROW },
    { statement: aliases.statement, count: 2, rows: ALIAS_ROW + ALIAS_ROW },
    { statement: users.statement, count: 2, rows: USER_ROW + USER_ROW },
  ]);
});

it('reuses released memory, without its old content', () => {
  const { made, newBuffer } = setUp();
  const first = newBuffer();
  first.add(PEOPLE);
  first.release();
  const second = newBuffer();
  expect(textOf(second)).toEqual([]);
  second.add(PEOPLE);
  expect(textOf(second)).toMatchObject([{ rows: LOGIN_ROW }, { rows: ALIAS_ROW }, { rows: USER_ROW }]);
  expect(made).toHaveLength(1);
});

it('does not reuse memory that was not released', () => {
  const { made, newBuffer } = setUp();
  newBuffer().add(PEOPLE);
  newBuffer();
  expect(made).toHaveLength(2);
});

it('cannot be used after it is released', () => {
  const released = setUp().newBuffer();
  released.release();
  expect(() => released.add(PEOPLE)).toThrow('were released');
  expect(() => released.encoded()).toThrow('were released');
  expect(() => released.release()).toThrow('were released');
});
