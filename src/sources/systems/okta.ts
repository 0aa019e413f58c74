import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { bytesOf } from '../fields/bytes.ts';
import {
  bcryptHash,
  invalidHash,
  pbkdf2Hash,
  saltedDigest,
  unknownAlgorithm,
  unsupportedAlgorithm,
} from '../fields/hashes.ts';
import { stateOfWord } from '../fields/read-state.ts';
import { timeOf } from '../fields/time.ts';
import { metadataOf, objectOf, severalOf, textOf } from '../fields/values.ts';
import type { Form, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const credentialOf = (record: SourceRecord): JsonObject | undefined =>
  objectOf(objectOf(record.credentials)?.password);

const isOkta = ({ container, columns, first }: TableHead): boolean =>
  container === 'json' &&
  columns.has('profile') &&
  columns.has('credentials') &&
  first.some(({ profile }) => textOf(objectOf(profile)?.login) !== undefined);

const hasPasswords = ({ first }: TableHead): boolean =>
  first.some((record) => {
    const credential = credentialOf(record);
    return credential?.hash !== undefined || credential?.value !== undefined;
  });

/** Bodies of Okta's API call that creates users, made by someone who moved to Okta. */
const importBody: Form = {
  name: 'okta-import',
  isUsers: (table) => isOkta(table) && hasPasswords(table),
  read,
};

const users: Form = {
  name: 'okta-users',
  hasPages: true,
  isUsers: (table) => isOkta(table),
  read,
  advice: () => [
    {
      level: 'warn',
      text: 'No hashes leave Okta. These users are skipped: let them come in by a password reset, or by a password hook while both run. If Okta was filled from another system, its export still has hashes.',
    },
  ],
};

const STATUSES = {
  active: 'ACTIVE',
  deprovisioned: 'DISABLED',
  locked_out: 'ACTIVE',
  password_expired: 'ACTIVE',
  provisioned: 'ACTIVE',
  recovery: 'ACTIVE',
  staged: 'ACTIVE',
  suspended: 'DISABLED',
} as const;
/** Members of Okta's user profile that do not become metadata. */
const NOT_METADATA = new Set(['email', 'mobilePhone', 'primaryPhone', 'secondEmail']);

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const profile = objectOf(record.profile);
  const email = textOf(profile?.email);
  const second = textOf(profile?.secondEmail);
  const hasPhone = textOf(profile?.mobilePhone) !== undefined || textOf(profile?.primaryPhone) !== undefined;
  if (hasPhone && email !== undefined) drop('phone numbers');
  const status = textOf(record.status);
  if (status === 'LOCKED_OUT') drop('temporary locks');
  if (status === 'PASSWORD_EXPIRED' || status === 'RECOVERY') drop('forced password changes');
  if (Array.isArray(record.groupIds) && record.groupIds.length > 0) drop('organisations');
  return {
    externalUserId: textOf(record.id),
    email,
    emails: email === undefined || second === undefined ? undefined : severalOf([email, second]),
    timeJoinedMs: timeOf(record.created),
    password: passwordOf(credentialOf(record)),
    metadata: metadataOf({ profile: profileOf(profile) }),
    state: stateOfWord('status', status, STATUSES, settings),
    hasPhone,
  };
}

const profileOf = (profile: JsonObject | undefined) =>
  profile &&
  metadataOf(Object.fromEntries(Object.entries(profile).filter(([name]) => !NOT_METADATA.has(name))));

const DIGESTS = new Map([
  ['SHA-512', 'sha512'],
  ['SHA-256', 'sha256'],
  ['SHA-1', 'sha1'],
  ['MD5', 'md5'],
] as const);

/** In all exports of Okta itself, `credentials.password` is an empty object. */
function passwordOf(credential: JsonObject | undefined): SourcePassword | undefined {
  const hash = objectOf(credential?.hash);
  if (hash === undefined) {
    const plainText = textOf(credential?.value);
    return plainText === undefined ? undefined : { plainText };
  }
  const algorithm = textOf(hash.algorithm)?.toUpperCase() ?? '';
  if (algorithm === 'BCRYPT') return bcryptOf(hash);
  const digest = DIGESTS.get(algorithm as 'MD5');
  if (digest === undefined && algorithm !== 'PBKDF2') {
    return unknownAlgorithm('the algorithm of the hash is none that Okta takes');
  }
  const bytes = bytesOf(hash.value, 'base64');
  const salt =
    hash.salt === undefined && digest !== undefined ? Buffer.alloc(0) : bytesOf(hash.salt, 'base64');
  if (bytes === undefined || salt === undefined) return invalidHash('value or salt is not base64');
  if (digest === undefined) return pbkdf2Of(hash, { salt, hash: bytes });
  const order = textOf(hash.saltOrder)?.toUpperCase() === 'POSTFIX' ? 'ps' : 'sp';
  return saltedDigest({ digest, order, salt, hash: bytes });
}

function bcryptOf({ workFactor, salt, value }: JsonObject): SourcePassword {
  const [cost, saltText, digest] = [textOf(workFactor), textOf(salt), textOf(value)];
  if (cost === undefined || saltText === undefined || digest === undefined) {
    return invalidHash('workFactor, salt or value is missing');
  }
  return bcryptHash({ cost, salt: saltText, digest });
}

function pbkdf2Of(
  { digestAlgorithm, iterationCount, keySize }: JsonObject,
  bytes: { salt: Uint8Array; hash: Uint8Array },
): SourcePassword {
  const name = textOf(digestAlgorithm)?.toUpperCase();
  if (name !== 'SHA256_HMAC' && name !== 'SHA512_HMAC') {
    return unsupportedAlgorithm('digestAlgorithm is neither SHA256_HMAC nor SHA512_HMAC');
  }
  const iterations = Number(textOf(iterationCount));
  if (!Number.isSafeInteger(iterations)) return invalidHash('iterationCount is no whole number');
  if (keySize !== undefined && Number(textOf(keySize)) !== bytes.hash.length) {
    return invalidHash('keySize is not the length of the value');
  }
  return pbkdf2Hash({ digest: name === 'SHA256_HMAC' ? 'sha256' : 'sha512', iterations, ...bytes });
}

export const okta: Source = { name: 'okta', title: 'Okta', forms: [importBody, users] };
