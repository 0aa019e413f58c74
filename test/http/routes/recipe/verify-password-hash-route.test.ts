import { expect, it } from 'vitest';
import { SIGNER_KEY, useTestApp } from '../../../support/app.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../../support/example-hashes.ts';
import { failure, IMPORT, VERIFY } from '../../../support/service-calls.ts';

const service = await useTestApp();

const verify = (passwordHash: string, password: string, hashingAlgorithm?: string, app = service) =>
  app.send('POST', VERIFY, { passwordHash, password, hashingAlgorithm });

it.each([
  ['', undefined],
  [BCRYPT.hash, ''],
  [BCRYPT.hash, 'no-such'],
  [BCRYPT.hash, 'argon2'],
  ['hunter2', undefined],
  [BCRYPT.hash.slice(0, 41), undefined],
  [BCRYPT.hash.replace('$04$', '$30$'), undefined],
  [EXTERNAL_SCRYPT.hash.replace('m=14', 'm=x'), undefined],
])('refuses %j as %j in the same way as the import', async (passwordHash, hashingAlgorithm) => {
  const imported = await service.send('POST', IMPORT, { email: 'a@b.c', passwordHash, hashingAlgorithm });
  expect(imported.status).toBe(400);
  const verified = await verify(passwordHash, BCRYPT.password, hashingAlgorithm);
  expect([verified.status, verified.body]).toEqual([400, imported.body]);
});

it('reports a match, and how the hash was read', async () => {
  const { status, body } = await verify(EXTERNAL_SCRYPT.hash, EXTERNAL_SCRYPT.password, 'Firebase_SCrypt');
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'OK',
    match: true,
    hashingAlgorithm: 'external_scrypt',
    parameters: { memCost: 14, rounds: 8, saltBytes: 10, saltSeparatorBytes: 1, digestBytes: 64 },
    cost: { ms: expect.any(Number), memoryBytes: 16_780_288 },
  });
  expect((await verify(BCRYPT.hash, BCRYPT.password)).body).toMatchObject({
    match: true,
    parameters: { variant: '2b', cost: 4 },
  });
});

it('lists the families a hash could belong to, without running a hash, if there is no password', async () => {
  const { hash: passwordHash, password } = BCRYPT;
  const bcrypt = {
    hashingAlgorithm: 'bcrypt',
    strength: 'strong',
    needsSecret: false,
    mustBeNamed: false,
    parses: true,
  };
  const listed = await service.send('POST', VERIFY, { passwordHash, candidates: true });
  expect([listed.status, Object.keys(listed.body)]).toEqual([200, ['status', 'candidates']]);
  expect(listed.body).toMatchObject({
    candidates: expect.arrayContaining([expect.objectContaining(bcrypt)]),
  });
  expect((await service.send('POST', VERIFY, { passwordHash: 'hunter2', candidates: true })).body).toEqual({
    status: 'OK',
    candidates: [],
  });
  expect(
    (await service.send('POST', VERIFY, { passwordHash, password, candidates: true })).body,
  ).toMatchObject({
    match: true,
    // The password is the same for families that change only long passwords, HTML or Unicode.
    matches: expect.arrayContaining([
      expect.objectContaining({ hashingAlgorithm: 'bcrypt', mustBeNamed: false }),
      expect.objectContaining({ hashingAlgorithm: 'phpbb', mustBeNamed: true }),
    ]),
    candidates: expect.arrayContaining([expect.objectContaining(bcrypt)]),
  });
});

it.each([{}, { candidates: false }, { candidates: 'true' }, { candidates: true, password: null }])(
  'refuses a hash without a password and %j',
  async (others) => {
    const answer = await service.send('POST', VERIFY, { passwordHash: BCRYPT.hash, ...others });
    expect(answer).toMatchObject(failure(400, 'FIELD_INVALID', "Field name '"));
    expect(answer.body.message).toContain(' is invalid in JSON input');
  },
);

it('reports a mismatch, without a mistake if none explains it', async () => {
  const { body } = await verify(BCRYPT.hash, 'wrong');
  expect(body).toMatchObject({ status: 'OK', match: false, hashingAlgorithm: 'bcrypt' });
  expect(body).not.toHaveProperty('likelyMistakes');
});

it('names the mistake, also for a hash that the import refuses', async () => {
  const swapped = EXTERNAL_SCRYPT.hash.replace('m=14$r=8', 'm=8$r=14');
  expect((await verify(swapped, EXTERNAL_SCRYPT.password)).body).toMatchObject({
    match: false,
    parameters: { memCost: 8, rounds: 14 },
    likelyMistakes: [
      { code: 'MEM_COST_AND_ROUNDS_SWAPPED', message: expect.stringMatching(/costs are swapped/) },
    ],
  });
  const { status, body } = await verify(`"${BCRYPT.hash}"`, BCRYPT.password);
  expect([status, body]).toEqual([
    200,
    {
      status: 'OK',
      match: false,
      hashingAlgorithm: 'bcrypt',
      parameters: { variant: '2b', cost: 4 },
      cost: { ms: expect.any(Number), memoryBytes: 8192 },
      likelyMistakes: [
        {
          code: 'HASH_WRAPPED',
          message: expect.stringMatching(/ As it is, it is refused: Password hash is in invalid format: /),
        },
      ],
    },
  ]);
});

it('stores nothing, and logs only the algorithm of the request', async () => {
  const fresh = await useTestApp();
  const hashes = [
    BCRYPT.hash,
    ARGON2.hash,
    EXTERNAL_SCRYPT.hash,
    `"${ARGON2.hash}"`,
    BCRYPT.hash.slice(0, 50),
  ];
  const answers = [];
  for (const hash of hashes) {
    for (const password of [ARGON2.password, EXTERNAL_SCRYPT.password]) {
      answers.push(await verify(hash, password, undefined, fresh));
    }
  }
  const secrets = [
    ARGON2.password,
    EXTERNAL_SCRYPT.password,
    SIGNER_KEY,
    ...hashes.flatMap((hash) => hash.split('$')),
  ];
  const told = fresh.log() + answers.map(({ text }) => text).join('');
  for (const secret of secrets.filter(({ length }) => length > 9)) expect(told).not.toContain(secret);

  const lines = fresh
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ route, status, hashAlgorithm }) => [route, status, hashAlgorithm])).toEqual(
    [
      [200, 'bcrypt'],
      [200, 'bcrypt'],
      [200, 'argon2'],
      [200, 'argon2'],
      [200, 'external_scrypt'],
      [200, 'external_scrypt'],
      [200, 'argon2'],
      [400, undefined],
      [400, undefined],
      [400, undefined],
    ].map((rest) => [VERIFY, ...rest]),
  );
  for (const table of ['users', 'password_logins']) {
    expect(await fresh.database.db.query(`select 1 from ${table}`)).toEqual([]);
  }
});
