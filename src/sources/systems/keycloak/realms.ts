import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { NO_REALM } from '../../fields/realms.ts';
import { textOf } from '../../fields/values.ts';
import type { FormRealms, ReadContext } from '../../source.ts';

const OF_REALMS = [
  'keycloakVersion',
  'sslRequired',
  'clients',
  'clientScopes',
  'identityProviders',
  'enabled',
];

/** One Keycloak realm in JSON, as a record or around its tables: `acme-realm.json` of `kc.sh export --dir`. */
export function isRealmFile({ container, name, columns, root }: TableHead): boolean {
  if (container !== 'json' || name !== '') return false;
  const has = (member: string) => columns.has(member) || root[member] !== undefined;
  return has('realm') && !has('users') && OF_REALMS.some(has);
}

/** `kc.sh export --file` of several Keycloak realms, each with its users. */
export const isListOfRealms = ({ container, name, columns, first }: TableHead): boolean =>
  container === 'json' &&
  name === '' &&
  OF_REALMS.some((member) => columns.has(member)) &&
  first.some(({ realm, users }) => textOf(realm) !== undefined && Array.isArray(users));

export const realmOf = ({ root, first: [record] }: TableHead) =>
  root.realm === undefined ? (record ?? root) : root;

/** What the files say about the realm of a table of users: its own file, and that of the realm. */
export const realmsOf = ({ table, tables }: Pick<ReadContext, 'table' | 'tables'>): SourceRecord[] => {
  const name = textOf(table.root.realm);
  const files = tables.filter(isRealmFile).map(realmOf);
  return [table.root, ...files.filter(({ realm }) => name !== undefined && textOf(realm) === name)];
};

/** Each file of Keycloak's `kc.sh export` has users of one realm. */
export const REALMS_OF_FILES: FormRealms = {
  title: 'realms',
  place: 'member realm of each file',
  of: ({ table }) => textOf(table.root.realm) ?? NO_REALM,
};

/** Detail that maps ids of Keycloak's realms to names. */
export const REALM_NAMES = 'realms';

/** A realm in Keycloak's tables has its name, or its id if the table `realm` is not in the export. */
export const REALMS_OF_TABLES: FormRealms = {
  title: 'realms',
  place: 'realm_id of user_entity, with its name in the table realm',
  of({ details }) {
    const names = new Map<string, string>();
    return ({ realm_id }) => {
      const id = textOf(realm_id) ?? NO_REALM;
      const known = names.get(id);
      if (known !== undefined) return known;
      const name = textOf(details(REALM_NAMES, id)[0]?.name) ?? id;
      names.set(id, name);
      return name;
    };
  },
};
