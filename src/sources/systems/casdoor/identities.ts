import type { JsonObject } from '../../../lib/json/json-object.ts';
import type { SourceRecord } from '../../containers/table.ts';
import { objectOf, textOf } from '../../fields/values.ts';
import type { ReadContext } from '../../source.ts';
import type { SourceIdentity } from '../../source-user.ts';

/** Casdoor's columns that contain the user's id at a provider: casdoor/casdoor@e6b2338f:object/user.go. */
const PROVIDERS =
  'github google qq wechat facebook dingtalk weibo gitee linkedin wecom lark gitlab adfs baidu alipay casdoor infoflow apple azuread azureadb2c slack steam bilibili okta douyin kwai line amazon auth0 battlenet bitbucket box cloudfoundry dailymotion deezer digitalocean discord dropbox eveonline fitbit gitea heroku influxcloud instagram intercom kakao lastfm mailru meetup microsoftonline naver nextcloud onedrive oura patreon paypal salesforce shopify soundcloud spotify strava stripe telegram tiktok tumblr twitch twitter typetalk uber vk wepay xero yahoo yammer yandex zoom metamask web3onboard custom custom2 custom3 custom4 custom5 custom6 custom7 custom8 custom9 custom10'.split(
    ' ',
  );

/**
 * Reads accounts from Casdoor's columns and its table `third_party_link`. The operator must map the
 * provider of an LDAP directory.
 */
export function identitiesOf(record: SourceRecord, key: string, { details }: ReadContext): SourceIdentity[] {
  const addresses = addressesOf(objectOf(record.properties));
  const found = PROVIDERS.flatMap((provider): SourceIdentity[] => {
    const userId = textOf(record[provider]);
    return userId === undefined ? [] : [{ provider, userId, email: addresses.get(provider) }];
  });
  const linked = details('links', key).flatMap(({ provider, id }): SourceIdentity[] => {
    const [name, userId] = [textOf(provider), textOf(id)];
    return name === undefined || userId === undefined ? [] : [{ provider: name, userId }];
  });
  const directory = textOf(record.ldap);
  return [
    ...found,
    ...linked,
    ...(directory === undefined ? [] : [{ provider: 'ldap', userId: directory, isSso: true }]),
  ];
}

/**
 * Returns addresses by provider, from Casdoor's properties such as
 * `{"oauth_GitHub_email":"ada@example.org"}`.
 */
function addressesOf(properties: JsonObject | undefined): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const [name, value] of Object.entries(properties ?? {})) {
    const provider = /^oauth_(.+)_email$/.exec(name)?.[1]?.toLowerCase();
    const address = textOf(value);
    if (provider !== undefined && address !== undefined) addresses.set(provider, address);
  }
  return addresses;
}
