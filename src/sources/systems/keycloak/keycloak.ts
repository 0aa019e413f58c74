import type { Source } from '../../source.ts';
import { realmExport } from './realm-export.ts';
import { realmWithoutUsers } from './realm-without-users.ts';
import { tables } from './tables.ts';

export const keycloak: Source = {
  name: 'keycloak',
  title: 'Keycloak',
  forms: [realmExport, tables, realmWithoutUsers],
  settings: {
    usernameIsEmail: 'yes, where a user name that looks like an address is one: of users who have no e-mail',
    realm: 'realm_id of the users to import, of tables that hold several realms',
  },
};
