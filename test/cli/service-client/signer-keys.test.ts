import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nameSecret, signerKeys } from '../../../src/cli/service-client/signer-keys.ts';
import { HashingSecrets } from '../../../src/hashing/secrets.ts';
import type { JsonObject } from '../../../src/lib/json/json-object.ts';
import { answer, fakeService } from '../fake-service.ts';

const [OWN, SECOND, SHARED, OTHER] = [randomBytes(64), randomBytes(64), randomBytes(64), randomBytes(64)];
const SECRETS = new HashingSecrets([
  { id: undefined, algorithm: 'external_scrypt', bytes: OWN },
  { id: 'second', algorithm: undefined, algorithms: ['external_scrypt'], bytes: SECOND },
  { id: 'shared', algorithm: undefined, algorithms: ['external_scrypt', 'shiro1'], bytes: SHARED },
]);

async function keysOf({ namedId, isShown = false }: { namedId?: string; isShown?: boolean } = {}) {
  const asked: string[] = [];
  const { url } = await fakeService(
    () => {},
    async (request, response) => {
      const text = (await request.toArray()).join('');
      const { nonce = '' } = JSON.parse(text) as { nonce?: string };
      asked.push(`${request.url} ${nonce}`);
      const signerKeys = SECRETS.fingerprints('external_scrypt', Buffer.from(nonce, 'base64')).map(
        ({ id, fingerprint }) => ({
          ...(id && { hashingSecretId: id }),
          ...(fingerprint && { fingerprint: fingerprint.toString('base64') }),
        }),
      );
      answer(response, 200, { status: 'OK', signerKeys });
    },
  );
  const service = { url, apiKey: 'a-key', isUnprotected: false };
  const keys = signerKeys(service, { namedId, isShown });
  return {
    asked,
    idOf: (key: Buffer) => keys(key.toString('base64'), 'row 3 of users.json'),
    keys,
  };
}

it('finds the id of each key with one request, without sending a key', async () => {
  const { asked, idOf } = await keysOf();
  expect(await Promise.all([OWN, SECOND, OWN].map(idOf))).toEqual([undefined, 'second', undefined]);
  expect(asked.length).toBe(1);
  for (const key of [OWN, SECOND]) expect(asked[0]).not.toContain(key.toString('base64').slice(0, 8));
});

it('accepts another spelling of the key', async () => {
  const { keys } = await keysOf();
  expect(await keys(SECOND.toString('base64url'), 'row')).toBe('second');
});

describe('if the service does not have the key', () => {
  it('it stops with the lines to add, and shows the key on request only', async () => {
    const refusal = async (isShown: boolean) =>
      (await keysOf({ isShown })).idOf(OTHER).catch(({ message }: Error) => message);
    const [hidden, shown] = [await refusal(false), await refusal(true)];
    expect(hidden).toMatch(
      /signer key of row 3 of users\.json[\s\S]*\nhashing_secrets:\n {2}- id: signer-key-[0-9a-f]{8}\n {4}algorithms: \[external_scrypt\]\n {4}secret_base64: /,
    );
    expect(hidden).not.toContain(OTHER.toString('base64').slice(0, 8));
    expect(shown).toContain(`\n    secret_base64: ${OTHER.toString('base64')}\n`);
  });

  it('it stops at a text that is not a key', async () => {
    await expect((await keysOf()).keys('a b', 'row 1')).rejects.toThrow(/^row 1: .* is not base64/);
  });
});

describe('if --hashing-secret-id names a secret', () => {
  it('it is accepted if its fingerprint is right or missing', async () => {
    expect(await (await keysOf({ namedId: 'second' })).idOf(SECOND)).toBe('second');
    expect(await (await keysOf({ namedId: 'shared' })).idOf(SHARED)).toBe('shared');
  });

  it('it is refused if it is another key', async () => {
    await expect((await keysOf({ namedId: 'second' })).idOf(OWN)).rejects.toThrow(
      '--hashing-secret-id second is not the signer key of row 3 of users.json: leave it out.',
    );
  });
});

it('names the secret in lines with a hash, and does not change long numbers', async () => {
  const row = {
    file: 'a.json',
    row: 1,
    table: '',
    result: 'import' as const,
    line: '{"userMetadata":{"n":12345678901234567890},"loginMethods":[{"recipeId":"emailpassword","passwordHash":"x"},{"recipeId":"thirdparty"}]}',
    signerKey: SECOND.toString('base64'),
  };
  await nameSecret(row, (await keysOf()).keys);
  expect(row).toMatchObject({
    line: '{"userMetadata":{"n":12345678901234567890},"loginMethods":[{"recipeId":"emailpassword","passwordHash":"x","hashingSecretId":"second"},{"recipeId":"thirdparty"}]}',
    signerKey: undefined,
  } satisfies JsonObject);
});
