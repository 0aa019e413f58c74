import type { PortableHash } from '../hashing/portable-hash.ts';

type Of<Kind extends PortableHash['kind']> = Extract<PortableHash, { kind: Kind }>;

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Returns undefined for argon2d and version 1.0 of argon2, which other systems' libraries mostly lack. */
export function argon2Text(hash: Of<'argon2'>): string | undefined {
  const { type, version, memoryKb, iterations, parallelism, salt } = hash;
  if (type === 'd' || version !== 19) return undefined;
  const costs = `m=${memoryKb},t=${iterations},p=${parallelism}`;
  return `$argon2${type}$v=19$${costs}$${unpadded(salt)}$${unpadded(hash.hash)}`;
}

export const pbkdf2Text = ({ digest, iterations, salt, hash }: Of<'pbkdf2'>) =>
  `$pbkdf2-${digest}$i=${iterations},l=${hash.length}$${unpadded(salt)}$${unpadded(hash)}`;
