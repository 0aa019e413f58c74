import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { bcryptHash, invalidHash, pbkdf2Hash, unknownAlgorithm } from '../fields/hashes.ts';
import { stateOfFlag } from '../fields/read-state.ts';
import { REALM, realmsInColumn } from '../fields/realms.ts';
import { hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBytes } from '../fields/totp.ts';
import { flagOf, listOf, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { Advice, DetectionContext, Form, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

/** Body of FusionAuth's `POST /api/user/import`, or users from the search API, which have no hashes. */
const users: Form = {
  name: 'fusionauth-users',
  hasPages: true,
  isUsers: (table, _settings, around) => isUsers(table, around),
  realms: realmsInColumn('tenants', 'tenantId'),
  read(record, context) {
    const { root } = context.table;
    const phone = textOf(record.mobilePhone) ?? textOf(record.phoneNumber);
    const email = emailOf(record);
    if (phone !== undefined && email !== undefined) context.drop('phone numbers', [phone]);
    countOthers(record, context);
    return {
      externalUserId: textOf(record.id),
      email,
      isVerified: flagOf(record.verified),
      timeJoinedMs: timeOf(record.insertInstant),
      password: passwordOf({
        password: record.password,
        salt: record.salt,
        // FusionAuth's JSON may have, beside the list of users, defaults that apply to all
        // users.
        scheme: record.encryptionScheme ?? root.encryptionScheme,
        factor: record.factor ?? root.factor,
      }),
      metadata: metadataOf({
        data: objectOf(record.data),
        username: record.username,
        firstName: record.firstName,
        lastName: record.lastName,
        fullName: record.fullName,
        imageUrl: record.imageUrl,
      }),
      state: stateOfFlag('active', record.active, false, context.settings),
      hasPhone: phone !== undefined,
    };
  },
  advice: ({ tables }) => adviceOn(tables.filter((table) => isUsers(table))),
};

function isUsers({ container, columns }: TableHead, around?: DetectionContext): boolean {
  if (container !== 'json' || !(columns.has('email') || columns.has('username'))) return false;
  if (columns.has('encryptionScheme') || (around?.isNamed === true && columns.has('password'))) return true;
  return columns.has('insertInstant') && columns.has('active');
}

/** Newer versions of FusionAuth list all identifiers with which a user may sign in. */
function emailOf(record: SourceRecord): string | undefined {
  const email = textOf(record.email);
  if (email !== undefined) return email;
  const addresses = objectsOf(record.identities).filter(({ type }) => type === 'email');
  return textOf((addresses.find(({ primary }) => primary === true) ?? addresses[0])?.value);
}

/**
 * Secrets of FusionAuth's authenticator apps are in base64. Before version 1.26, a user had at most one
 * app.
 */
function devicesOf(record: SourceRecord): JsonObject[] {
  const methods = objectsOf(objectOf(record.twoFactor)?.methods).filter(
    ({ method }) => method === 'authenticator',
  );
  const newer = methods.flatMap(({ name, secret, authenticator }) => {
    const { algorithm, codeLength, timeStep } = objectOf(authenticator) ?? {};
    return totpOfBytes(bytesOf(secret), { name, algorithm, digits: codeLength, period: timeStep });
  });
  return [...newer, ...totpOfBytes(bytesOf(record.twoFactorSecret))];
}

const bytesOf = (secret: unknown): Buffer | undefined => {
  const text = textOf(secret);
  return text === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? undefined : Buffer.from(text, 'base64');
};

function countOthers(record: SourceRecord, { drop }: ReadContext): void {
  if (flagOf(record.twoFactorEnabled) === true || listOf(objectOf(record.twoFactor)?.methods).length > 0) {
    drop('mfa', devicesOf(record));
  }
  const roles = objectsOf(record.registrations).flatMap((registration) => listOf(registration.roles));
  if (roles.length > 0) drop('roles', roles);
  if (listOf(record.memberships).length > 0) drop('organisations');
}

const PBKDF2 = new Map([
  ['salted-pbkdf2-hmac-sha256', { digest: 'sha256', bytes: 32 }],
  ['salted-pbkdf2-hmac-sha256-512', { digest: 'sha256', bytes: 64 }],
  ['salted-pbkdf2-hmac-sha512-512', { digest: 'sha512', bytes: 64 }],
] as const);

function passwordOf(fields: JsonObject): SourcePassword | undefined {
  const password = textOf(fields.password);
  if (password === undefined) return undefined;
  const [scheme, salt, factor] = [textOf(fields.scheme), textOf(fields.salt), textOf(fields.factor)];
  // Without `encryptionScheme`, FusionAuth's value may be a plain-text password or a hash of the
  // default scheme. A hash must not be imported as a password, so the user is refused.
  if (scheme === undefined) return UNNAMED;
  if (salt === undefined || factor === undefined) return invalidHash('salt or factor is missing');
  if (scheme === 'bcrypt') return bcryptHash({ cost: factor, salt, digest: password });
  const pbkdf2 = PBKDF2.get(scheme as 'salted-pbkdf2-hmac-sha256');
  if (pbkdf2 === undefined) return unknownAlgorithm('encryptionScheme is of a plugin, or none that is known');
  const iterations = Number(factor);
  if (base64Bytes(password) !== pbkdf2.bytes || !Number.isSafeInteger(iterations)) {
    return invalidHash(`expected ${pbkdf2.bytes} bytes of password in base64, and a whole number as factor`);
  }
  return pbkdf2Hash({ digest: pbkdf2.digest, iterations, salt, hash: password });
}

/** FusionAuth's base64 may be padded or not. */
function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  return Math.floor(((text.length - padding) * 3) / 4);
}

const UNNAMED = unknownAlgorithm('encryptionScheme is missing');

/** Tables of FusionAuth: `identities` has the passwords, and `users` has the rest. */
const tables: Form = {
  name: 'fusionauth-tables',
  isUsers: (table) => hasColumns(table, 'users_id', 'encryption_scheme', 'salt', 'password', 'email'),
  details: {
    users: {
      fits: (table) => hasColumns(table, 'id', 'active', 'insert_instant', 'tenants_id'),
      keyOf: (record) => textOf(record.id),
      keep: ({ active, data, first_name, last_name, full_name, insert_instant, mobile_phone }) => ({
        active,
        data,
        first_name,
        last_name,
        full_name,
        insert_instant,
        mobile_phone,
      }),
      missing:
        'The table users is missing: without it, users who are not active are imported like all others. Dump both: pg_dump fusionauth -t identities -t users > dump.sql',
    },
  },
  keyOf: (record) => textOf(record.users_id),
  realms: realmsInColumn('tenants', 'tenants_id'),
  read(record, { settings, details, drop }): SourceUser {
    const id = textOf(record.users_id);
    const [user] = id === undefined ? [] : details('users', id);
    const email = textOf(record.email);
    const hasPhone = textOf(user?.mobile_phone) !== undefined;
    if (hasPhone && email !== undefined) drop('phone numbers');
    return {
      externalUserId: id,
      email,
      isVerified: flagOf(record.verified),
      timeJoinedMs: timeOf(user?.insert_instant ?? record.insert_instant),
      password: passwordOf({
        password: record.password,
        salt: record.salt,
        scheme: record.encryption_scheme,
        factor: record.factor,
      }),
      metadata: metadataOf({
        data: objectOf(user?.data),
        username: record.username,
        firstName: user?.first_name,
        lastName: user?.last_name,
        fullName: user?.full_name,
      }),
      state: stateOfFlag('active', user?.active, false, settings),
      hasPhone,
    };
  },
  advice: () => [LINKS],
};

function adviceOn(seen: readonly TableHead[]): Advice[] {
  const records = seen.flatMap(({ first }) => first);
  const hasPasswords = records.some(({ password }) => textOf(password) !== undefined);
  return [...(records.length > 0 && !hasPasswords ? [NO_HASHES] : []), LINKS];
}

const NO_HASHES: Advice = {
  level: 'warn',
  text: 'There are no hashes here: the APIs of FusionAuth leave them out. Use the file that was once imported there, or export its database: pg_dump fusionauth -t identities -t users',
};
const LINKS: Advice = {
  level: 'note',
  text: 'Links to social logins are not in this export, so those users sign in with a password or are skipped.',
};

export const fusionauth: Source = {
  name: 'fusionauth',
  title: 'FusionAuth',
  settings: REALM,
  forms: [tables, users],
};
