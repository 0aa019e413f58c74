import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { unknownAlgorithm } from '../fields/hashes.ts';
import { stateOfFlag } from '../fields/read-state.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, listOf, metadataOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../source-user.ts';

/** Members of Meteor's `services` that are not accounts at third parties. */
const OWN_SERVICES = new Set([
  'password',
  'resume',
  'email',
  'emailCode',
  'passwordless',
  'twoFactorAuthentication',
  'totp',
  'email2fa',
  'webauthn',
]);
const ENTERPRISE = new Set(['ldap', 'saml', 'cas']);

/**
 * Meteor, and Rocket.Chat, which is built on it: the collection `users`. Code:
 * meteor/meteor@02406112:packages/accounts-password/password_server.js
 */
export const meteor: Source = {
  name: 'meteor',
  title: 'Meteor',
  forms: [
    {
      name: 'meteor-mongoexport',
      isUsers,
      // In Rocket.Chat, `active` is the state of the account, and `status` says whether the user
      // is online.
      ownStates: ['active', 'status'],
      read,
      advice: () => [
        {
          level: 'note',
          text: 'Meteor hashes the hexadecimal SHA-256 of the password: the hashes look like bcrypt and are imported as bcrypt-sha256.',
        },
      ],
    },
  ],
};

function isUsers(table: TableHead, _settings?: Settings, around?: DetectionContext): boolean {
  if (table.container !== 'json' || !hasColumns(table, '_id', 'services')) return false;
  if (!hasAnyColumn(table, 'emails', 'username', 'profile', 'createdAt')) return false;
  return around?.isNamed === true || table.first.some(({ services }) => hasMeteorService(objectOf(services)));
}

function hasMeteorService(services: JsonObject | undefined): boolean {
  if (services === undefined) return false;
  if (services.resume !== undefined) return true;
  const password = objectOf(services.password) ?? {};
  return ['bcrypt', 'argon2', 'srp'].some((name) => password[name] !== undefined);
}

/** Rocket.Chat keeps second factors that were switched off. */
const FACTORS = ['twoFactorAuthentication', 'totp', 'email2fa', 'webauthn'];
const isFactor = (service: unknown) => isDemanded(service) && flagOf(objectOf(service)?.enabled) !== false;

interface Address {
  address: string;
  isVerified: boolean | undefined;
}

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const services = objectOf(record.services) ?? {};
  const addresses = addressesOf(record.emails);
  const identities = identitiesOf(services, context);
  const primary = addresses[0] ?? firstOf(identities);
  if (listOf(record.roles).length > 0) context.drop('roles');
  if (FACTORS.some((name) => isFactor(services[name]))) context.drop('mfa');
  return {
    externalUserId: textOf(record._id),
    email: primary?.address,
    emails: addresses.length > 1 ? addresses.map(({ address }) => address) : undefined,
    isVerified: primary?.isVerified,
    timeJoinedMs: timeOf(record.createdAt),
    password: passwordOf(objectOf(services.password)),
    identities,
    metadata: metadataOf({ profile: objectOf(record.profile), username: record.username, name: record.name }),
    // Only users of Rocket.Chat have a type; `active` is their state. In other Meteor apps, it may
    // mean anything.
    state:
      textOf(record.type) === undefined
        ? undefined
        : stateOfFlag('active', record.active, false, context.settings),
  };
}

function addressesOf(emails: unknown): Address[] {
  const addresses: Address[] = [];
  for (const { address, verified } of objectsOf(emails)) {
    const text = textOf(address);
    if (text !== undefined) addresses.push({ address: text, isVerified: flagOf(verified) });
  }
  return addresses;
}

/** Meteor users may have no address of their own, so the first one of a third-party account is taken. */
function firstOf(identities: readonly SourceIdentity[]): Address | undefined {
  for (const { email, isVerified } of identities)
    if (email !== undefined) return { address: email, isVerified };
  return undefined;
}

function identitiesOf(services: JsonObject, context: ReadContext): SourceIdentity[] {
  const identities: SourceIdentity[] = [];
  for (const [provider, value] of Object.entries(services)) {
    const service = OWN_SERVICES.has(provider) ? undefined : objectOf(value);
    const userId = textOf(service?.id);
    if (service === undefined) continue;
    if (userId === undefined) context.drop('identities without an id');
    else
      identities.push({
        provider,
        userId,
        email: textOf(service.email),
        isVerified: flagOf(service.verified_email ?? service.email_verified),
        ...(ENTERPRISE.has(provider) && { isSso: true }),
      });
  }
  return identities;
}

function passwordOf(password: JsonObject | undefined): SourcePassword | undefined {
  if (password === undefined) return undefined;
  const encoded = textOf(password.bcrypt);
  if (encoded !== undefined) return { encoded, algorithm: 'bcrypt-sha256' };
  const argon2 = textOf(password.argon2);
  if (argon2 !== undefined) return { encoded: argon2, algorithm: 'argon2-sha256' };
  if (password.srp !== undefined)
    return unknownAlgorithm(
      'SRP, as Meteor used it before 2014, cannot be verified: a new password is needed',
    );
  return undefined;
}
