import type { TableHead } from '../../containers/table.ts';
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

/** The realm itself: as one record, or as what stands around where tables would be. */
function isRealm({ container, name, columns, root }: TableHead): boolean {
  if (container !== 'json' || name !== '') return false;
  const has = (member: string) => columns.has(member) || root[member] !== undefined;
  return has('realm') && !has('users') && OF_REALMS.some(has);
}
