import type { Source } from './source.ts';
import { appwrite } from './systems/appwrite.ts';
import { aspnetIdentity } from './systems/aspnet-identity.ts';
import { auth0 } from './systems/auth0.ts';
import { authelia } from './systems/authelia.ts';
import { authjs } from './systems/authjs.ts';
import { betterAuth } from './systems/better-auth.ts';
import { casdoor } from './systems/casdoor.ts';
import { clerk } from './systems/clerk.ts';
import { cognito } from './systems/cognito.ts';
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
import { frappe } from './systems/frappe.ts';
import { fusionauth } from './systems/fusionauth.ts';
import { generic } from './systems/generic.ts';
import { ghost } from './systems/ghost.ts';
import { gitea } from './systems/gitea.ts';
import { hanko } from './systems/hanko.ts';
import { htdigest } from './systems/htdigest.ts';
import { htpasswd } from './systems/htpasswd.ts';
import { joomla } from './systems/joomla.ts';
import { jupyterhub } from './systems/jupyterhub.ts';
import { kanboard } from './systems/kanboard.ts';
import { keycloak } from './systems/keycloak.ts';
import { kratos } from './systems/kratos.ts';
import { laravel } from './systems/laravel.ts';
import { ldif } from './systems/ldif.ts';
import { logto } from './systems/logto.ts';
import { lucia } from './systems/lucia.ts';
import { magento } from './systems/magento.ts';
import { mastodon } from './systems/mastodon.ts';
import { mediawiki } from './systems/mediawiki.ts';
import { medusa } from './systems/medusa.ts';
import { metabase } from './systems/metabase.ts';
import { meteor } from './systems/meteor.ts';
import { moodle } from './systems/moodle.ts';
import { mybb } from './systems/mybb.ts';
import { nextcloud } from './systems/nextcloud.ts';
import { nhost } from './systems/nhost.ts';
import { nodebb } from './systems/nodebb.ts';
import { odoo } from './systems/odoo.ts';
import { okta } from './systems/okta.ts';
import { parse } from './systems/parse.ts';
import { passportLocalMongoose } from './systems/passport-local-mongoose.ts';
import { payload } from './systems/payload.ts';
import { phpbb } from './systems/phpbb.ts';
import { pocketbase } from './systems/pocketbase.ts';
import { postfixadmin } from './systems/postfixadmin.ts';
import { prestashop } from './systems/prestashop.ts';
import { rails } from './systems/rails.ts';
import { redmine } from './systems/redmine.ts';
import { rejects } from './systems/rejects.ts';
import { shadow } from './systems/shadow.ts';
import { smbpasswd } from './systems/smbpasswd.ts';
import { springSecurity } from './systems/spring-security.ts';
import { strapi } from './systems/strapi.ts';
import { stytch } from './systems/stytch.ts';
import { supabase } from './systems/supabase.ts';
import { supertokens } from './systems/supertokens.ts';
import { synapse } from './systems/synapse.ts';
import { vbulletin } from './systems/vbulletin.ts';
import { vendure } from './systems/vendure.ts';
import { web2py } from './systems/web2py.ts';
import { wordpress } from './systems/wordpress.ts';
import { workos } from './systems/workos.ts';
import { xenforo } from './systems/xenforo.ts';
import { zammad } from './systems/zammad.ts';
import { zitadel } from './systems/zitadel.ts';
import { zulip } from './systems/zulip.ts';

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
