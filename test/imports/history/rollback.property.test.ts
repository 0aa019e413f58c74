import fc from 'fast-check';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ON_CONFLICT, type OnConflict } from '../../../src/imports/import-request.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { createTestApp, testPasswords } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { removeEverything } from '../../support/database.ts';
import { IMPORT } from '../../support/service-calls.ts';
import { type Rows, undoRows, userRows } from '../../support/user-tables.ts';
import { type Cut, chunkLimits, paces, runStream, type Stream } from '../import-under-test.ts';
import { hashNumber, streams } from '../model/model-streams.ts';
import { bookSignIn, rollBack } from './rollback-under-test.ts';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 12);

const passwords = testPasswords();
const service = await createTestApp();
afterAll(() => service.close());
beforeEach(() => removeEverything(service.database.db));

const flows = fc.record({ pace: paces, limits: chunkLimits });
const bytes = (maxLines: number) => streams(maxLines).map((stream) => stream.bytes);
const options = fc.constantFrom(...ON_CONFLICT);
const cuts = fc.option(fc.record({ after: fc.nat(3000), of: fc.constant('bytes' as const) }), {
  nil: undefined,
});

/** An action on one of the existing logins, by its position. */
interface Deed {
  what: 'sign-in' | 'change-password' | 'change-email' | 'import' | 'remove';
  place: number;
}
const deeds = fc.array(
  fc.record<Deed>({
    what: fc.constantFrom('sign-in', 'sign-in', 'change-password', 'change-email', 'import', 'remove'),
    place: fc.nat(20),
  }),
  { maxLength: 4 },
);

const run = (importId: string, onConflict: OnConflict, stream: Stream, cut?: Cut) =>
  runStream({ db: service.database.db, passwords }, { importId, onConflict, dryRun: false }, stream, cut);

const loginsOf = (rows: Rows) => [...rows].filter(([key]) => key.includes('_logins '));

async function carryOut({ what, place }: Deed): Promise<void> {
  const logins = loginsOf(await userRows(service.database.db));
  const [, login] = logins[place % Math.max(1, logins.length)] ?? [];
  if (login === undefined) return;
  const { email, third_party_id: id, third_party_user_id: userId } = login.row;
  const recipeUserId = login.row.recipe_user_id;
  if (what === 'remove') await service.send('POST', '/user/remove', { userId: login.userId });
  else if (id !== undefined) {
    const body = {
      thirdPartyId: id,
      thirdPartyUserId: userId,
      email: { id: what === 'sign-in' ? email : 'z@b.c' },
    };
    await service.send('POST', '/recipe/signinup', body);
  } else if (what === 'sign-in') await bookSignIn(service.store, String(email));
  else if (what === 'import') {
    await service.send('POST', IMPORT, { email, passwordHash: hashNumber(2) });
  } else {
    const change = what === 'change-password' ? { password: 'changed' } : { email: `${place}@moved.c` };
    await service.send('PUT', '/recipe/user', { recipeUserId, ...change });
  }
}

const textOf = (rows: Rows, key: string) => JSON.stringify(rows.get(key)?.row);

/** Checks for each row what must be left of it. */
function expectUndone(before: Rows, imported: Rows, used: Rows, left: Rows): void {
  const keys = new Set([before, imported, used, left].flatMap((rows) => [...rows.keys()]));
  const isUsed = (key: string) => textOf(imported, key) !== textOf(used, key);
  const usersBefore = new Set([...before.values()].map(({ userId }) => userId));
  const usersUsed = new Set(
    [...keys].filter(isUsed).map((key) => (used.get(key) ?? imported.get(key))?.userId),
  );
  for (const key of keys) {
    const userId = imported.get(key)?.userId ?? '';
    if (isUsed(key)) expect([key, textOf(left, key)]).toEqual([key, textOf(used, key)]);
    else if (usersBefore.has(userId)) expect([key, textOf(left, key)]).toEqual([key, textOf(before, key)]);
    // A user created by the import is kept or removed completely. A user who was active since may get back a
    // hash of this import.
    else expect([key, left.has(key)]).toEqual([key, usersUsed.has(userId)]);
  }
}

it('undoes exactly what an import did, except for users who were active since', {
  timeout: IS_CITUS ? 1_800_000 : 120_000,
}, async () => {
  const { db } = service.database;
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ earlier: bytes(12), between: deeds, lines: bytes(30), after: deeds, onConflict: options }),
      fc.record({ first: flows, again: flows, cut: cuts }),
      async ({ earlier, between, lines, after, onConflict }, { first, again, cut }) => {
        await removeEverything(db);
        await run('earlier', 'overwrite', { bytes: earlier, ...again });
        for (const deed of between) await carryOut(deed);
        const before = await userRows(db);
        // Interrupted or not, and with other chunks when it is resumed.
        if (cut !== undefined) await run('it', onConflict, { bytes: lines, ...first }, cut);
        await run('it', onConflict, { bytes: lines, ...again });
        const imported = await userRows(db);
        for (const deed of after) await carryOut(deed);
        const used = await userRows(db);

        const result = await rollBack(db, 'it');
        if (result.outcome !== 'rolled-back') throw new Error(result.outcome);
        const left = await userRows(db);
        expectUndone(before, imported, used, left);
        if (after.length === 0) expect(left).toEqual(before);

        const created = new Set([...imported.values()].map(({ userId }) => userId));
        for (const { userId } of before.values()) created.delete(userId);
        const { usersRemoved, usersKept } = result.rollback;
        const removedBefore = [...created].filter(
          (id) => ![...used.values()].some(({ userId }) => userId === id),
        );
        expect(usersRemoved + usersKept).toBe(created.size - removedBefore.length);
        undone += usersRemoved + result.rollback.hashesRestored + result.rollback.emailsRestored;

        // No record of this import may be left.
        await createImportStore(db, db).beginRollback('earlier');
        for await (const _ of createImportStore(db, db).rollBack('earlier', () => true));
        expect(await undoRows(db)).toMatchObject({
          import_chunks: 0,
          import_changes: 0,
        });
      },
    ),
    { numRuns: RUNS },
  );
  expect(undone).toBeGreaterThan(RUNS);
});
