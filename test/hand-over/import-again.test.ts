/** Imports, removals and rollbacks that concern users whom the core has. */
import { describe, expect, it } from 'vitest';
import { keysOf } from '../../src/imports/resolve/person.ts';
import { Resolver } from '../../src/imports/resolve/resolver.ts';
import { Contended } from '../../src/lib/errors.ts';
import { createHandOverStore } from '../../src/postgres/hand-over/create-hand-over-store.ts';
import { readKnown } from '../../src/postgres/imports/read-known.ts';
import { BEGIN_BULK } from '../../src/postgres/imports/stored-rows.ts';
import { writeDecisions } from '../../src/postgres/imports/write-decisions.ts';
import { runStream } from '../imports/import-under-test.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { testVault } from '../support/factors.ts';
import { importWithId, rolledBack } from '../support/import-calls.ts';
import { lockWaits } from '../support/lock-waits.ts';
import { ndjson } from '../support/ndjson.ts';
import { rowsOf } from '../support/rows-of.ts';
import { IMPORT } from '../support/service-calls.ts';
import { parsedUserOf } from '../support/user-forms.ts';
import { type FrontUnderTest, googleOf, md5, PASSWORD, passwordOf, useFront } from './front-under-test.ts';

const ADA = 'ada@example.com';
const NEW = 'new@example.com';
const OK = { status: 200, body: { status: 'OK' } };
const WRONG = { status: 200, body: { status: 'WRONG_CREDENTIALS_ERROR' } };
const HANDED_OVER = { code: 'HANDED_OVER' };
const OTHER_BCRYPT = BCRYPT.hash.replace(/.$/, '.');

const POLICIES = ['update-unchanged', 'overwrite'] as const;
/**
 * Both ways in which a line finds the user whom it is about, with policies. The fourth pair is that of
 * test/imports/stream/match-by-external-id.property.test.ts.
 */
const ALL = [
  ['login', 'update-unchanged', ''],
  ['login', 'overwrite', ''],
  ['externalId', 'overwrite', '&matchBy=externalId'],
] as const;

const md5Method = (email: string, password: string) => ({
  ...passwordOf(email, password),
  timeJoinedInMSSinceEpoch: 1_500_000_000_001,
});
const line = (email = ADA, password = PASSWORD, more: object = {}) => ({
  externalUserId: 'old-1',
  loginMethods: [md5Method(email, password)],
  ...more,
});

async function handedOver(first: object = line()): Promise<FrontUnderTest> {
  const service = await useFront();
  await importWithId(service, 'week-1', [first], '&source=shop');
  await service.handOver();
  return service;
}

/** Imports a line a week later, after a dry run that must report the same. Returns its result. */
async function nextWeek(service: FrontUnderTest, again: object, query: string) {
  const dry = await importWithId(service, 'dry', [again], `&source=shop&dryRun=true${query}`);
  const { results } = await importWithId(service, 'week-2', [again], `&source=shop${query}`);
  expect(dry.results).toEqual(results);
  return results[0];
}

const waitingHash = async ({ database }: FrontUnderTest) =>
  (await rowsOf(database.uri, 'select email, password_hash as hash from password_logins'))[0];

describe.each(ALL)(
  'a line (matchBy=%s, onConflict=%s) about somebody who waits',
  (matchBy, policy, match) => {
    const query = `${match}&onConflict=${policy}`;

    it('replaces the hash: the first sign-in takes the new password', async () => {
      const service = await handedOver();
      expect(await nextWeek(service, line(ADA, 'new password'), query)).toMatchObject({ status: 'UPDATED' });
      expect(await service.signIn(ADA)).toMatchObject(WRONG);
      expect(await service.signIn(ADA, 'new password')).toMatchObject(OK);
    });

    it('changes nothing else, and says so', async () => {
      const service = await handedOver();
      const again = line(ADA, 'new password', { disabled: true });
      expect(await nextWeek(service, again, query)).toMatchObject({ status: 'FAILED', ...HANDED_OVER });
      expect(await waitingHash(service)).toEqual({ email: ADA, hash: md5(PASSWORD) });
      expect(await service.signIn(ADA)).toMatchObject(OK);
    });

    it.skipIf(matchBy === 'login')('keeps the address, which the core has', async () => {
      const service = await handedOver();
      expect(await nextWeek(service, line(NEW), query)).toMatchObject({ status: 'FAILED', ...HANDED_OVER });
      expect(await service.signIn(ADA)).toMatchObject(OK);
    });

    it.skipIf(matchBy === 'login')('leaves metadata alone, which are in the core', async () => {
      const service = await handedOver();
      const again = line(ADA, PASSWORD, { userMetadata: { plan: 'gold' } });
      expect(await nextWeek(service, again, query)).toMatchObject({ status: 'SKIPPED', ...HANDED_OVER });
      expect(await rowsOf(service.database.uri, 'select metadata from users')).toEqual([{ metadata: null }]);
    });
  },
);

it.each(ALL)(
  'a line (matchBy=%s, onConflict=%s) leaves logins alone that have moved',
  async (_, policy, match) => {
    const person = (hash: string) => ({
      externalUserId: 'old-1',
      loginMethods: [{ recipeId: 'emailpassword', email: ADA, passwordHash: hash }],
    });
    const social = (email: string) => ({
      externalUserId: 'old-2',
      loginMethods: [googleOf('g2', email)],
    });
    const service = await useFront();
    await importWithId(service, 'week-1', [person(BCRYPT.hash), social(NEW)], '&source=shop');
    await service.handOver();
    const query = `${match}&onConflict=${policy}`;
    expect(await nextWeek(service, person(OTHER_BCRYPT), query)).toMatchObject({
      status: 'SKIPPED',
      ...HANDED_OVER,
    });
    expect(await waitingHash(service)).toEqual({ email: ADA, hash: BCRYPT.hash });
    const { results } = await importWithId(
      service,
      'week-3',
      [social('other@example.com')],
      `&source=shop${query}`,
    );
    expect(results[0]).toMatchObject({ status: 'FAILED', ...HANDED_OVER });
    expect(await rowsOf(service.database.uri, 'select email from third_party_logins')).toEqual([
      { email: NEW },
    ]);
  },
);

it.each(ALL)(
  'a hash for a login without one (matchBy=%s, onConflict=%s) counts as waiting',
  async (_, policy, match) => {
    const unset = { recipeId: 'emailpassword', email: ADA, password: 'unset' };
    const service = await handedOver(line(ADA, '', { loginMethods: [unset] }));
    const { handOverId } =
      (
        await rowsOf<{ handOverId: string }>(
          service.database.uri,
          'select hand_over_id as "handOverId" from hand_overs',
        )
      )[0] ?? {};
    const advice = async () => (await service.report(handOverId ?? '')).advice;
    expect(await advice()).toMatch(/^Nobody waits/);
    await nextWeek(service, line(), `${match}&onConflict=${policy}`);
    expect(await advice()).toMatch(/^1 logins wait/);
    await rolledBack(service, 'week-2');
    expect(await advice()).toMatch(/^Nobody waits/);
    await importOne(service, md5(PASSWORD));
    expect(await advice()).toMatch(/^1 logins wait/);
    expect(await service.signIn(ADA)).toMatchObject(OK);
  },
);

const importOne = ({ send }: FrontUnderTest, passwordHash: string) =>
  send('POST', IMPORT, {
    ...{ email: ADA, passwordHash },
    hashingAlgorithm: passwordHash.startsWith('$') ? 'bcrypt' : 'hex-md5',
  });

describe('a single import', () => {
  const bcrypt = (passwordHash: string) => ({ recipeId: 'emailpassword', email: ADA, passwordHash });

  it('replaces the hash of somebody who waits', async () => {
    const service = await handedOver();
    expect(await importOne(service, md5('new password'))).toMatchObject(OK);
    expect(await service.signIn(ADA)).toMatchObject(WRONG);
    expect(await service.signIn(ADA, 'new password')).toMatchObject(OK);
  });

  it('is refused if the core has the password, unless it changes nothing', async () => {
    const service = await handedOver(line(ADA, '', { loginMethods: [bcrypt(BCRYPT.hash)] }));
    const others = [NEW, 'third@example.com'].map((email) =>
      service.send('POST', IMPORT, { email, passwordHash: BCRYPT.hash }),
    );
    const refused = await importOne(service, OTHER_BCRYPT);
    expect(refused).toMatchObject({ status: 409, body: HANDED_OVER });
    for (const one of await Promise.all(others)) expect(one).toMatchObject(OK);
    expect(await waitingHash(service)).toEqual({ email: ADA, hash: BCRYPT.hash });
    expect(await importOne(service, BCRYPT.hash)).toMatchObject({
      ...OK,
      body: { didUserAlreadyExist: true },
    });
    // After an import that changed nothing, the service looks for such imports first.
    expect(await importOne(service, OTHER_BCRYPT)).toMatchObject({ status: 409, body: HANDED_OVER });
    expect(await importOne(service, BCRYPT.hash)).toMatchObject(OK);
    await rowsOf(service.database.uri, "update password_logins set email_set_by = 'change'");
    expect(await importOne(service, OTHER_BCRYPT)).toMatchObject({ status: 409 });
    expect(await rowsOf(service.database.uri, 'select 1 from hash_changes')).toEqual([]);
  });

  it('without a hash changes the reason of somebody who waits, and of nobody who is being sent', async () => {
    const unset = { recipeId: 'emailpassword', email: ADA, password: 'unset' };
    const service = await handedOver(line(ADA, '', { loginMethods: [unset] }));
    const legacy = () => service.send('POST', IMPORT, { email: ADA, legacySignIn: true });
    const reason = async () =>
      (await rowsOf(service.database.uri, 'select no_hash, hash_algorithm from password_logins'))[0];
    await rowsOf(service.database.uri, "update handed_over_logins set state = 'sending'");
    expect(await legacy()).toMatchObject({ status: 409, body: HANDED_OVER });
    expect(await service.send('POST', IMPORT, { email: ADA, password: 'unset' })).toMatchObject(OK);
    expect(await reason()).toMatchObject({ no_hash: 'unset' });
    await rowsOf(service.database.uri, "update handed_over_logins set state = 'waiting'");
    expect(await legacy()).toMatchObject(OK);
    expect(await reason()).toMatchObject({ no_hash: 'waiting' });
  });
});

it('a dry run decides a second line about somebody like the import, also in another chunk', async () => {
  const bcrypt = { recipeId: 'emailpassword', email: ADA, passwordHash: BCRYPT.hash };
  const service = await handedOver(line(ADA, '', { loginMethods: [bcrypt] }));
  const again = (password: string, disabled: boolean) =>
    line(ADA, password, { disabled, externalUserId: undefined });
  const bytes = Buffer.from(ndjson(again('a', false), again('b', true)));
  const limits = { maxLines: 1, maxBytes: 1000, idleMs: 0, maxAgeMs: 0 };
  const outcomes = async (importId: string, dryRun: boolean) => {
    const request = { importId, dryRun, source: 'shop', onConflict: 'overwrite' as const };
    const parts = { db: service.database.db, passwords: service.passwords };
    const report = await runStream(parts, request, { bytes, limits, pace: { sizes: [100], pauses: false } });
    return report.results.map(({ status, code }) => [status, code]);
  };
  const dry = await outcomes('dry', true);
  expect(dry).toEqual([
    ['SKIPPED', 'HANDED_OVER'],
    ['FAILED', 'HANDED_OVER'],
  ]);
  expect(await outcomes('week-2', false)).toEqual(dry);
});

it.each(ALL)(
  'a line (matchBy=%s, onConflict=%s) about a login that the core refused does not disable its user',
  async (_, policy, match) => {
    const google = googleOf('g1', ADA);
    const both = {
      externalUserId: 'old-1',
      loginMethods: [{ ...md5Method(ADA, PASSWORD), isPrimary: true }, google],
    };
    const service = await useFront();
    await importWithId(service, 'week-1', [both], '&source=shop');
    await service.handOver({ unlinked: true });
    await rowsOf(
      service.database.uri,
      "update handed_over_logins set state = 'refused' where state = 'moved'",
    );
    const again = {
      externalUserId: match === '' ? undefined : 'old-1',
      disabled: true,
      loginMethods: [google],
    };
    expect(await nextWeek(service, again, `${match}&onConflict=${policy}`)).toMatchObject({
      status: 'FAILED',
      ...HANDED_OVER,
    });
    expect(await service.signIn(ADA)).toMatchObject(OK);
  },
);

it.each(POLICIES)('users who are missing in the export stay if the core has them (%s)', async (policy) => {
  const service = await handedOver();
  const other = { externalUserId: 'old-2', loginMethods: [md5Method(NEW, PASSWORD)] };
  const query = `&source=shop&matchBy=externalId&deleteMissing=5&onConflict=${policy}`;
  for (const dryRun of ['&dryRun=true', ''])
    expect((await importWithId(service, `w${dryRun.length}`, [other], query + dryRun)).missing).toMatchObject(
      [{ status: 'KEPT', externalUserId: 'old-1' }],
    );
  expect(await service.signIn(ADA)).toMatchObject(OK);
});

describe('a rollback', () => {
  it('keeps users whom the core has, and their first sign-in', async () => {
    const service = await handedOver();
    expect(await rolledBack(service, 'week-1')).toEqual({ usersKept: 1 });
    expect(await service.signIn(ADA)).toMatchObject(OK);
  });

  it('restores the hash of somebody who waits', async () => {
    const service = await handedOver();
    await nextWeek(service, line(ADA, 'new password'), '&onConflict=overwrite');
    expect(await rolledBack(service, 'week-2')).toEqual({ hashesRestored: 1 });
    expect(await service.signIn(ADA)).toMatchObject(OK);
  });

  it('restores the hash of somebody who waits and whom a line matched by external id', async () => {
    const service = await handedOver();
    await nextWeek(service, line(ADA, 'new password'), '&onConflict=overwrite&matchBy=externalId');
    expect(await rolledBack(service, 'week-2')).toEqual({ usersRestored: 1 });
    expect(await service.signIn(ADA, 'new password')).toMatchObject(WRONG);
    expect(await service.signIn(ADA)).toMatchObject(OK);
  });

  it('brings back somebody who waits and whom an earlier version has removed', async () => {
    const service = await handedOver();
    const set = (state: string) =>
      rowsOf(service.database.uri, `update handed_over_logins set state = '${state}'`);
    await set('refused');
    const other = { externalUserId: 'old-2', loginMethods: [md5Method(NEW, PASSWORD)] };
    const query = '&source=shop&matchBy=externalId&deleteMissing=5&onConflict=overwrite';
    expect((await importWithId(service, 'week-2', [other], query)).missing).toMatchObject([
      { status: 'REMOVED' },
    ]);
    await set('waiting');
    expect(await rolledBack(service, 'week-2')).toEqual({ usersRemoved: 1, usersRestored: 1 });
    expect(await service.signIn(ADA)).toMatchObject(OK);
  });

  it('leaves the factors of users whom the core has', async () => {
    const service = await useFront();
    const phone = (number: string) => line(ADA, PASSWORD, { phoneNumbers: [number] });
    await importWithId(service, 'week-1', [phone('+4930')], '&source=shop');
    await importWithId(service, 'week-2', [phone('+4940')], '&source=shop&onConflict=overwrite');
    await service.handOver();
    expect(await rolledBack(service, 'week-2')).toEqual({ hashesRestored: 1, factorsKept: 1 });
  });

  it('restores nothing of users who were handed over after the import', async () => {
    const service = await useFront();
    const users = (hash: string, email: string, disabled: boolean) => [
      {
        ...{ externalUserId: 'old-1', disabled },
        loginMethods: [{ recipeId: 'emailpassword', email: ADA, passwordHash: hash }],
      },
      {
        externalUserId: 'old-2',
        loginMethods: [googleOf('g2', email)],
      },
    ];
    await importWithId(service, 'week-1', users(BCRYPT.hash, 'old@example.com', true), '&source=shop');
    const again = users(OTHER_BCRYPT, NEW, false);
    await importWithId(service, 'week-2', again, '&source=shop&onConflict=overwrite');
    await service.handOver();
    expect(await rolledBack(service, 'week-2')).toEqual({ hashesKept: 1, emailsKept: 1, statesKept: 1 });
    expect(await waitingHash(service)).toEqual({ email: ADA, hash: OTHER_BCRYPT });
  });

  it('puts nobody back under an address that the core does not have', async () => {
    const service = await useFront();
    await importWithId(service, 'week-1', [line(ADA)], '&source=shop');
    const query = '&source=shop&matchBy=externalId&onConflict=overwrite';
    await importWithId(service, 'week-2', [line(NEW)], query);
    await service.handOver();
    expect(await rolledBack(service, 'week-2')).toEqual({ usersNotRestored: 1 });
    expect(await service.signIn(NEW)).toMatchObject(OK);
  });
});

describe('a hand-over', () => {
  it('sends users as they are when it records that it sends them, after the imports that change them', async () => {
    const service = await useFront();
    await importWithId(service, 'week-1', [line()], '&source=shop');
    const { db } = service.database;
    const store = createHandOverStore(db);
    const handOverId = '00000000-0000-7000-8000-000000000001';
    const start = { handOverId, keyName: 'k', unlinked: false, secretCheck: Buffer.alloc(32) };
    const { handOver } = await store.begin(start);
    const { users } = await store.nextUsers(handOver, 10);
    const [found] = users;
    if (found === undefined) throw new Error('nobody was read');
    const id = found.user.id;
    let sending: Promise<typeof users> | undefined;
    await db.transaction(async (client) => {
      await client.query('update password_logins set password_hash = $1', [md5('new password')]);
      const login = { recipeUserId: id, userId: id, coreId: 'old-1', algorithm: 'hex-md5' };
      sending = store.recordSending(handOverId, users, [{ ...login, state: 'sending' }]);
      // It waits for this transaction.
      const first = await Promise.race([
        sending,
        new Promise((resolve) => setTimeout(resolve, 200, 'waits')),
      ]);
      expect(first).toBe('waits');
    });
    expect((await sending)?.map(({ hashes }) => hashes.get(id)?.encoded)).toEqual([md5('new password')]);
  });

  it('waits for an import that goes on to change the user, without a deadlock', async () => {
    const service = await useFront();
    await importWithId(service, 'week-1', [line()], '&source=shop');
    const { db } = service.database;
    const store = createHandOverStore(db);
    const handOverId = '00000000-0000-7000-8000-000000000001';
    const start = { handOverId, keyName: 'k', unlinked: false, secretCheck: Buffer.alloc(32) };
    const { users } = await store.nextUsers((await store.begin(start)).handOver, 10);
    const id = users[0]?.user.id ?? '';
    const login = { userId: id, coreId: 'old-1', algorithm: 'hex-md5', state: 'sending' as const };
    // The second login is removed before it is sent.
    const logins = [id, handOverId].map((recipeUserId) => ({ ...login, recipeUserId }));
    let sending: Promise<typeof users> | undefined;
    await db.transaction(async (client) => {
      await client.query('update password_logins set linked = linked');
      sending = store.recordSending(handOverId, users, logins);
      await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
      await client.query('update users set metadata = $1', ['{"plan":"gold"}']);
    });
    expect(await sending).toMatchObject([{ metadata: '{"plan":"gold"}' }]);
    await store.forgetGone(handOverId);
    expect(await store.countSending(handOverId)).toBe(1);
  });

  type WithId = (userId: string) => Promise<unknown>;

  /** Writes a line by external id, in a transaction that has read the user before `meanwhile` happens. */
  const writeAfter = ({ database: { db } }: FrontUnderTest, again: object, meanwhile: WithId) =>
    db.transaction(async (transaction) => {
      const parsed = parsedUserOf(again);
      const matchBy = 'externalId' as const;
      const known = await readKnown(transaction, keysOf([parsed]), { matchBy, source: 'shop', lock: false });
      await meanwhile([...known.persons.keys()][0] ?? '');
      const options = { ...{ onConflict: 'overwrite' as const, matchBy }, dryRun: false, vault: testVault() };
      const { decisions } = new Resolver(known, { ...options, now: 0 }).addAll([parsed]);
      expect(decisions.outcomes).toMatchObject([{ status: 'UPDATED' }]);
      await writeDecisions(transaction, 'week-2', decisions, { matchBy });
    }, BEGIN_BULK);

  const sending = ({ database: { db } }: FrontUnderTest, userId: string) =>
    db.query(
      `insert into handed_over_logins (recipe_user_id, user_id, hand_over_id, core_id, state)
       values ($1, $1, $1, 'old-1', 'sending')`,
      [userId],
    );

  it('makes an import decide again that has read somebody before', async () => {
    const service = await useFront();
    await importWithId(service, 'week-1', [line()], '&source=shop');
    const change = writeAfter(service, line(NEW), (userId) => sending(service, userId));
    await expect(change).rejects.toBeInstanceOf(Contended);
  });

  it('makes an import decide again about somebody who has lost the external id', async () => {
    const service = await useFront();
    await importWithId(service, 'week-1', [line()], '&source=shop');
    const change = writeAfter(service, line(NEW), () =>
      service.database.db.query('delete from user_aliases'),
    );
    await expect(change).rejects.toBeInstanceOf(Contended);
  });

  it.each(['handed over', 'removed'])(
    'makes an import decide again that adds a login method to somebody who was %s',
    async (what) => {
      const service = await useFront();
      await importWithId(service, 'week-1', [line()], '&source=shop');
      const google = googleOf('g1', ADA);
      const methods = [{ ...md5Method(ADA, PASSWORD), isPrimary: true }, google];
      const change = writeAfter(service, line(ADA, PASSWORD, { loginMethods: methods }), (userId) =>
        what === 'removed' ? service.store.removeUser(userId, 'user') : sending(service, userId),
      );
      await expect(change).rejects.toBeInstanceOf(Contended);
    },
  );

  it.each(ALL.filter(([match]) => match === 'externalId'))(
    'is not given login methods by a line (%s, %s)',
    async (_, policy, match) => {
      const service = await handedOver();
      const google = googleOf('g1', ADA);
      const again = line(ADA, PASSWORD, {
        loginMethods: [{ ...md5Method(ADA, PASSWORD), isPrimary: true }, google],
      });
      expect(await nextWeek(service, again, `${match}&onConflict=${policy}`)).toMatchObject({
        status: 'SKIPPED',
        ...HANDED_OVER,
      });
      expect(await rowsOf(service.database.uri, 'select 1 from third_party_logins')).toEqual([]);
    },
  );
});
