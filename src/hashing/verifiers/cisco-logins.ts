import { canonicalSpelling, eitherSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { CRYPT64 } from '../formats/encodings.ts';
import { bytesOf } from '../formats/hash-part.ts';
import { md5 } from '../kdf/digests.ts';
import { isTyped, type PasswordReading } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

/** Devices drop every fourth byte of the MD5 digest. */
const HASH_BYTES = 12;
const USER_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** Cisco devices add the first four bytes of the user name to the password, or a shorter name repeated. */
const suffixOf = (user: Buffer) => (user.length === 0 ? NOTHING : Buffer.alloc(USER_BYTES, user));

/** Cisco devices add the user name to a password, pad it with zeros, and cut off the rest. */
interface Device {
  name: string;
  displayName: string;
  /** Lengths in bytes to which the device pads: the first that suffices, or else the last. */
  blocks: readonly number[];
  /** Length of a password, in bytes, from which the device leaves out the user name. */
  withoutUser: number;
}

function defineCisco({ name, displayName, blocks, withoutUser }: Device) {
  const longest = blocks.at(-1) ?? 0;

  function fillUp(password: Buffer, user: Buffer): Buffer | undefined {
    if (password.length > longest) return undefined;
    const name = password.length >= withoutUser ? NOTHING : suffixOf(user);
    const text = Buffer.concat([password, name]);
    const filled = Buffer.alloc(blocks.find((bytes) => text.length <= bytes) ?? longest);
    text.copy(filled);
    return filled;
  }

  const filledUp = (user: Buffer): PasswordReading => ({
    of: (password) => fillUp(password, user),
    isOnly(password) {
      const filled = fillUp(password, user);
      if (filled === undefined) return false;
      // Only beginnings of the padded text can be other passwords with the same padded text.
      const passwords = Array.from({ length: filled.length + 1 }, (_, bytes) => filled.subarray(0, bytes));
      return passwords.every(
        (other) => other.equals(password) || !isTyped(other) || fillUp(other, user)?.equals(filled) !== true,
      );
    },
  });

  return defineSaltedDigest({
    name,
    displayName,
    byNameOnly: true,
    spelling: eitherSpelling(
      canonicalSpelling(name, { bytes: HASH_BYTES, user: 'optional', salt: 'none' }),
      patternSpelling(/(?<hash>[./0-9A-Za-z]{16})/, {
        looksLike: '`<16 characters>` of a login without a name',
        hash: CRYPT64,
        bytes: HASH_BYTES,
      }),
    ),
    identity: ({ user, hash }) => ({ user: user && suffixOf(bytesOf(user)), hash }),
    password: ({ user }) => filledUp(user === undefined ? NOTHING : bytesOf(user)),
    digest: ({ password }) => Buffer.from(md5(password).filter((_byte, index) => index % 4 !== 3)),
  });
}

/** `enable` and user passwords of Cisco firewalls. The hash does not show which device wrote it. */
export const CISCO_LOGINS = [
  defineCisco({ name: 'cisco-pix', displayName: 'Cisco PIX', blocks: [16], withoutUser: 17 }),
  defineCisco({ name: 'cisco-asa', displayName: 'Cisco ASA', blocks: [16, 32], withoutUser: 28 }),
];
