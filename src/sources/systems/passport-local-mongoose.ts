import type { SourceRecord, TableHead } from '../containers/table.ts';
import { invalidHash, pbkdf2Hash } from '../fields/hashes.ts';
import { timeOf, timeOfObjectId } from '../fields/time.ts';
import { bytesOf, textOf } from '../fields/values.ts';
import type { DetectionContext, Settings } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';
import { hasAll, type Row, system } from './declare.ts';
import { isPayloadCollection } from './payload.ts';

/** Defaults of passport-local-mongoose. The MongoDB collection does not record its options. */
const DEFAULTS = { digest: 'sha256', iterations: 25_000 } as const;
const DEFAULT_HASH_BYTES = 512;
const DEFAULT_SALT_BYTES = 32;
const DIGESTS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;

/**
 * Recognised by the length of hash and salt: many applications have both columns, but no other system has
 * values of this length.
 */
function isCollection(table: TableHead, settings: Settings, around?: DetectionContext): boolean {
  if (around?.isNamed !== true && isPayloadCollection(table)) return false;
  const isTold =
    around?.isNamed === true ||
    ['digest', 'iterations', 'keylen'].some((name) => settings[name] !== undefined);
  return table.first.some(({ hash, salt }) => {
    if (typeof hash !== 'string' || typeof salt !== 'string') return false;
    const [hashBytes, saltBytes] = [decode(hash), decode(salt)];
    if (hashBytes === undefined || saltBytes === undefined) return false;
    if (isTold || hashBytes.length === DEFAULT_HASH_BYTES) return true;
    return saltBytes.length === DEFAULT_SALT_BYTES && hasAll(table, '_id __v');
  });
}

/** Base64 as Node writes it, padded and in the standard alphabet. Other hashes rarely look like that. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The option `encoding` of passport-local-mongoose is `hex`, the default, or `base64`. */
const decode = (text: string): Buffer | undefined =>
  bytesOf(text, 'hex') ?? (BASE64.test(text) ? bytesOf(text, 'base64') : undefined);

function passwordOf({ hash, salt }: SourceRecord, settings: Settings): SourcePassword | undefined {
  const [digits, saltText] = [textOf(hash), textOf(salt)];
  if (digits === undefined) return undefined;
  if (saltText === undefined) return invalidHash('the salt is missing');
  const bytes = decode(digits);
  if (bytes === undefined) return invalidHash('the hash is neither hexadecimal digits nor base64');
  const parameters = parametersOf(settings);
  if (typeof parameters === 'string') return invalidHash(parameters);
  const { digest, iterations, keylen } = parameters;
  if (keylen !== undefined && bytes.length !== keylen)
    return invalidHash(`the hash has ${bytes.length} bytes, keylen says ${keylen}`);
  // passport-local-mongoose uses the characters of the salt as text, rather than the bytes that they
  // encode.
  return pbkdf2Hash({ digest, iterations, salt: Buffer.from(saltText), hash: bytes });
}

interface Parameters {
  digest: (typeof DIGESTS)[number];
  iterations: number;
  keylen: number | undefined;
}

/** Parameters of all hashes, or the problem with the options that name them. */
function parametersOf(settings: Settings): Parameters | string {
  const { iterations = String(DEFAULTS.iterations), keylen } = settings;
  const wanted = settings.digest?.toLowerCase().replace('-', '') ?? DEFAULTS.digest;
  const digest = DIGESTS.find((name) => name === wanted);
  if (digest === undefined) return `the setting digest is none of ${DIGESTS.join(', ')}`;
  if (!isCount(iterations)) return 'the setting iterations is no whole number above 0';
  if (keylen !== undefined && !isCount(keylen)) return 'the setting keylen is no whole number above 0';
  return {
    digest,
    iterations: Number(iterations),
    keylen: keylen === undefined ? undefined : Number(keylen),
  };
}

const isCount = (text: string) => /^[1-9]\d{0,8}$/.test(text);

/** Plain applications take an address as the user name, which nobody has confirmed. */
function addressOf({ record }: Row): Partial<SourceUser> {
  const [email, username] = [textOf(record.email), textOf(record.username)];
  if (email !== undefined || username?.includes('@') !== true) return { email };
  return { email: username, emailFromName: username };
}

/** Schema: saintedlama/passport-local-mongoose@ed72cd67: src/index.ts, src/lib/pbkdf2.ts (9) */
export const passportLocalMongoose = system('passport-local-mongoose', 'passport-local-mongoose', {
  settings: {
    digest: `digestAlgorithm of the plug-in, one of ${DIGESTS.join(', ')}; ${DEFAULTS.digest} if left out`,
    iterations: `iterations of the plug-in; ${DEFAULTS.iterations} if left out`,
    keylen: 'keylen of the plug-in, in bytes; if left out, the length of each hash is taken',
  },
  forms: { json: 'passport-local-mongoose', csv: 'passport-local-mongoose-csv' },
  has: 'hash salt username|email',
  only: isCollection,
  id: '_id|id',
  verified: '_verified',
  joined: ({ record }) => timeOf(record.createdAt) ?? timeOfObjectId(textOf(record._id ?? record.id) ?? ''),
  hash: ({ record, settings }) => passwordOf(record, settings),
  metadata: 'username',
  user: addressOf,
  reads: 'email createdAt',
  // The plug-in counts failed attempts for a while; everything else is the application's own.
  unused: '__v attempts last updatedAt',
  warning: {
    text: ({ settings: { digest = DEFAULTS.digest, iterations = DEFAULTS.iterations } }) =>
      `The collection does not say how the hashes were made: ${digest.toLowerCase().replace('-', '')} and ${iterations} iterations are taken. Prove one password before you import. If it does not match, look at the options of the plug-in: --set digest=… --set iterations=… (old versions: sha1).`,
    when: ({ settings }) => typeof parametersOf(settings) === 'object',
  },
  stop: {
    text: ({ settings }) => `No hash can be read: ${parametersOf(settings)}.`,
    when: ({ settings }) => typeof parametersOf(settings) === 'string',
  },
});
