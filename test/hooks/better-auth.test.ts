/** The example for Better Auth, against the service. */
import { beforeAll, expect, it } from 'vitest';
import { verifyLegacy } from '../../examples/better-auth-verify.ts';
import { API_KEY, useTestApp } from '../support/app.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { listen } from './askers.ts';

const LEGACY = `legacy:bcrypt:${BCRYPT.hash}`;

let url: string;
const service = await useTestApp();
beforeAll(async () => {
  url = await listen(service);
});

const verify = (hash: string, password: string, more: object = {}) =>
  verifyLegacy({ url, apiKey: API_KEY, verifyOwn: async ({ hash: own }) => own === 'own', ...more })({
    hash,
    password,
  });

it('asks about old hashes only', async () => {
  expect(await verify(LEGACY, BCRYPT.password)).toBe(true);
  expect(await verify(LEGACY, 'wrong')).toBe(false);
  expect([await verify('own', 'any'), await verify('salt:key', 'any')]).toEqual([true, false]);
});

it('takes no fault for a wrong password', async () => {
  await expect(verify(LEGACY, BCRYPT.password, { apiKey: 'a-wrong-key-0123456789' })).rejects.toThrow(
    'status 401',
  );
  await expect(verify('legacy:rot13:x', 'any')).rejects.toThrow('status 400');
  await expect(verify(LEGACY, BCRYPT.password, { url: `${url}/nowhere` })).rejects.toThrow('status 403');
  await expect(verify(LEGACY, BCRYPT.password, { url: 'http://127.0.0.1:1' })).rejects.toThrow();
});
