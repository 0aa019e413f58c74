import { REALM } from '../../fields/realms.ts';
import { USERNAME_IS_EMAIL } from '../../fields/username-as-email.ts';
import { system } from '../declare.ts';
import { realmExport } from './realm-export.ts';
import { listOfRealms, realmWithoutUsers } from './realm-without-users.ts';
import { tables } from './tables.ts';

export const keycloak = system(
  { name: 'keycloak', title: 'Keycloak', settings: { ...USERNAME_IS_EMAIL, ...REALM } },
  realmExport,
  tables,
  realmWithoutUsers,
  listOfRealms,
);
