/** Hashes and algorithm names that this service refuses, with the reason. The reason ends a sentence. */
const NOT_TAKEN: readonly { hash?: RegExp; name?: RegExp; reason: string }[] = [
  {
    hash: /^(?:\*[01]?|x|!.*|\*(?:LK|NP)\*)$/s,
    reason: 'it marks a user who has no password: import such users without a password',
  },
  {
    hash: /^(?:\{(?:xor|aes|rc4|des|3des)\}|OBF:)/i,
    name: /^(?:cisco-?(?:type-?)?7|jetty-obf|obf|xor)$/,
    reason:
      'it is encrypted, not hashed: whoever has the key can read the password, so hash it anew and import that',
  },
  {
    hash: /^\{(?:sasl|gssapi|kerberos)\}/i,
    reason: 'it only refers to another system, which stores the password',
  },
  {
    hash: /^fakeHash:/,
    reason: 'it is an export of the Firebase emulator, which has no hashes',
  },
  {
    hash: /^(?:UkVEQUNURUQ=|REDACTED)$/,
    reason: 'the export withheld the hash: export again with an account that may read hashes',
  },
  {
    hash: /^\{(?:whirlpool|tiger|haval|ripemd320|streebog)/i,
    name: /^(?:hex-)?(?:whirlpool|tiger|haval|streebog|gost-?hash|ripemd-?320)/,
    reason: 'this service does not implement this digest',
  },
  {
    hash: /^md5[0-9a-f]{32}$/,
    reason:
      'it is the MD5 of a PostgreSQL role name and its password. Write it as $postgres-md5$u=<name in base64>$$<digest in base64>; user-import does that with --hash \'$postgres-md5$u={NAME|utf8}$${HASH|part(2,"md5")|hex}\', where NAME and HASH are the columns',
  },
  { name: /^(?:aws)?-?cognito$/, reason: 'Cognito never hands out hashes' },
  { name: /^srp/, reason: 'SRP verifiers work only in their own protocol' },
  { name: /^bitwarden$/, reason: 'Bitwarden hashes on the client, so a password alone cannot be checked' },
];

export const whyHashIsNotTaken = (encoded: string): string | undefined =>
  NOT_TAKEN.find(({ hash }) => hash?.test(encoded))?.reason;

/** Returns why an algorithm is refused. `name` must be in lower case. */
export const whyAlgorithmIsNotTaken = (name: string): string | undefined =>
  NOT_TAKEN.find((one) => one.name?.test(name))?.reason;

/** Refusal of a hash. The message is public: it names the broken rule, and never shows the hash. */
export class HashRefused extends Error {
  readonly reason: 'format' | 'cost' | 'secret' | 'signer-key-missing' | 'unavailable';
  constructor(reason: HashRefused['reason'], detail: string) {
    super(detail);
    this.name = 'HashRefused';
    this.reason = reason;
  }
}

/** Returns what `read` returns, or why it refused the hash. */
export function orRefusal<T>(read: () => T): T | HashRefused {
  try {
    return read();
  } catch (error) {
    if (error instanceof HashRefused) return error;
    throw error;
  }
}
