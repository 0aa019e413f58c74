import type { Source } from '../../../src/sources/source.ts';
import { auth0 } from '../../../src/sources/systems/auth0/auth0.ts';
import { clerk } from '../../../src/sources/systems/clerk/clerk.ts';
import { cognito } from '../../../src/sources/systems/cognito.ts';
import { django } from '../../../src/sources/systems/django/django.ts';
import { firebase } from '../../../src/sources/systems/firebase.ts';
import { fusionauth } from '../../../src/sources/systems/fusionauth.ts';
import { keycloak } from '../../../src/sources/systems/keycloak/keycloak.ts';
import { okta } from '../../../src/sources/systems/okta.ts';
import { supabase } from '../../../src/sources/systems/supabase.ts';
import { wordpress } from '../../../src/sources/systems/wordpress.ts';

/** The first ten systems of the list. */
export const FIREBASE_TO_DJANGO: readonly Source[] = [
  firebase,
  auth0,
  supabase,
  keycloak,
  clerk,
  cognito,
  okta,
  fusionauth,
  wordpress,
  django,
];
