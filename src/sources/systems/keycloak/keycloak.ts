import { REALM } from '../../fields/realms.ts';
import { USERNAME_IS_EMAIL } from '../../fields/username-as-email.ts';
import type { Source } from '../../source.ts';
import { realmExport } from './realm-export.ts';
import { listOfRealms, realmWithoutUsers } from './realm-without-users.ts';
import { tables } from './tables.ts';

export const keycloak: Source = {
  name: 'keycloak',
  title: 'Keycloak',
  forms: [realmExport, tables, realmWithoutUsers, listOfRealms],
  settings: {
    ...USERNAME_IS_EMAIL,
    ...REALM,
  },
};
