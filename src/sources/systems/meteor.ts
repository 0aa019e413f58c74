import type { JsonObject } from '../../lib/json/json-object.ts';
import type { TableHead } from '../containers/table.ts';
import { unknownAlgorithm } from '../fields/hashes.ts';
import { isDemanded } from '../fields/second-factors.ts';
import { byWord } from '../fields/states.ts';
import { flagOf, listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { DetectionContext, Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Address, type Identity, type Row, system, type Users } from './declare.ts';

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

function hasMeteorService(services: JsonObject | undefined): boolean {
  if (services === undefined) return false;
  if (services.resume !== undefined) return true;
  const password = objectOf(services.password) ?? {};
  return ['bcrypt', 'argon2', 'srp'].some((name) => password[name] !== undefined);
}

/** Rocket.Chat keeps second factors that were switched off. */
const FACTORS = ['twoFactorAuthentication', 'totp', 'email2fa', 'webauthn'];
const isFactor = (service: unknown) => isDemanded(service) && flagOf(objectOf(service)?.enabled) !== false;

const servicesOf = ({ record }: Row): JsonObject => objectOf(record.services) ?? {};

/** Meteor users may have no address of their own, so the first one of a third-party account is taken. */
function addressesOf(row: Row): readonly Address[] {
  const own = objectsOf(row.record.emails).filter(({ address }) => textOf(address) !== undefined);
  if (own.length > 0) return own.map(({ address, verified }) => ({ email: address, isVerified: verified }));
  const ofAccount = identitiesOf(row).find(({ userId, email }) => textOf(userId) && textOf(email));
  return ofAccount === undefined ? [] : [{ email: ofAccount.email, isVerified: ofAccount.isVerified }];
}

const identitiesOf = (row: Row): Identity[] =>
  Object.entries(servicesOf(row)).flatMap(([provider, value]) => {
    const service = OWN_SERVICES.has(provider) ? undefined : objectOf(value);
    if (service === undefined) return [];
    return [
      {
        provider,
        userId: service.id,
        email: service.email,
        isVerified: service.verified_email ?? service.email_verified,
        ...(ENTERPRISE.has(provider) && { isSso: true }),
      },
    ];
  });

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

function isCollection(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  return around?.isNamed === true || table.first.some(({ services }) => hasMeteorService(objectOf(services)));
}

const USERS = {
  only: isCollection,
  id: '_id',
  addresses: addressesOf,
  joined: 'createdAt',
  hash: (row) => passwordOf(objectOf(servicesOf(row).password)),
  identities: identitiesOf,
  metadata: 'profile{} username name',
  factors: (row) => FACTORS.some((name) => isFactor(servicesOf(row)[name])),
  roles: ({ record }) => listOf(record.roles).length > 0,
  reads: 'services emails roles',
  note: 'Meteor hashes the hexadecimal SHA-256 of the password: the hashes look like bcrypt and are imported as bcrypt-sha256.',
} as const satisfies Partial<Users>;

/**
 * Meteor, and Rocket.Chat, which is built on it: the collection `users`. Schema:
 * meteor/meteor@02406112: packages/accounts-base and accounts-password/password_server.js;
 * RocketChat/Rocket.Chat: packages/core-typings/src/IUser.ts, ILivechatAgent.ts (8)
 */
export const meteor = system('meteor', 'Meteor', [
  {
    ...USERS,
    forms: { json: 'rocketchat-mongoexport' },
    // Only users of Rocket.Chat have a type.
    has: '_id services type active emails|username|profile|createdAt',
    states: {
      active: 'active',
      type: byWord({ ACTIVE: 'user', SERVICE_ACCOUNT: 'bot app unknown', ANONYMOUS: 'visitor' }),
      // People of other servers.
      federated: 'disabled',
    },
    drops: { 'forced password changes': 'requirePasswordChange' },
    reads: `${USERS.reads} requirePasswordChange`,
    // `status` says whether the user is online.
    unused: `_updatedAt __rooms _pendingAvatarUrl abacAttributes avatarETag avatarOrigin avatarUrl banners bio
      canViewAllInfo customFields defaultRoom e2e extension federation freeSwitchExtension importIds inactiveReason
      inviteToken language lastLogin ldap livechat livechatCount livechatStatusSystemModified maxNumberSimultaneousChat
      nickname oauth openBusinessHours operator phone phones previousState providerId reason requirePasswordChangeReason
      roomRolePriorities settings sidebarCategories status statusConnection statusDefault statusExpiresAt statusId
      statusLivechat statusSource statusText utcOffset`,
  },
  { ...USERS, forms: { json: 'meteor-mongoexport' }, has: '_id services emails|username|profile|createdAt' },
]);
