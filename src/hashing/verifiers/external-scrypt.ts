import { createCipheriv } from 'node:crypto';
import { decodeBase64 } from '../../lib/text/base64.ts';
import { defineAlgorithm, type ParserContext, type PossibleRepair } from '../algorithm.ts';
import { hexToBase64, swapNames } from '../diagnose/repair-text.ts';
import { parseCost } from '../formats/cost-bounds.ts';
import { base64Part, bytesOf, type HashPart } from '../formats/hash-part.ts';
import { namedFields, requiredField } from '../formats/named-fields.ts';
import { rememberLast } from '../formats/remember-last.ts';
import { hmacKey } from '../kdf/password-reading.ts';
import { maxLog2N, scryptCost, scryptKey } from '../kdf/scrypt.ts';
import { HashRefused } from '../verifier.ts';

type Limit = 'external_scrypt_max_mem_cost' | 'external_scrypt_max_rounds';
type Fields = ReadonlyMap<'m' | 'r' | 's', string>;

interface Parameters {
  memCost: number;
  rounds: number;
  separator: HashPart;
}

interface ExternalScryptHash extends Parameters {
  digest: HashPart;
  salt: HashPart;
  signerKey: Uint8Array;
}

const READING = hmacKey('sha256');

/**
 * Firebase's scrypt. The digest is the signer key, encrypted with a key that scrypt derives from the
 * password.
 */
export const externalScrypt = defineAlgorithm({
  name: 'external_scrypt',
  aliases: ['firebase_scrypt'],
  superTokensName: 'firebase_scrypt',
  displayName: 'External SCrypt',
  looksLike:
    "`$f_scrypt$<hash>$<salt>$m=<mem_cost>$r=<rounds>$s=<salt separator>`; needs the exporter's signer key",
  strength: 'strong',
  reference: {
    formula: '0.3 µs × 2^`m` × `r`',
    examples: '`m=14`, `r=8`: 39 ms; `m=17`, `r=16`: 629 ms',
    measured: '0.27 to 0.34 µs × 2^`m` × `r`',
  },
  limits: {
    external_scrypt_max_mem_cost: {
      min: 1,
      max: 24,
      default: 17,
      description: 'Maximum mem_cost (log2 N) of an imported external scrypt hash.',
    },
    external_scrypt_max_rounds: {
      min: 1,
      max: 64,
      default: 16,
      description: 'Maximum rounds (block size r) of an imported external scrypt hash.',
    },
  },
  secret: 'required',
  shape: /^\$f_scrypt\$/,
  parser(context) {
    const readFields = rememberLast(parseFields);
    const readParameters = rememberLast((text) => parseParameters(readFields(text), context));
    return (encoded) => parse(encoded, { readFields, readParameters, secret: context.secret });
  },
  cost: (hash) => scryptCost(costsOf(hash)),
  password: () => READING,
  decoy,
  // The separator follows the salt in scrypt's salt, so only their concatenation matters.
  identity: ({ memCost, rounds, salt, separator, digest }) => ({
    memCost,
    rounds,
    salt: Buffer.concat([bytesOf(salt), bytesOf(separator)]),
    digest,
  }),
  portable: ({ memCost, rounds, salt, separator, digest }) => ({
    ...{ kind: 'firebase-scrypt', memCost, rounds },
    ...{ salt: bytesOf(salt), separator: bytesOf(separator), hash: bytesOf(digest) },
  }),
  describe: ({ memCost, rounds, salt, separator, digest }) => ({
    memCost,
    rounds,
    saltBytes: salt.length,
    saltSeparatorBytes: separator.length,
    digestBytes: digest.length,
  }),
  repairs,
  compute: { digest: ({ digest }) => bytesOf(digest), of: compute },
});

const costsOf = ({ memCost, rounds }: Pick<Parameters, 'memCost' | 'rounds'>) => ({
  log2N: memCost,
  r: rounds,
  p: 1,
});

const PREFIX = '$f_scrypt$';

interface Readers {
  readFields(parameters: string): Fields;
  readParameters(parameters: string): Parameters;
  secret: Uint8Array | undefined;
}

function parse(encoded: string, { readFields, readParameters, secret }: Readers): ExternalScryptHash {
  if (!encoded.startsWith(PREFIX)) throw new HashRefused('format', 'does not begin with $f_scrypt$');
  const saltAt = encoded.indexOf('$', PREFIX.length) + 1;
  const parametersAt = saltAt === 0 ? 0 : encoded.indexOf('$', saltAt) + 1;
  if (parametersAt === 0) refuseSections(encoded.split('$').length - 2);
  const parameters = encoded.slice(parametersAt);
  readFields(parameters);
  const digest = checkFilled('hash', encoded.slice(PREFIX.length, saltAt - 1));
  const salt = checkFilled('salt', encoded.slice(saltAt, parametersAt - 1));
  // Costs are checked last. Otherwise an operator might raise a limit for a hash and only then learn that the
  // hash is malformed.
  const { memCost, rounds, separator } = readParameters(parameters);
  return { digest, salt, separator, memCost, rounds, signerKey: signerKeyFor(digest, secret) };
}

function refuseSections(sections: number): never {
  throw new HashRefused(
    'format',
    `expected 5 sections (hash, salt, m=, r=, s=) after $f_scrypt, got ${sections}`,
  );
}

function parseFields(parameters: string): Fields {
  const items = parameters.split('$');
  if (items.length !== 3) refuseSections(items.length + 2);
  return namedFields(items, ['m', 'r', 's']);
}

function parseParameters(fields: Fields, { settings }: ParserContext<Limit>): Parameters {
  const bounded = (name: 'm' | 'r', setting: Limit) =>
    parseCost(requiredField(fields, name), { name, min: 1, max: settings[setting], setting });
  const separator = base64Part('salt separator', requiredField(fields, 's'), 'lenient');
  const memCost = bounded('m', 'external_scrypt_max_mem_cost');
  const rounds = bounded('r', 'external_scrypt_max_rounds');
  if (memCost > maxLog2N(rounds)) throw new HashRefused('format', 'm must be less than 16 times r');
  return { memCost, rounds, separator };
}

function checkFilled(name: string, text: string): HashPart {
  const part = base64Part(name, text, 'lenient');
  if (part.length === 0) throw new HashRefused('format', `${name} is empty`);
  return part;
}

function signerKeyFor(digest: HashPart, signerKey: Uint8Array | undefined): Uint8Array {
  if (signerKey === undefined) {
    throw new HashRefused('signer-key-missing', 'external_password_hashing_signer_key is not configured');
  }
  if (digest.length !== signerKey.length) {
    const sizes = `digest is ${digest.length} bytes but the signer key is ${signerKey.length} bytes`;
    throw new HashRefused('format', `${sizes}: wrong key?`);
  }
  return signerKey;
}

function decoy({ digest, salt, separator, memCost, rounds }: ExternalScryptHash): string {
  const zeros = ({ length }: HashPart) => Buffer.alloc(length).toString('base64');
  return `$f_scrypt$${zeros(digest)}$${zeros(salt)}$m=${memCost}$r=${rounds}$s=${zeros(separator)}`;
}

async function compute(hash: ExternalScryptHash, password: Buffer): Promise<Buffer> {
  const derived = await scryptKey(password, {
    ...costsOf(hash),
    salt: Buffer.concat([bytesOf(hash.salt), bytesOf(hash.separator)]),
    length: 64,
  });
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, 32), Buffer.alloc(16));
  return cipher.update(hash.signerKey);
}

/**
 * The digest is the encrypted signer key. If fewer bytes were compared when one is cut off, a caller could
 * send made-up hashes and find out the key byte by byte.
 */
const MIN_SHARED_BYTES = 16;

function repairs(encoded: string, { secret }: ParserContext<Limit>): PossibleRepair[] {
  const [digest = '', salt = '', ...parameters] = encoded.split('$', 8).slice(2);
  if (!encoded.startsWith(PREFIX) || parameters.length !== 3) return [];
  const separator = parameters.find((item) => item.startsWith('s='))?.slice(2) ?? '';
  const withSeparator = (text: string) =>
    parameters.map((item) => (item.startsWith('s=') ? `s=${text}` : item));
  const joined = (...sections: string[]) => ['$f_scrypt', ...sections].join('$');
  return [
    { mistake: 'SALT_AND_SEPARATOR_SWAPPED', encoded: joined(digest, separator, ...withSeparator(salt)) },
    {
      mistake: 'MEM_COST_AND_ROUNDS_SWAPPED',
      encoded: joined(digest, salt, ...swapNames(parameters, 'm', 'r')),
    },
    { mistake: 'HASH_AND_SALT_SWAPPED', encoded: joined(salt, digest, ...parameters) },
    {
      mistake: 'HEX_INSTEAD_OF_BASE64',
      encoded: joined(hexToBase64(digest), hexToBase64(salt), ...withSeparator(hexToBase64(separator))),
    },
    ...sharedPart(digest, secret).map(
      ({ digestText, key }): PossibleRepair => ({
        mistake: 'SIGNER_KEY_LENGTH',
        encoded: joined(digestText, salt, ...parameters),
        secret: key,
      }),
    ),
  ];
}

/** A stream cipher encrypts each byte separately, so a shortened digest still matches the shortened key. */
function sharedPart(
  digestText: string,
  signerKey: Uint8Array | undefined,
): { digestText: string; key: Uint8Array }[] {
  const digest = decodeBase64(digestText, 'lenient');
  if (signerKey === undefined || 'problem' in digest || digest.length === signerKey.length) return [];
  const length = Math.min(digest.length, signerKey.length);
  if (length < MIN_SHARED_BYTES) return [];
  return [{ digestText: digest.subarray(0, length).toString('base64'), key: signerKey.subarray(0, length) }];
}
