import { canonicalSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { HEX } from '../formats/encodings.ts';
import { md5 } from '../kdf/digests.ts';
import { MD5_BLOCK_BYTES, md5State } from '../kdf/md5-state.ts';
import { BYTES, hmacKey } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

/** Dovecot's CRAM-MD5: the states of HMAC-MD5's outer and inner digests after the key, before any message. */
export const cramMd5 = defineSaltedDigest({
  name: 'cram-md5',
  spelling: patternSpelling(/(?<hash>[0-9a-f]{64})/, {
    looksLike: '64 lower-case hexadecimal digits',
    hash: HEX,
    bytes: 32,
  }),
  password: hmacKey('md5'),
  digest({ password }) {
    const block = Buffer.alloc(MD5_BLOCK_BYTES);
    (password.length > MD5_BLOCK_BYTES ? md5(password) : password).copy(block);
    const masked = (mask: number) => block.map((byte) => byte ^ mask);
    return Buffer.concat([md5State(masked(0x5c)), md5State(masked(0x36))]);
  },
});

/** Dovecot's DIGEST-MD5 (HTTP and SASL) digests the user name, in which the realm follows the last `@`. */
export const digestMd5 = defineSaltedDigest({
  name: 'digest-md5',
  spelling: canonicalSpelling('dovecot', { bytes: 16, user: 'required', salt: 'none' }),
  password: BYTES,
  digest({ password, user }) {
    const at = user.lastIndexOf('@');
    const [name, realm] = at === -1 ? [user, ''] : [user.subarray(0, at), user.subarray(at + 1)];
    return md5(name, ':', realm, ':', password);
  },
});
