import type { Source } from './source.ts';
import { appwrite } from './systems/appwrite.ts';
import { auth0 } from './systems/auth0.ts';
import { nhost, parse, pocketbase, strapi } from './systems/backends.ts';
import { casdoor } from './systems/casdoor.ts';
import { clerk } from './systems/clerk.ts';
import { drupal, ghost, joomla, mediawiki, moodle } from './systems/content.ts';
import { discourse } from './systems/discourse.ts';
import { firebase } from './systems/firebase.ts';
import { mybb, nodebb, phpbb, vbulletin, xenforo } from './systems/forums.ts';
import { aspnetIdentity, devise, laravel, rails, springSecurity } from './systems/frameworks.ts';
import { fusionauth } from './systems/fusionauth.ts';
import { generic } from './systems/generic.ts';
import { directus, payload } from './systems/headless.ts';
import { cognito, descope, okta, stytch, workos } from './systems/hosted.ts';
import { authelia, dex, hanko, logto } from './systems/identity-servers.ts';
import { kanboard } from './systems/kanboard.ts';
import { keycloak } from './systems/keycloak.ts';
import { kratos } from './systems/kratos.ts';
import { ldif } from './systems/ldif.ts';
import { frappe, gitea, postfixadmin } from './systems/mail-and-code.ts';
import { mastodon, synapse, zulip } from './systems/messengers.ts';
import {
  authjs,
  betterAuth,
  feathers,
  lucia,
  meteor,
  passportLocalMongoose,
} from './systems/node-libraries.ts';
import { dokuwiki, dovecot, htdigest, htpasswd, shadow, smbpasswd } from './systems/password-files.ts';
import {
  django,
  fastapiUsers,
  flaskAppBuilder,
  flaskSecurity,
  jupyterhub,
  web2py,
} from './systems/python.ts';
import { rejects } from './systems/rejects.ts';
import { magento, medusa, prestashop, vendure } from './systems/shops.ts';
import { supabase } from './systems/supabase.ts';
import { supertokens } from './systems/supertokens.ts';
import { metabase, nextcloud, odoo, redmine, zammad } from './systems/team-tools.ts';
import { wordpress } from './systems/wordpress.ts';
import { zitadel } from './systems/zitadel.ts';

/** Source for tables of unknown systems, tried only if no other source fits. */
export const GENERIC: Source = generic;

/** All sources. To add a system, declare it in `systems/`, and add it here. */
export const SOURCES: readonly Source[] = [
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
  fastapiUsers,
  flaskSecurity,
  flaskAppBuilder,
  jupyterhub,
  devise,
  mastodon,
  rails,
  laravel,
  aspnetIdentity,
  betterAuth,
  lucia,
  authjs,
  kratos,
  zitadel,
  supertokens,
  stytch,
  workos,
  descope,
  pocketbase,
  appwrite,
  nhost,
  strapi,
  directus,
  payload,
  medusa,
  vendure,
  feathers,
  parse,
  meteor,
  passportLocalMongoose,
  discourse,
  drupal,
  phpbb,
  magento,
  ghost,
  dex,
  casdoor,
  hanko,
  authelia,
  springSecurity,
  ldif,
  shadow,
  htpasswd,
  htdigest,
  dovecot,
  dokuwiki,
  smbpasswd,
  redmine,
  kanboard,
  mediawiki,
  joomla,
  mybb,
  vbulletin,
  xenforo,
  moodle,
  postfixadmin,
  gitea,
  zulip,
  metabase,
  nodebb,
  logto,
  zammad,
  frappe,
  prestashop,
  web2py,
  synapse,
  nextcloud,
  odoo,
  rejects,
  GENERIC,
];
