import type { TableHead } from '../../containers/table.ts';
import { textOf } from '../../fields/values.ts';
import type { Form } from '../../source.ts';
import { EXPORT } from './realm-export.ts';

const OF_REALMS = [
  'keycloakVersion',
  'sslRequired',
  'clients',
  'clientScopes',
  'identityProviders',
  'enabled',
];

/** What the admin console exports: a realm, and never its users. */
export const realmWithoutUsers: Form = {
  name: 'keycloak-realm without users',
  isUsers: isRealm,
  read: () => undefined,
  advice: () => [
    {
      level: 'stop',
      text: `This realm has no users: the partial export of the admin console leaves them out. Run on the server: ${EXPORT}`,
    },
  ],
};

/** The realm itself as one record, or one of its lists where that is all there is to see. */
function isRealm({ container, name, columns, root }: TableHead): boolean {
  if (container !== 'json') return false;
  if (columns.has('realm')) return name === '' && OF_REALMS.some((member) => columns.has(member));
  return textOf(root.realm) !== undefined && OF_REALMS.some((member) => root[member] !== undefined);
}
