import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { isOfNode, normaliseCitusError } from '../../../src/postgres/citus/node-errors.ts';
import {
  isLostLock,
  isLostRace,
  isUnavailable,
  isUniqueViolation,
  storageError,
} from '../../../src/postgres/client/pg-error.ts';

/** An error as Citus 13.2 reports it on PostgreSQL 15. */
function told(message: string, code = 'XX000', file = 'multi_copy.c'): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, 'error');
  Object.assign(error, { severity: 'ERROR', code, file });
  normaliseCitusError(error);
  return error;
}

const DUPLICATE = 'duplicate key value violates unique constraint "password_logins_pkey_102039"';

it.each([
  ['by insert', '23505', 'remote_commands.c'],
  ['by COPY, and insert … select', 'XX000', 'multi_copy.c'],
])('finds which constraint %s violated', (_how, code, file) => {
  const error = told(DUPLICATE, code, file);
  expect(isUniqueViolation(error, 'password_logins_pkey')).toBe(true);
  expect(isUniqueViolation(error, 'users_pkey')).toBe(false);
  expect(storageError(error)).toBe(error);
});

it('handles other kinds of constraints, which have our names already, and constraints of tables on one node', () => {
  const check =
    'new row for relation "password_logins_102039" violates check constraint "password_logins_hash_set_by_check"';
  expect(told(check, '23514')).toMatchObject({
    code: '23514',
    constraint: 'password_logins_hash_set_by_check',
  });
  const local = 'duplicate key value violates unique constraint "imports_pkey"';
  expect(told(local)).toMatchObject({ code: '23505', constraint: 'imports_pkey' });
  const short = 'duplicate key value violates unique constraint "notes_2024"';
  expect(told(short)).toMatchObject({ constraint: 'notes_2024' });
});

it('does not change a constraint that is named already', () => {
  const error = new pg.DatabaseError(DUPLICATE, 0, 'error');
  Object.assign(error, { code: '23505', constraint: 'users_pkey' });
  normaliseCitusError(error);
  expect(error.constraint).toBe('users_pkey');
});

it.each([
  ['canceling statement due to lock timeout', 'XX000'],
  ['canceling statement due to lock timeout', '55P03'],
])('recognises a lock timeout: %s (%s)', (message, code) => {
  const error = told(message, code);
  expect(isLostLock(error)).toBe(true);
  expect(storageError(error)).toBe(error);
});

it.each([
  ['deadlock detected', 'XX000'],
  ['canceling the transaction since it was involved in a distributed deadlock', '40P01'],
  ['canceling the transaction since it was involved in a distributed deadlock', 'XX000'],
  ['could not serialize access due to concurrent update', 'XX000'],
])('recognises a lost race: %s (%s)', (message, code) => {
  const error = told(message, code);
  expect(isLostRace(error)).toBe(true);
  expect(storageError(error)).toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

const CLOSED =
  'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n\tbefore or while processing the request.';

it.each([
  // A connection to a node that broke before, during and at the end of a statement, and at the commit.
  ['XX000', 'failure on connection marked as essential: 127.0.0.1:15599', '08006'],
  ['XX000', CLOSED, '08006'],
  ['XX000', `${CLOSED}\ninvalid socket`, '08006'],
  ['XX000', 'could not receive data from server: Connection reset by peer', '08006'],
  ['XX000', 'could not send data to server: Broken pipe', '08006'],
  ['XX000', 'could not commit transaction for shard 102036 on at least one active node', '08007'],
  [
    '08006',
    'connection to the remote node postgres@127.0.0.1:15599 failed with the following error: connection not open',
    '08006',
  ],
  [
    '08006',
    'connection to the remote node postgres@127.0.0.1:1 failed with the following error: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
    '08006',
  ],
  ['58030', 'failed to COPY to shard 102032 on 127.0.0.1:15599', '58030'],
  // Errors that a node received from others, or detected.
  ['XX000', 'terminating connection due to administrator command', '57P01'],
  ['57P01', 'terminating connection due to administrator command', '57P01'],
  ['XX000', 'postmaster was shut down, exiting', '57P01'],
  ['XX000', 'the database system is shutting down', '57P03'],
  ['XX000', 'canceling statement due to user request', '57014'],
  ['XX000', 'canceling statement due to statement timeout', '57014'],
  ['XX000', 'cannot execute COPY FROM in a read-only transaction', '25006'],
  ['XX000', 'could not extend file "base/1/2": No space left on device', '53100'],
  ['XX000', 'could not write to file "pg_wal/xlogtemp.31": No space left on device', '53100'],
  ['XX000', 'could not write block 7 of temporary file: Disk quota exceeded', '53100'],
  ['XX000', 'could not read block 7 in file "base/1/2": read only 0 of 8192 bytes', '58030'],
  ['XX000', 'out of memory', '53200'],
  ['XX000', 'out of shared memory', '53200'],
  ['XX000', 'sorry, too many clients already', '53300'],
])('recognises that a node is away or cannot serve (%s): %s', (code, message, mended) => {
  const error = told(message, code);
  expect(error.code).toBe(mended);
  expect(isUnavailable(error)).toBe(true);
  expect(storageError(error)).toMatchObject({ code: 'STORAGE_UNAVAILABLE', cause: error });
});

it.each([
  [
    'index row size 2728 exceeds btree version 4 maximum 2704 for index "password_logins_pkey_102039"',
    '54000',
  ],
  ['new row for relation "password_logins_102039" violates check constraint "no_such_102039"', '23514'],
  [
    'null value in column "password_hash" of relation "password_logins_102039" violates not-null constraint',
    'XX000',
  ],
  ['invalid byte sequence for encoding "UTF8": 0xff', 'XX000'],
])('recognises an error that a row causes: %s', (message, code) => {
  const error = told(message);
  expect(isUnavailable(error)).toBe(false);
  expect(error.code).toBe(code);
  expect(storageError(error)).toBe(error);
});

it('uses the message only if there is no code, and never the data of a user', () => {
  const quoted = 'invalid input syntax for type uuid: "terminating connection due to administrator command"';
  expect(told(quoted, '22P02').code).toBe('22P02');
  expect(told(quoted).code).toBe('XX000');
  expect(told(`could not do it: ${DUPLICATE}`)).toMatchObject({ code: 'XX000' });
});

it('distinguishes the failure of a node from that of the coordinator, whose connection is lost', () => {
  expect(isOfNode(told('terminating connection due to administrator command', '57P01', 'postgres.c'))).toBe(
    false,
  );
  expect(isOfNode(told('postmaster was shut down, exiting', 'XX000', 'remote_commands.c'))).toBe(false);
  expect(isOfNode(told(CLOSED, 'XX000', 'remote_commands.c'))).toBe(true);
  expect(isOfNode(new Error('Connection terminated unexpectedly'))).toBe(false);
});

it('does not change other errors', () => {
  for (const error of [new TypeError('a bug'), new AppError('OVERLOADED', 'x'), 'text', undefined]) {
    normaliseCitusError(error);
    expect(isOfNode(error)).toBe(false);
  }
  const plain = new Error(DUPLICATE);
  normaliseCitusError(plain);
  expect(plain).not.toHaveProperty('code');
});

it('retries a statement after a shard was moved to another node', () => {
  expect(isLostRace(told('relation "public.users_102008" does not exist', '42P01'))).toBe(true);
  expect(isLostRace(told('relation "password_logins_102008" does not exist', '42P01'))).toBe(true);
  const missing = told('relation "users" does not exist', '42P01');
  expect(isLostRace(missing)).toBe(false);
  expect(storageError(missing)).toBe(missing);
});

describe('the node of an error', () => {
  const AT = 'while executing command on';
  it.each([
    ['connection to the remote node u@10.0.0.3:5432 failed with the following error: x', '', '10.0.0.3:5432'],
    ['connection to the remote node u@::1:5432 failed', '', '::1:5432'],
    ['failure on connection marked as essential: localhost:7412', '', 'localhost:7412'],
    ['connection establishment for node 10.0.0.3:5432 failed', '', '10.0.0.3:5432'],
    ['failed to COPY to shard 102008 on 10.0.0.3:5432', '', '10.0.0.3:5432'],
    ['could not establish any connections to the node 10.0.0.3:5432 after 30000 ms', '', '10.0.0.3:5432'],
    ["failed to prepare transaction 'citus_0_1_2_3' on host 10.0.0.3:5432", '', '10.0.0.3:5432'],
    [CLOSED, `${AT} worker-2.example:7402`, 'worker-2.example:7402'],
    [DUPLICATE, `COPY password_logins_102008, line 1\n${AT} 127.0.0.1:7401`, '127.0.0.1:7401'],
    [DUPLICATE, `COPY password_logins_102008, line 1: "${AT} 127.0.0.1:7401"`, undefined],
    ['invalid input syntax for type uuid: "connection to the remote node a@b:1 failed"', '', undefined],
  ])('is found where Citus names it, and never in the data of a user: %s; %s', (message, where, node) => {
    const error = new pg.DatabaseError(message, 0, 'error');
    error.where = where;
    normaliseCitusError(error);
    expect(Reflect.get(error, 'node')).toBe(node);
  });

  it('is logged', () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const cause = told('connection to the remote node u@10.0.0.3:5432 failed');
    logger.warn({ err: storageError(cause) });
    expect(lines.join()).toContain('"node":"10.0.0.3:5432"');
  });
});
