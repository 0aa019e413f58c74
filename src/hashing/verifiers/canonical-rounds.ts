import { canonicalReader } from '../formats/canonical.ts';
import { requiredField } from '../formats/named-fields.ts';
import type { RoundDigest } from '../kdf/round-hasher.ts';
import type { DigestRounds } from './define-digest-rounds.ts';

const DIGEST_NAMES: Partial<Record<RoundDigest, string>> = {
  md5: 'MD5',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha512: 'SHA-512',
};
const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');

/**
 * Repeated digests of systems that store salt and digest in separate columns.
 * @param options `program` is the software that writes the hashes. With `defaultRounds`, `i` is optional.
 */
export function canonicalRounds(
  name: string,
  { program, digest, defaultRounds }: { program: string; digest: RoundDigest; defaultRounds?: number },
): Pick<DigestRounds, 'name' | 'displayName' | 'looksLike' | 'shape' | 'reader' | 'decoy'> {
  const i = defaultRounds === undefined ? 'i=<rounds>' : `[i=<rounds, or ${defaultRounds}>]`;
  return {
    name,
    displayName: `${program} ${DIGEST_NAMES[digest]}`,
    looksLike: `\`$${name}$${i}$<salt>$<hash>\``,
    shape: new RegExp(`^\\$${name}\\$`),
    reader() {
      const read = canonicalReader(name, ['i']);
      return (encoded) => {
        const { fields, salt, hash } = read(encoded);
        const rounds = defaultRounds === undefined ? requiredField(fields, 'i') : fields.get('i');
        return { digest, rounds: rounds ?? String(defaultRounds), salt, hash };
      };
    },
    decoy: ({ rounds, salt, hash }) => `$${name}$i=${rounds}$${zeros(salt.length)}$${zeros(hash.length)}`,
  };
}
