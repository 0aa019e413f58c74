import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { copyOf, copyText } from '../../../src/postgres/client/copy-in.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';

/** Timeout with which `db` must be opened. */
export const TIMEOUT_MS = 300;

/** Tests statements that time out, through any connection that `open` makes to its own database. */
export function describeTimeouts(
  name: string,
  open: () => Promise<{ db: Database; admin: Database; close(): Promise<void> }>,
): void {
  describe(name, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
      await opened.admin.query(
        "create table notes (note text primary key); insert into notes values ('old')",
      );
    });
    afterAll(() => opened.close());

    const waiting = () => lockWaits(opened.admin);
    const changeNote = "update notes set note = 'new'";
    const copyNote = [copyOf('notes', ['note'], [copyText('more')])];

    it.each<[string, (db: Database) => Promise<unknown>]>([
      ['a statement', (db) => db.query(changeNote)],
      ['a statement of a connection', (db) => db.connection((connection) => connection.query(changeNote))],
      ['a statement of a transaction', (db) => db.transaction((client) => client.query(changeNote))],
      [
        'a transaction that goes on all the same',
        (db) =>
          db.transaction(async (client) => {
            await client.query(changeNote).catch(() => {});
            await client.query(changeNote);
          }),
      ],
      ['COPY', (db) => db.connection((connection) => connection.copy(copyNote))],
      [
        'COPY in a transaction',
        (db) => db.connection((connection) => connection.transaction(() => connection.copy(copyNote))),
      ],
    ])('ends %s on the server, and waits for nothing else', async (_, run) => {
      const { db, admin } = opened;
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      onTestFinished(() => sent.mockRestore());
      await admin.transaction(async (holder) => {
        await holder.query('lock table notes in exclusive mode');
        sent.mockClear();
        await expect(run(db)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
        const texts = sent.mock.calls.map(([text]: unknown[]) => text);
        expect(texts.filter((text) => text === 'rollback' || text === 'commit')).toEqual([]);
        expect(texts.filter((text) => text === changeNote).length).toBeLessThanOrEqual(1);
        await expect.poll(waiting, { timeout: 5000 }).toBe(0);
      });
      expect(await admin.query('select note from notes')).toEqual([{ note: 'old' }]);
      // On a busy machine this may time out as well.
      const answer = () => db.query('select 1 as one').catch(() => 'nothing');
      await expect.poll(answer, { timeout: 5000 }).toEqual([{ one: 1 }]);
    });

    it('answers after one timeout if a user to be changed is locked', async () => {
      const { db, admin } = opened;
      const store = createUserStore(admin);
      const { user } = await store.importPasswordUser({ email: 'a@b.c', hash: labelledHash('old') });
      await admin.transaction(async (holder) => {
        await holder.query('select 1 from users where user_id = $1 for update', [user.id]);
        const sent = vi.spyOn(pg.Client.prototype, 'query');
        onTestFinished(() => sent.mockRestore());
        const change = createUserStore(db).updatePasswordLogin(user.id, { hash: labelledHash('new') });
        await expect(change).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
        expect(sent.mock.calls.map(([text]: unknown[]) => text)).not.toContain('rollback');
        await expect.poll(waiting, { timeout: 5000 }).toBe(0);
      });
      expect((await findLoginWithHash(store, 'a@b.c'))?.hash).toEqual(labelledHash('old'));
    });
  });
}
