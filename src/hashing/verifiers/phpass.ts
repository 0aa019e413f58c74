import { BYTES, HTML_ESCAPED, PHP_TRIMMED, SLASHED } from '../kdf/password-reading.ts';
import { definePhpass, type PhpassDialect, type PhpassKind } from './define-phpass.ts';

const MD5: PhpassKind = { digest: 'md5' };
const MAX_PASSWORD_BYTES = 4096;

const portable: Pick<PhpassDialect, 'looksLike' | 'shape' | 'kinds' | 'maxPasswordBytes' | 'reference'> = {
  looksLike: '`$P$<cost><salt><digest>` or `$H$…` (phpBB 3), 34 characters',
  shape: /^\$[PH]\$/,
  // WordPress ($P$) and phpBB ($H$) escape passwords in different ways before hashing them.
  kinds: { $P$: { ...MD5, secondReading: SLASHED }, $H$: { ...MD5, secondReading: HTML_ESCAPED } },
  maxPasswordBytes: MAX_PASSWORD_BYTES,
  reference: {
    formula: '7.4 µs × 2^cost, for the longest password; 0.5 µs for usual ones',
    examples: 'cost `B` (13): 61 ms; `G` (18): 1937 ms',
    measured: 'cost `B`: 63 ms for 4096 bytes, 5 for 8; `G`: 2018 and 127 ms',
  },
};

/** Portable hashes of phpass: repeated MD5. WordPress (up to 6.7), phpBB 3 and others write them. */
const phpass = definePhpass({
  ...portable,
  name: 'phpass',
  aliases: ['phpbb3', 'md5_phpass'],
  displayName: 'phpass',
  password: BYTES,
});

/** WordPress trims the password before hashing it and at sign-in. */
const wordpressPhpass = definePhpass({
  ...portable,
  name: 'wordpress-phpass',
  displayName: 'WordPress phpass',
  byNameOnly: true,
  password: PHP_TRIMMED,
});

/** Drupal's upgrade from version 6 to 7 hashes each stored MD5 again and adds a `U` to the prefix. */
const drupal7 = definePhpass({
  name: 'drupal7',
  displayName: 'Drupal 7',
  looksLike: '`[U]$S$<cost><salt><digest>`, 55 characters and the `U`; `U$P$…`, 35 characters',
  shape: /^(?:U?\$S\$|U\$P\$)/,
  kinds: {
    $S$: { digest: 'sha512' },
    U$S$: { digest: 'sha512', passwordDigest: 'md5' },
    U$P$: { digest: 'md5', passwordDigest: 'md5' },
  },
  password: BYTES,
  maxPasswordBytes: 512,
  reference: {
    formula: '2.3 µs × 2^cost, for the longest password; 0.9 µs for usual ones; `U$P$` 1.4 µs',
    examples: 'cost `D` (15): 75 ms',
    measured: 'cost `D`: 75 ms for 512 bytes, 31 for 8; `G`: 598 and 243 ms',
  },
});

export const PHPASS = [phpass, wordpressPhpass, drupal7];
