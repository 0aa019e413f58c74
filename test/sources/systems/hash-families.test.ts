import { describe, expect, it } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/registry.ts';
import { acceptHash } from '../../../src/passwords/accept-hash.ts';
import type { Source } from '../../../src/sources/source.ts';
import { drupal } from '../../../src/sources/systems/content.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { shadow } from '../../../src/sources/systems/password-files.ts';
import { magento } from '../../../src/sources/systems/shops.ts';
import { vectorsOf } from '../../support/vectors.ts';
import { familyOf, readOne, type TestTable, tableOf } from './read-users.ts';

interface Row {
  source: Source;
  algorithm: string;
  tableOf: (hash: string) => TestTable;
  /** Whether this system writes a hash of the vectors. */
  isOurs: (hash: string) => boolean;
}

const rows = (algorithms: readonly string[], row: Omit<Row, 'algorithm'>): Row[] =>
  algorithms.map((algorithm) => ({ ...row, algorithm }));

const ROWS = [
  ...rows(
    [
      ...['sha512-crypt', 'sha256-crypt', 'md5-crypt', 'yescrypt', 'gost-yescrypt', 'bcrypt', 'scrypt-mcf7'],
      ...['sha1-crypt', 'sun-md5', 'bsd-nthash', 'des-crypt', 'bsdi-crypt'],
    ],
    {
      source: shadow,
      isOurs: () => true,
      tableOf: (hash) => tableOf('shadow', [{ name: 'ada', hash }]),
    },
  ),
  ...rows(
    [
      ...['ldap-sha', 'ldap-ssha', 'ldap-md5', 'ldap-smd5', 'ldap-sha2', 'ldap-crypt', 'ldap-pbkdf2'],
      ...['forgerock-pbkdf2', 'atlassian-pbkdf2', 'scram'],
    ],
    {
      source: ldif,
      // Schemes such as `.HEX` are Dovecot's.
      isOurs: (hash) => hash.startsWith('{') && !/^\{[^}]*\./.test(hash),
      tableOf: (hash) => tableOf('ldif', [{ dn: ['uid=ada'], userpassword: [hash] }]),
    },
  ),
  ...rows(['drupal7', 'phpass', 'hex-md5'], {
    source: drupal,
    isOurs: () => true,
    tableOf: (pass) => tableOf('csv', [{ uid: '1', name: 'ada', pass, mail: 'a@x', status: '1' }]),
  }),
  ...rows(['magento1', 'magento2'], {
    source: magento,
    // Magento makes salts of letters and digits.
    isOurs: (hash) => /^[0-9a-f]+:[^:]+(?::[\d_]+)*$/.test(hash),
    tableOf: (password_hash) =>
      tableOf('csv', [{ entity_id: '1', website_id: '1', email: 'a@x', password_hash }]),
  }),
];

describe('hashes of other implementations', () => {
  const registry = parseOnlyRegistry();

  it.each(ROWS)('of $algorithm are read by $source.name', ({ source, algorithm, tableOf, isOurs }) => {
    const vectors = vectorsOf(algorithm).filter(
      ({ expect: outcome, acceptable, hash }) => outcome === true && acceptable === undefined && isOurs(hash),
    );
    expect(vectors).not.toEqual([]);
    for (const { hash, id } of vectors) {
      const { password } = readOne(source, tableOf(hash));
      if (password === undefined || !('encoded' in password)) throw new Error(`${id}: no hash was read`);
      const accepted = acceptHash(registry, password.encoded, familyOf(password));
      expect([id, accepted.algorithm, accepted.encoded]).toEqual([id, algorithm, hash]);
    }
  });
});
