import type { Source } from '../../../src/sources/source.ts';
import { appwrite } from '../../../src/sources/systems/appwrite.ts';
import { aspnetIdentity } from '../../../src/sources/systems/aspnet-identity.ts';
import { authjs } from '../../../src/sources/systems/authjs.ts';
import { betterAuth } from '../../../src/sources/systems/better-auth.ts';
import { descope } from '../../../src/sources/systems/descope.ts';
import { devise } from '../../../src/sources/systems/devise.ts';
import { kratos } from '../../../src/sources/systems/kratos.ts';
import { laravel } from '../../../src/sources/systems/laravel.ts';
import { lucia } from '../../../src/sources/systems/lucia.ts';
import { pocketbase } from '../../../src/sources/systems/pocketbase.ts';
import { stytch } from '../../../src/sources/systems/stytch.ts';
import { supertokens } from '../../../src/sources/systems/supertokens.ts';
import { workos } from '../../../src/sources/systems/workos.ts';

/** Frameworks, libraries and services for applications. */
export const APP_SYSTEMS: readonly Source[] = [
  devise,
  laravel,
  aspnetIdentity,
  betterAuth,
  lucia,
  authjs,
  kratos,
  supertokens,
  stytch,
  workos,
  descope,
  pocketbase,
  appwrite,
];
