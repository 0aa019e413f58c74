import { aix } from './aix.ts';
import { bsdiCryptVerifier } from './bsdi-crypt.ts';
import { DES_CRYPT } from './des-crypt.ts';
import { MD5_CRYPT } from './md5-crypt.ts';
import { mysqlCachingSha2 } from './mysql-caching-sha2.ts';
import { SHA_CRYPT } from './sha-crypt.ts';
import { sha1CryptVerifier } from './sha1-crypt.ts';
import { sunMd5Verifier } from './sun-md5.ts';
import { YESCRYPT } from './yescrypt.ts';

/** Hash families of crypt(3), and families that write the same hashes in another form. */
export const CRYPT = [
  ...MD5_CRYPT,
  ...SHA_CRYPT,
  mysqlCachingSha2,
  sha1CryptVerifier,
  sunMd5Verifier,
  aix,
  ...DES_CRYPT,
  bsdiCryptVerifier,
  ...YESCRYPT,
] as const;
