import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { shownCell } from '../../fields/shown-name.ts';
import { gravestState, stateOf } from '../../fields/states.ts';
import { timeOf } from '../../fields/time.ts';
import { emailOrUsername } from '../../fields/username-as-email.ts';
import { flagOf, listOf, metadataOf, objectOf, objectsOf, textOf } from '../../fields/values.ts';
import type { Advice, DetectionContext, Form, ReadContext } from '../../source.ts';
import type { SourceIdentity, SourcePassword, SourceUser } from '../../source-user.ts';
import { words } from '../declare.ts';
import { passwordOf, totpOf } from './credential.ts';
import { identityOf } from './identity-providers.ts';
import { isRealmFile, REALMS_OF_FILES, realmOf, realmsOf } from './realms.ts';
import { isFactorAction, isPasswordAction } from './required-actions.ts';

/** Members of users. Schema: keycloak/keycloak: org.keycloak.representations.idm.UserRepresentation (1 to 26) */
const KNOWN = new Set(
  words(`self id origin createdTimestamp username enabled totp emailVerified firstName lastName email federationLink
    serviceAccountClientId attributes credentials disableableCredentialTypes requiredActions federatedIdentities
    realmRoles clientRoles clientConsents notBefore applicationRoles socialLinks groups access userProfileMetadata`),
);

/** Output of Keycloak's `kc.sh export`: a realm with its users, or one of its files of users. */
export const realmExport: Form = {
  name: 'keycloak-realm',
  hasPages: true,
  isUsers: (table, _settings, around) => isUsers(table, around),
  details: {
    // Keycloak's table of realms is read for the names behind aliases. It has no records that belong
    // to one user.
    realms: { fits: isRealmFile, known: 'all', keyOf: () => undefined, keep: () => undefined },
  },
  known: KNOWN,
  realms: REALMS_OF_FILES,
  read,
  advice: ({ tables }) => {
    const users = tables.filter((table) => isUsers(table));
    return [...adviceOn(users), ...withoutUsers(tables, users)];
  },
};

/** Names the Keycloak realms whose files of users are missing. */
function withoutUsers(tables: readonly TableHead[], users: readonly TableHead[]): Advice[] {
  const found = new Set(users.map(({ root }) => textOf(root.realm)));
  const missing = tables
    .filter(isRealmFile)
    .flatMap((table) => textOf(realmOf(table).realm) ?? [])
    .filter((name) => !found.has(name));
  if (missing.length === 0) return [];
  const text = `The users of ${missing.map(shownCell).join(', ')} are in none of these files: kc.sh export --dir writes them beside the realm, to REALM-users-0.json and so on.`;
  return [{ level: 'warn', text }];
}

function isUsers({ container, name, columns, root }: TableHead, around?: DetectionContext): boolean {
  if (container !== 'json' || !columns.has('username')) return false;
  if (columns.has('createdTimestamp') || around?.isNamed === true) return true;
  // `createdTimestamp` is not required, because files written by hand may lack it.
  return name === 'users' && textOf(root.realm) !== undefined;
}

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const { settings, drop } = context;
  const actions = listOf(record.requiredActions);
  if (actions.some(isPasswordAction)) drop('forced password changes');
  if (actions.some(isFactorAction)) drop('mfa');
  const { email, emailFromName } = emailOrUsername(record.email, record.username, settings);
  const isService = textOf(record.serviceAccountClientId) !== undefined;
  if (listOf(record.realmRoles).length > 0) drop('roles', listOf(record.realmRoles));
  if (listOf(record.groups).length > 0) drop('organisations');
  return {
    externalUserId: textOf(record.id),
    email,
    emailFromName,
    isVerified: flagOf(record.emailVerified),
    timeJoinedMs: timeOf(record.createdTimestamp),
    password: passwordIn(record.credentials, context),
    identities: identitiesOf(record.federatedIdentities, context),
    metadata: metadataOf({
      username: record.username,
      firstName: record.firstName,
      lastName: record.lastName,
      attributes: objectOf(record.attributes),
    }),
    state: gravestState([
      isService ? 'SERVICE_ACCOUNT' : undefined,
      // Keycloak imports a user without `enabled` as disabled: RepresentationToModel.createUser.
      stateOf('enabled', record.enabled ?? false, 'active', context),
      ...realmsOf(context).map((realm) => stateOf('realm.enabled', realm.enabled, 'active', context)),
    ]),
  };
}

function passwordIn(credentials: unknown, { drop }: ReadContext): SourcePassword | undefined {
  let password: SourcePassword | undefined;
  for (const credential of objectsOf(credentials)) {
    if (credential.type !== 'password') drop('mfa', totpOf(credential));
    else if (password !== undefined) drop('further hashes');
    else password = passwordOf(credential);
  }
  return password;
}

function identitiesOf(identities: unknown, context: ReadContext): SourceIdentity[] {
  return objectsOf(identities).flatMap(({ identityProvider, userId }) => {
    const [alias, id] = [textOf(identityProvider), textOf(userId)];
    if (alias !== undefined && id !== undefined) return [identityOf(alias, id, context)];
    context.drop('identities without an id');
    return [];
  });
}

function adviceOn(tables: readonly TableHead[]): Advice[] {
  const records = tables.flatMap(({ first }) => first);
  const hasCredentials = records.some(({ credentials }) => objectsOf(credentials).length > 0);
  const identities = records.flatMap(({ federatedIdentities }) => objectsOf(federatedIdentities));
  return [
    ...(hasCredentials || records.length === 0 ? [] : [NO_CREDENTIALS]),
    ...(identities.length > 0 ? [ALIASES] : []),
  ];
}

export const EXPORT = 'kc.sh export --dir /tmp/export --realm <realm> --users realm_file';

const NO_CREDENTIALS: Advice = {
  level: 'warn',
  text: `The first users have no credentials. Neither the admin console nor the admin API gives any. Run on the server: ${EXPORT}. Users of an LDAP federation have none there either.`,
};
const ALIASES: Advice = {
  level: 'note',
  text: 'Providers stand under aliases that somebody chose in Keycloak. One that is not known by its name is imported once you map it: --set provider.<alias>=<thirdPartyId>',
};
