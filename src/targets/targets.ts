import { auth0 } from './auth0.ts';
import { clerk } from './clerk.ts';
import { firebase } from './firebase.ts';
import { keycloak } from './keycloak.ts';
import { kratos } from './kratos.ts';
import type { Target } from './target.ts';

/** Targets by the name that `--to` takes. */
export const TARGETS: Readonly<Record<string, Target>> = { kratos, keycloak, auth0, firebase, clerk };
