import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/postgres/client/database.ts';
import {
  importInChunks,
  numbers,
  passwordLine,
  rollBack,
} from '../../imports/history/rollback-under-test.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { useTestDatabase } from '../../support/database.ts';
import { stageOn, useWorker } from '../../support/staged-workers.ts';
import { usersOf } from '../../support/staging.ts';

const SETTINGS = `
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('tcp_keepalives_idle') as keepalive`;

it.skipIf(IS_CITUS)(
  'every transaction that locks logins makes Postgres detect a lost host quickly (not on Citus, where triggers run on the nodes)',
  async () => {
    const { db: admin, uri } = await useTestDatabase();
    const db = new Database({ uri, size: 1, timeoutMs: 10_000, onIdleError: () => {} });
    onTestFinished(() => db.close());
    const before = await db.query(`select ${SETTINGS}`);
    await admin.query('create table seen (idle text, keepalive text)');
    await admin.query(`create function see() returns trigger language plpgsql as
    $$ begin insert into seen select ${SETTINGS}; return null; end $$`);
    await admin.query(
      'create trigger see after insert or update or delete on password_logins for each statement execute function see()',
    );
    const seen = async () => {
      const settings = await admin.query('select distinct * from seen');
      await admin.query('truncate seen');
      return settings;
    };
    const bounded = [{ idle: '10s', keepalive: '10' }];

    await importInChunks(
      db,
      'before',
      numbers(0, 5).map((n) => passwordLine(n, 0)),
    );
    expect(await seen()).toEqual(bounded);
    await importInChunks(
      db,
      'it',
      numbers(0, 5).map((n) => passwordLine(n, 2)),
    );
    expect(await seen()).toEqual(bounded);
    await rollBack(db, 'it');
    expect(await seen()).toEqual(bounded);
    await rollBack(db, 'before');
    expect(await seen()).toEqual(bounded);
    await stageOn({ db: admin, uri, drop: async () => {} }, usersOf(5));
    await useWorker({ db, uri, drop: async () => {} }).worker.idle();
    expect(await seen()).toEqual(bounded);
    expect(await db.query(`select ${SETTINGS}`)).toEqual(before);
  },
);
