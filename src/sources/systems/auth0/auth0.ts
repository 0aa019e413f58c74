import { REALM } from '../../fields/realms.ts';
import type { Source } from '../../source.ts';
import { csvExport, dashboardExport } from './flat-export.ts';
import { importSchema } from './import-schema.ts';
import { passwordExport } from './password-export.ts';
import { userExport } from './user-export.ts';

export const auth0: Source = {
  name: 'auth0',
  title: 'Auth0',
  settings: REALM,
  forms: [userExport, dashboardExport, csvExport, importSchema, passwordExport],
};
