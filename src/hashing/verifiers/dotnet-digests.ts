import { canonicalReader, emptyCanonical } from '../formats/canonical.ts';
import {
  canonicalShape,
  type DigestSpelling,
  type DigestText,
  patternSpelling,
  sized,
} from '../formats/digest-spelling.ts';
import { PADDED_BASE64 } from '../formats/encodings.ts';
import { bytesOf, type HashPart } from '../formats/hash-part.ts';
import { requiredField } from '../formats/named-fields.ts';
import { oneOf } from '../formats/one-of.ts';
import { DIGEST_BYTES, hmac, sha1, sha256, sha512 } from '../kdf/digests.ts';
import { UTF16 } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

interface MembershipHash extends DigestText {
  digest: keyof typeof MEMBERSHIP_DIGESTS;
}

/** Digests of ASP.NET Membership that the machineKey of a site may name. */
const MEMBERSHIP_DIGESTS = {
  sha1: { bytes: DIGEST_BYTES.sha1, of: sha1 },
  sha256: { bytes: DIGEST_BYTES.sha256, of: sha256 },
  sha512: { bytes: DIGEST_BYTES.sha512, of: sha512 },
  hmacsha256: {
    bytes: DIGEST_BYTES.sha256,
    of: (salt: Buffer, password: Buffer) => hmac('sha256', repeated(salt, HMAC_KEY_BYTES), password),
  },
} as const;

const HMAC_KEY_BYTES = 64;

function repeated(salt: Buffer, bytes: number): Buffer {
  return salt.length === 0 ? Buffer.alloc(bytes) : Buffer.alloc(bytes, salt);
}

/** Different salts may fill the key of HMAC-SHA-256 with the same bytes, so the key identifies the hash. */
function keyOrSalt({ digest, salt }: MembershipHash): Buffer | HashPart | undefined {
  return digest === 'hmacsha256' && salt ? repeated(bytesOf(salt), HMAC_KEY_BYTES) : salt;
}

const NAME = 'aspnet-membership';
const readMembership = canonicalReader(NAME, ['d']);

const MEMBERSHIP: DigestSpelling<MembershipHash> = {
  looksLike: `\`$${NAME}$d=<sha1|sha256|sha512|hmacsha256>$<salt>$<hash>\``,
  shape: canonicalShape(NAME),
  read(encoded) {
    const { fields, salt, hash } = readMembership(encoded);
    const digest = oneOf('d', requiredField(fields, 'd'), MEMBERSHIP_DIGESTS);
    return { digest, salt, hash: sized('hash', hash, MEMBERSHIP_DIGESTS[digest].bytes) };
  },
  decoy: ({ digest, salt, hash }) => emptyCanonical(NAME, { d: digest, salt, hash }),
};

const BASE64_OF_SHA1 = patternSpelling(/(?<hash>[A-Za-z0-9+/]{27}=)/, {
  looksLike: '`<28 base64 digits>`',
  hash: PADDED_BASE64,
  bytes: DIGEST_BYTES.sha1,
});

/** Hash families of passwords in UTF-16, the string encoding of .NET and PeopleTools. */
export const DOTNET_DIGESTS = [
  defineSaltedDigest<MembershipHash>({
    name: NAME,
    displayName: 'ASP.NET Membership',
    spelling: MEMBERSHIP,
    password: UTF16,
    identity: (parsed) => ({ ...parsed, salt: keyOrSalt(parsed) }),
    digest: ({ password, salt }, { digest }) => MEMBERSHIP_DIGESTS[digest].of(salt, password),
    describe: ({ digest }) => ({ digest }),
  }),
  defineSaltedDigest({
    name: 'umbraco-hmacsha1',
    displayName: 'Umbraco HMAC-SHA1',
    byNameOnly: true,
    spelling: BASE64_OF_SHA1,
    // Umbraco's password is both key and message of the HMAC. A password with an equivalent key is another
    // message.
    password: UTF16,
    digest: ({ password }) => hmac('sha1', password, password),
  }),
  defineSaltedDigest({
    name: 'peoplesoft',
    displayName: 'PeopleSoft',
    byNameOnly: true,
    spelling: BASE64_OF_SHA1,
    password: UTF16,
    digest: ({ password }) => sha1(password),
  }),
];
