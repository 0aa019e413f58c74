import type { TableHead } from '../../containers/table.ts';
import { shownCell } from '../../fields/shown-name.ts';
import { baseName, hasColumns } from '../../fields/tables.ts';
import { textOf } from '../../fields/values.ts';
import type { Advice, Settings } from '../../source.ts';

/** A realm, as far as the files tell it. */
export interface Realm {
  name?: string | undefined;
  id?: string | undefined;
}

const OF_REALMS = [
  'keycloakVersion',
  'sslRequired',
  'clients',
  'clientScopes',
  'identityProviders',
  'enabled',
];

/** A realm in JSON, as one record or as what stands around where tables would be: `acme-realm.json` of `kc.sh export --dir`. */
export function isRealmFile({ container, name, columns, root }: TableHead): boolean {
  if (container !== 'json' || name !== '') return false;
  const has = (member: string) => columns.has(member) || root[member] !== undefined;
  return has('realm') && !has('users') && OF_REALMS.some(has);
}

/** A list of whole realms, each with its users: `kc.sh export --file` of several. */
export const isListOfRealms = ({ container, name, columns, first }: TableHead): boolean =>
  container === 'json' &&
  name === '' &&
  OF_REALMS.some((member) => columns.has(member)) &&
  first.some(({ realm, users }) => textOf(realm) !== undefined && Array.isArray(users));

/** The table `realm` of the database. */
export const isRealmTable = (table: TableHead): boolean =>
  table.container !== 'json' &&
  baseName(table) === 'realm' &&
  hasColumns(table, 'id', 'name', 'ssl_required');

/** The members of a realm file. */
export const realmOf = ({ root, first: [record] }: TableHead) =>
  root.realm === undefined ? (record ?? root) : root;

/** The realm that the users of a table in JSON belong to. Its id stands in another file, where there is one. */
export function realmOfUsers({ root }: TableHead, tables: readonly TableHead[]): Realm {
  const name = textOf(root.realm);
  const file = tables.find((table) => isRealmFile(table) && textOf(realmOf(table).realm) === name);
  return { name, id: textOf(root.id) ?? (file && textOf(realmOf(file).id)) };
}

/** @param wanted what `--set realm` says: a name or an id */
export const isRealm = ({ name, id }: Realm, wanted: string): boolean => name === wanted || id === wanted;

/**
 * What to say of several realms, and of one that is not there.
 * @param isComplete no realm is missing in the list
 */
export function adviceOnRealms(
  realms: readonly Realm[],
  { realm: wanted }: Settings,
  isComplete: boolean,
): Advice[] {
  const names = [...new Set(realms.map(({ name, id }) => name ?? id ?? ''))]
    .filter((name) => name !== '')
    .sort();
  if (wanted === undefined) return names.length > 1 ? [severalRealms(names)] : [];
  if (realms.some((realm) => isRealm(realm, wanted))) return [];
  const list =
    names.length === 0
      ? 'The files do not name the realms of their users.'
      : `Known: ${names.map(shownCell).join(', ')}.`;
  return isComplete
    ? [{ level: 'stop', text: `--set realm=${wanted}: there is no such realm. ${list}` }]
    : [{ level: 'warn', text: `--set realm=${wanted}: no such realm is among the first ones. ${list}` }];
}

const severalRealms = (names: readonly string[]): Advice => ({
  level: 'warn',
  text: `There are users of several realms (${names.map(shownCell).join(', ')}), the administrators of master perhaps among them. Name the one to import: --set realm=${shownCell(names.find((name) => name !== 'master') ?? '')}`,
});
