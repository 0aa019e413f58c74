import type { Form } from '../../source.ts';
import { EXPORT } from './realm-export.ts';
import { isListOfRealms, isRealmFile } from './realms.ts';

/** A realm as Keycloak's admin console exports it, or the file of a realm without its files of users. */
export const realmWithoutUsers: Form = {
  name: 'keycloak-realm without users',
  isUsers: isRealmFile,
  known: 'all',
  read: () => undefined,
  advice: () => [
    {
      level: 'stop',
      text: `This realm has no users: the partial export of the admin console leaves them out, and kc.sh export --dir puts them into files of their own (REALM-users-0.json). Name those as well, or run on the server: ${EXPORT}`,
    },
  ],
};

/**
 * A list of whole Keycloak realms in one file. Users inside them are not read, so the import stops with
 * advice.
 */
export const listOfRealms: Form = {
  name: 'keycloak-realms in one list',
  isUsers: isListOfRealms,
  known: 'all',
  read: () => undefined,
  advice: () => [
    {
      level: 'stop',
      text: `This file is a list of whole realms, as kc.sh export --file writes several. Export the realm that you want by itself: ${EXPORT}`,
    },
  ],
};
