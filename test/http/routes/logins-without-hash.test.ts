/** Users who are imported without a hash, through every way of import. */
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { importWithId, rolledBack } from '../../support/import-calls.ts';

let nowMs = Date.now();
let last = 0;
const service = await useTestApp({ now: () => nowMs });

const newEmail = () => `hashless-${++last}@b.c`;
const newId = () => `hashless-${++last}`;
const withHash = (email: string) => ({ email, passwordHash: BCRYPT.hash });
const unset = (email: string) => ({ email, password: 'unset' });
const waiting = (email: string) => ({ email, legacySignIn: true });
const payload = (member: object, email = newEmail()) => ({
  loginMethods: [{ recipeId: 'emailpassword', email, ...member }],
});

/** Returns why the login has no hash, or its algorithm. */
async function stored(email: string): Promise<string | undefined> {
  const login = await service.store.findPasswordLogin(email);
  return login && ('noHash' in login ? login.noHash : login.hash.algorithm);
}

const signIn = async (email: string, password: string) =>
  (await service.send('POST', '/recipe/signin', { email, password })).body.status;

const importOne = (body: object) => service.send('POST', '/recipe/user/passwordhash/import', body);

describe('a user without a hash', () => {
  it.each([
    ['unset', unset],
    ['waiting', waiting],
  ] as const)('is imported by a single call, a stream, a payload and the stage: %s', async (state, line) => {
    const [one, flat, nested, atOnce, staged] = Array.from({ length: 5 }, newEmail) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const { body } = await importOne(line(one));
    expect([body.status, body.didUserAlreadyExist]).toEqual(['OK', false]);
    expect(body.user.loginMethods).toMatchObject([{ recipeId: 'emailpassword', email: one }]);
    expect((await importOne(line(one))).body).toMatchObject({ didUserAlreadyExist: true, user: body.user });

    const { summary } = await importWithId(service, newId(), [line(flat), payload(line(nested), nested)]);
    expect(summary?.created).toBe(2);
    expect((await service.send('POST', '/bulk-import/import', payload(line(atOnce), atOnce))).status).toBe(
      200,
    );
    await service.send('POST', '/bulk-import/users', { users: [payload(line(staged), staged)] });
    await service.staged.idle();
    for (const email of [one, flat, nested, atOnce, staged]) expect(await stored(email)).toBe(state);
  });

  it('is signed in by no password, and by the one that is set', async () => {
    const email = newEmail();
    const { user } = (await importOne(unset(email))).body;
    for (const password of ['', 'unset', 'password']) {
      expect(await signIn(email, password)).toBe('WRONG_CREDENTIALS_ERROR');
    }
    const change = { recipeUserId: user.id, password: 'of a reset' };
    expect((await service.send('PUT', '/recipe/user', change)).body.status).toBe('OK');
    expect(await signIn(email, 'of a reset')).toBe('OK');
    // What the user has set stays, whatever a later import says.
    await importOne(waiting(email));
    await importWithId(service, newId(), [unset(email)], '&onConflict=overwrite');
    expect(await signIn(email, 'of a reset')).toBe('OK');
  });

  it('keeps its state when the address changes, and cannot sign up again', async () => {
    const [email, next] = [newEmail(), newEmail()];
    const { user } = (await importOne(waiting(email))).body;
    const signUp = await service.send('POST', '/recipe/signup', { email, password: 'new' });
    expect(signUp.body.status).toBe('EMAIL_ALREADY_EXISTS_ERROR');
    await service.send('PUT', '/recipe/user', { recipeUserId: user.id, email: next });
    expect([await stored(email), await stored(next)]).toEqual([undefined, 'waiting']);
  });

  it.each([
    ['password of another value', { password: 'hunter2' }, 'password can only be "unset"'],
    ['legacySignIn of another value', { legacySignIn: false }, 'legacySignIn can only be true'],
    ['both', { password: 'unset', legacySignIn: true }, 'Only one of password and legacySignIn can be given'],
    [
      'beside a hash',
      { passwordHash: BCRYPT.hash, password: 'unset' },
      'Only one of passwordHash and password can be given',
    ],
  ])('is refused: %s', async (_name, member, message) => {
    const email = newEmail();
    const single = await importOne({ email, ...member });
    expect([single.status, single.body.message]).toEqual([400, message]);
    const { results } = await importWithId(service, newId(), [{ email, ...member }, payload(member)]);
    expect(results.map((result) => [result.code, result.message])).toEqual([
      ['FIELD_INVALID', message],
      ['FIELD_INVALID', `${message} for an emailpassword recipe.`],
    ]);
    const staged = await service.send('POST', '/bulk-import/users', { users: [payload(member)] });
    expect([staged.status, staged.text.includes('hunter2')]).toEqual([400, false]);
    expect(await stored(email)).toBeUndefined();
  });

  it('must be said: a line with neither hash nor reason fails as before', async () => {
    const { status, body } = await importOne({ email: newEmail() });
    expect([status, body.message]).toEqual([
      400,
      "Field name 'passwordHash' is invalid in JSON input: passwordHash is required",
    ]);
  });
});

describe('a second import', () => {
  it.each(['update-unchanged', 'overwrite'])('never replaces a hash by none (%s)', async (onConflict) => {
    const email = newEmail();
    await importOne(withHash(email));
    const importId = newId();
    const lines = [unset(email), waiting(email)];
    const { summary } = await importWithId(service, importId, lines, `&onConflict=${onConflict}`);
    expect([summary?.updated, await stored(email)]).toEqual([2, 'bcrypt']);
    expect(await signIn(email, BCRYPT.password)).toBe('OK');
    expect(await rolledBack(service, importId)).toEqual({});
  });

  it.each(['update-unchanged', 'overwrite'])('brings a hash or another reason (%s)', async (onConflict) => {
    const [hashed, changed] = [newEmail(), newEmail()];
    await importWithId(service, newId(), [waiting(hashed), unset(changed)]);
    const importId = newId();
    const lines = [withHash(hashed), waiting(changed)];
    const dry = await importWithId(service, newId(), lines, `&onConflict=${onConflict}&dryRun=true`);
    expect(dry.summary?.updated).toBe(2);
    expect([await stored(hashed), await stored(changed)]).toEqual(['waiting', 'unset']);
    await importWithId(service, importId, lines, `&onConflict=${onConflict}`);
    expect([await stored(hashed), await stored(changed)]).toEqual(['bcrypt', 'waiting']);
    expect(await rolledBack(service, importId)).toEqual({ hashesRestored: 2 });
    expect([await stored(hashed), await stored(changed)]).toEqual(['waiting', 'unset']);
  });

  it('leaves it alone with skip and fail', async () => {
    const email = newEmail();
    await importWithId(service, newId(), [unset(email)]);
    for (const onConflict of ['skip', 'fail']) {
      await importWithId(service, newId(), [withHash(email), waiting(email)], `&onConflict=${onConflict}`);
      expect(await stored(email)).toBe('unset');
    }
  });

  it('decides lines of one chunk, and of a dry run, as if they came one by one', async () => {
    for (const query of ['', '&dryRun=true']) {
      const email = newEmail();
      const importId = newId();
      const lines = [unset(email), waiting(email), withHash(email), unset(email)];
      const { summary } = await importWithId(service, importId, lines, `&onConflict=overwrite${query}`);
      expect([summary?.created, summary?.updated]).toEqual([1, 3]);
      if (query === '') expect(await stored(email)).toBe('bcrypt');
    }
  });

  it('of a single call replaces the reason, and brings a hash', async () => {
    const email = newEmail();
    await importOne(unset(email));
    await importOne(waiting(email));
    expect(await stored(email)).toBe('waiting');
    await importOne(withHash(email));
    expect(await signIn(email, BCRYPT.password)).toBe('OK');
  });
});

it('removes users without a hash in a rollback, but not those who have set a password', async () => {
  const [gone, stays] = [newEmail(), newEmail()];
  const importId = newId();
  await importWithId(service, importId, [unset(gone), waiting(stays)]);
  const login = await service.store.findPasswordLogin(stays);
  await service.send('PUT', '/recipe/user', { recipeUserId: login?.recipeUserId, password: 'set here' });
  expect(await rolledBack(service, importId)).toEqual({ usersRemoved: 1, usersKept: 1 });
});

it('counts in the census as groups of their own, and is no sample of hashes', async () => {
  nowMs += 60_001;
  const { hashes } = (await service.send('GET', '/recipe/user/passwordhash/census')).body;
  for (const hashingAlgorithm of ['unset', 'waiting']) {
    expect(hashes).toContainEqual(
      expect.objectContaining({ hashingAlgorithm, class: 'none', setBy: 'import', signedIn: 0 }),
    );
  }
  const { hashes: sampled } = await service.store.sampleHashes(1000);
  expect(sampled.every(({ encoded }) => typeof encoded === 'string')).toBe(true);
});
