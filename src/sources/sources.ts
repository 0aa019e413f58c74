import type { Source } from './source.ts';
import { htdigest, htpasswd } from './systems/apache-files.ts';
import { appwrite } from './systems/appwrite.ts';
import { aspnetIdentity } from './systems/aspnet-identity.ts';
import { auth0 } from './systems/auth0.ts';
import { authelia } from './systems/authelia.ts';
import { authjs } from './systems/authjs.ts';
import { nhost, parse, pocketbase, strapi } from './systems/backends.ts';
import { betterAuth } from './systems/better-auth.ts';
import { casdoor } from './systems/casdoor.ts';
import { clerk } from './systems/clerk.ts';
import { cognito } from './systems/cognito.ts';
import { joomla, mediawiki, moodle } from './systems/content.ts';
import { descope } from './systems/descope.ts';
import { devise } from './systems/devise.ts';
import { dex } from './systems/dex.ts';
import { directus } from './systems/directus.ts';
import { discourse } from './systems/discourse.ts';
import { django } from './systems/django.ts';
import { dokuwiki } from './systems/dokuwiki.ts';
import { dovecot } from './systems/dovecot.ts';
import { drupal } from './systems/drupal.ts';
import { fastapiUsers } from './systems/fastapi-users.ts';
import { feathers } from './systems/feathers.ts';
import { firebase } from './systems/firebase.ts';
import { flaskAppBuilder } from './systems/flask-appbuilder.ts';
import { flaskSecurity } from './systems/flask-security.ts';
import { mybb, nodebb, phpbb, vbulletin } from './systems/forums.ts';
import { frappe } from './systems/frappe.ts';
import { fusionauth } from './systems/fusionauth.ts';
import { generic } from './systems/generic.ts';
import { ghost } from './systems/ghost.ts';
import { gitea } from './systems/gitea.ts';
import { hanko } from './systems/hanko.ts';
import { okta, stytch, workos } from './systems/hosted.ts';
import { jupyterhub } from './systems/jupyterhub.ts';
import { kanboard } from './systems/kanboard.ts';
import { keycloak } from './systems/keycloak.ts';
import { kratos } from './systems/kratos.ts';
import { laravel } from './systems/laravel.ts';
import { ldif } from './systems/ldif.ts';
import { logto } from './systems/logto.ts';
import { lucia } from './systems/lucia.ts';
import { mastodon, synapse, zulip } from './systems/messengers.ts';
import { meteor } from './systems/meteor.ts';
import { passportLocalMongoose } from './systems/passport-local-mongoose.ts';
import { payload } from './systems/payload.ts';
import { postfixadmin } from './systems/postfixadmin.ts';
import { rails } from './systems/rails.ts';
import { rejects } from './systems/rejects.ts';
import { magento, medusa, prestashop, vendure } from './systems/shops.ts';
import { springSecurity } from './systems/spring-security.ts';
import { supabase } from './systems/supabase.ts';
import { supertokens } from './systems/supertokens.ts';
import { metabase, nextcloud, odoo, redmine, zammad } from './systems/team-tools.ts';
import { shadow, smbpasswd } from './systems/unix.ts';
import { web2py } from './systems/web2py.ts';
import { wordpress } from './systems/wordpress.ts';
import { xenforo } from './systems/xenforo.ts';
import { zitadel } from './systems/zitadel.ts';

/** Source for unknown systems, tried if no other source fits. */
export const GENERIC: Source = generic;

/** To add a system, write its file and add it here. */
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
