import { expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { parseOnlyRegistry } from '../../src/hashing/registry.ts';
import { ParsedHash, tryParse } from '../../src/hashing/verifier.ts';
import { vectorsOf } from '../support/vectors.ts';

const registry = parseOnlyRegistry();

it.each(FAMILIES.map(({ name }) => name))(
  'accepts every hash of %s that some configuration accepts',
  (name) => {
    const verifier = registry.find(name);
    if (verifier === undefined) throw new Error(`no verifier for ${name}`);
    const secretId = verifier.takesSecret ? 'any-id' : undefined;
    const refused = vectorsOf(name)
      .filter(({ expect: outcome, acceptable }) => outcome !== 'reject' && !acceptable?.includes('reject'))
      // The vectors' signer keys have several lengths.
      .filter(({ params }) => params?.signerKey === undefined)
      .filter(({ hash }) => !(tryParse(verifier, hash, secretId) instanceof ParsedHash))
      .map(({ id }) => id);
    expect(refused).toEqual([]);
  },
);

it("checks the digest length against the known signer key, or else against Firebase's", () => {
  const hash = (bytes: number) =>
    `$f_scrypt$${Buffer.alloc(bytes, 1).toString('base64')}$6XjjwTA18mKqyw==$m=14$r=8$s=Bw==`;
  const outcome = (signerKey: Uint8Array | undefined, bytes: number) => {
    const verifier = parseOnlyRegistry(signerKey).find('external_scrypt');
    return verifier && tryParse(verifier, hash(bytes)) instanceof ParsedHash;
  };
  expect([outcome(undefined, 64), outcome(undefined, 32)]).toEqual([true, false]);
  expect([outcome(Buffer.alloc(32), 64), outcome(Buffer.alloc(32), 32)]).toEqual([false, true]);
});

it('accepts any secret, whatever its id', () => {
  expect([registry.secrets.has('pepper-1'), registry.secrets.has('other')]).toEqual([true, true]);
});
