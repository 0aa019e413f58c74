import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ParsedUser, ValidationError } from '../../../src/imports/input/parsed-user.ts';
import { readUser } from '../../../src/imports/input/read-line.ts';
import { ERROR_STATUS } from '../../../src/lib/errors.ts';
import { normalizeEmail } from '../../../src/users/email.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { ARGON2, BCRYPT, EXTERNAL_SCRYPT } from '../../support/example-hashes.ts';
import { IMPORT } from '../../support/service-calls.ts';
import { NOW, readDeps } from '../../support/user-forms.ts';

const deps = readDeps();
/** Part of all generated data. No message may contain it. */
const SECRET = 'qZ7secretZq';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => SECRET + text),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    `${SECRET}\0`,
    `${SECRET}\ud800`,
    `\udfff${SECRET}`,
    SECRET.padEnd(300, 'é'),
  ),
  fc.constantFrom(SECRET.padEnd(1100), SECRET.padEnd(65_537, 'x')),
);
const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, 0, -1, 1.5, 1e300, [], {}),
);
/** One of `good`, and sometimes one of `bad`. */
const mostly = (good: readonly unknown[], bad: readonly unknown[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
const emails = mostly([`${SECRET}@b.c`, ` ${SECRET}@B.C\n`], [SECRET, `@${SECRET}`, `${SECRET}@`]);
const hashes = mostly(
  [BCRYPT.hash, ARGON2.hash, EXTERNAL_SCRYPT.hash],
  [
    `$2b$04$${SECRET}`,
    `$2z$${SECRET}`,
    `$argon2id$${SECRET}`,
    `$argon2i$v=19$m=64,t=1,${SECRET}=1$AA$AA`,
    `$f_scrypt$${SECRET}$m=1$r=1$s=`,
  ],
);
// JSON omits undefined members.
const algorithms = mostly([undefined, undefined, 'bcrypt', ' Argon2', 'firebase_scrypt'], [SECRET, '']);
const identities = mostly(['google', `${SECRET}1`], ['', SECRET.padEnd(257, 'x')]);

type Members = Record<string, fc.Arbitrary<unknown>>;
/** Objects that have most of these members, usually with good values. */
function objectOf(members: Members) {
  const mostlyGood = Object.entries(members).map(([name, good]) => [
    name,
    fc.oneof({ weight: 19, arbitrary: good }, { weight: 1, arbitrary: anyValue }),
  ]);
  const model: Members = Object.fromEntries(mostlyGood);
  const whole = fc.record(model);
  return fc.oneof({ weight: 4, arbitrary: whole }, fc.record(model, { requiredKeys: [] }));
}

const passwordUsers = objectOf({ email: emails, passwordHash: hashes, hashingAlgorithm: algorithms });
const thirdPartyUsers = objectOf({
  thirdPartyId: identities,
  thirdPartyUserId: identities,
  email: objectOf({ id: emails, isVerified: fc.boolean() }),
});
const common = {
  email: emails,
  isVerified: fc.boolean(),
  isPrimary: mostly([undefined, false], [true]),
  timeJoinedInMSSinceEpoch: fc.integer({ min: 0, max: NOW }),
  externalUserId: mostly([undefined, 'x', 'y'], [SECRET]),
  tenantIds: fc.constant(['public']),
};
const loginMethods = fc.oneof(
  objectOf({ ...common, recipeId: fc.constant('emailpassword'), passwordHash: hashes }),
  objectOf({ ...common, recipeId: fc.constant('emailpassword'), plainTextPassword: fc.constant(SECRET) }),
  objectOf({
    ...common,
    recipeId: fc.constant('thirdparty'),
    thirdPartyId: identities,
    thirdPartyUserId: identities,
  }),
);
const forms = objectOf({
  externalUserId: fc.constantFrom(undefined, 'x', 'z'),
  userMetadata: fc.dictionary(fc.string(), fc.jsonValue()),
  loginMethods: fc.array(loginMethods, { minLength: 1, maxLength: 3 }),
});

function expectPublic({ code, message }: ValidationError): void {
  expect(ERROR_STATUS[code]).toBe(400);
  expect(message).not.toBe('');
  expect(message.toLowerCase()).not.toContain(SECRET.toLowerCase());
}

function expectClean({ externalId, profile, methods }: ParsedUser): void {
  expect(methods.length).toBeGreaterThan(0);
  expect(methods[0].externalId).toBeUndefined();
  const externalIds = [externalId, ...methods.map((method) => method.externalId)].filter(
    (id) => id !== undefined,
  );
  expect(new Set(externalIds).size).toBe(externalIds.length);
  if (profile.metadata !== undefined) expect(JSON.parse(profile.metadata)).toBeTypeOf('object');
  for (const method of methods) {
    expect(normalizeEmail(method.email)).toBe(method.email);
    if (method.recipeId === 'thirdparty' || !('hash' in method.credential)) continue;
    const { encoded, algorithm } = method.credential.hash;
    expect(deps.registry.find(algorithm)?.parse(encoded).encoded).toBe(encoded);
  }
}

describe('any JSON value', () => {
  it.each([
    ['at all', fc.jsonValue(), 0],
    ['like a password user', passwordUsers, 50],
    ['like a third-party user', thirdPartyUsers, 50],
    ['like a user form', forms, 8],
  ])('%s is parsed, or refused without showing its content', (_what, values, enough) => {
    let taken = 0;
    fc.assert(
      fc.property(values, (value) => {
        const read = readUser(deps, JSON.parse(JSON.stringify(value)));
        if ('code' in read) {
          expectPublic(read);
        } else {
          expectClean(read);
          taken += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThanOrEqual(enough);
  });
});

describe('a body of a single call', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await createTestApp();
  });
  afterAll(() => service.close());

  it.each([
    [IMPORT, passwordUsers],
    ['/recipe/signinup', thirdPartyUsers],
  ])('has the same outcome as %s', async (path, bodies) => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        // Without any specific member it could be either kind.
        fc.pre(path === IMPORT || 'thirdPartyId' in body || 'thirdPartyUserId' in body);
        const text = JSON.stringify(body);
        const read = readUser(deps, JSON.parse(text));
        const answer = await service.send('POST', path, text);
        const verdict = 'code' in read ? { status: 400, body: { ...read } } : { status: 200 };
        expect(answer).toMatchObject(verdict);
      }),
      { numRuns: 100 },
    );
  });
});
