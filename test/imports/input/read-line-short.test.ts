import { expect, it } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/registry.ts';
import { readLine } from '../../../src/imports/input/read-line.ts';
import { BCRYPT } from '../../support/example-hashes.ts';

const deps = { registry: parseOnlyRegistry(), now: Date.now, keepsFactors: true, maxLineBytes: 100_000 };
const read = (line: object) => readLine(deps, { line: 1, text: JSON.stringify(line) });
const SHORT = { email: ' Ada@b.c', passwordHash: BCRYPT.hash, hashingAlgorithm: 'bcrypt' };

it('keeps the external id of a line without login methods', () => {
  expect(read({ ...SHORT, externalUserId: '42', disabled: true })).toMatchObject({
    ...{ externalId: '42', disabled: true },
    methods: [
      { recipeId: 'emailpassword', email: 'ada@b.c', credential: { hash: { encoded: BCRYPT.hash } } },
    ],
  });
  expect(read(SHORT)).toMatchObject({ methods: [{ email: 'ada@b.c' }] });
  expect(read({ email: 'ada@b.c', password: 'unset', externalUserId: '42' })).toMatchObject({
    ...{ externalId: '42', methods: [{ credential: { noHash: 'unset' } }] },
  });
});

it('refuses an external id that cannot be one', () => {
  for (const externalUserId of ['', 5, null, 'x'.repeat(200)])
    expect(read({ ...SHORT, externalUserId })).toMatchObject({ code: expect.any(String) });
});

it('keeps white space at the end of a password in the clear', () => {
  const clear = (passwordHash: string) =>
    read({ ...SHORT, passwordHash, hashingAlgorithm: 'spring-delegating' });
  const plainText = (text: string) => ({ methods: [{ credential: { plainText: text } }] });
  expect(clear('{noop}secret ')).toMatchObject(plainText('secret '));
  expect(clear(' {noop}secret\r\n')).toMatchObject(plainText('secret'));
  expect(clear('{noop} secret')).toMatchObject(plainText(' secret'));
});
