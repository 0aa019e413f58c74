import { createHash } from 'node:crypto';
import { Decoys } from '../../src/hashing/decoys.ts';
import { argon2 } from '../../src/hashing/families/argon2.ts';
import { type Family, family, type Row } from '../../src/hashing/family.ts';
import { type DigestFormula, digest } from '../../src/hashing/formulas.ts';
import { KdfGate } from '../../src/hashing/kdf-gate.ts';
import { Passwords } from '../../src/hashing/passwords.ts';
import { buildRegistry, newHashMaker } from '../../src/hashing/registry.ts';
import type { HashingSecret } from '../../src/hashing/secrets.ts';
import { DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../support/vectors.ts';

const md5 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

type Traits = Pick<Row, 'aliases' | 'byName' | 'rank' | 'secret'> & {
  /** Reference cost of hashes that are not computed on the event loop. */
  ms?: number;
};

/** Returns a family of hashes `<32 hexadecimal digits>:<salt>`, which several systems write. */
export const saltedHex = (name: string, of: DigestFormula, { ms, ...row }: Traits = {}): Family =>
  family(name, {
    as: '<hash:hex/16>:<salt:text*>',
    ...row,
    formula: { ...digest(of), ...(ms !== undefined && { cost: () => ({ memoryBytes: 8192, ms }) }) },
  });

export const saltThenPassword: DigestFormula = ({ password, salt }) => md5(salt, password);
export const passwordThenSalt: DigestFormula = ({ password, salt }) => md5(password, salt);
export const withPepper: DigestFormula = ({ password, salt, secret }) => md5(salt, password, secret);

export const SALT_FIRST = saltedHex('salt-first', saltThenPassword, { aliases: ['s-first'], byName: true });
export const SALT_LAST = saltedHex('salt-last', passwordThenSalt, { byName: true });
export const PEPPERED = saltedHex('peppered', withPepper, { byName: true, secret: 'required' });

export const saltFirst = (password: string, salt: string) => `${md5(salt, password).toString('hex')}:${salt}`;
export const peppered = (password: string, salt: string, secret: string) =>
  `${md5(salt, password, secret).toString('hex')}:${salt}`;

/** Returns passwords with these families, and argon2 for new hashes. */
export function passwordsOf(families: readonly Family[], secrets: readonly HashingSecret[] = []): Passwords {
  const registry = buildRegistry(DEFAULT_LIMITS, secrets, [argon2, ...families]);
  const maker = newHashMaker({ algorithm: 'argon2', settings: DEFAULT_SETTINGS }, registry);
  const gate = new KdfGate({ concurrency: 1, memoryBytes: DEFAULT_LIMITS.memoryBudgetBytes, queueLimit: 10 });
  return new Passwords({
    registry,
    gate,
    decoys: new Decoys(maker.example, 'a secret'),
    maker,
    wrapMaker: maker,
  });
}
