import { DOTNET_DIGESTS } from './dotnet-digests.ts';
import { FORUM_DIGESTS } from './forum-digests.ts';
import { FRAMEWORK_DIGESTS } from './framework-digests.ts';
import { KRATOS_DIGESTS } from './kratos-digests.ts';
import { LDAP_DIGESTS } from './ldap-digests.ts';
import { magento2 } from './magento2.ts';
import { HEX_DIGESTS, HMACS } from './plain-digests.ts';
import { SALTED_ROUNDS } from './salted-rounds.ts';
import { SHOP_DIGESTS } from './shop-digests.ts';
import { springMessageDigest } from './spring-messagedigest.ts';
import { werkzeugLegacy } from './werkzeug-legacy.ts';

/** Families whose hashes are one digest or a few. `as const` preserves the names of all settings. */
export const SALTED_DIGESTS = [
  ...SALTED_ROUNDS,
  ...HMACS,
  ...KRATOS_DIGESTS,
  ...HEX_DIGESTS,
  ...LDAP_DIGESTS,
  ...FORUM_DIGESTS,
  ...SHOP_DIGESTS,
  magento2,
  ...FRAMEWORK_DIGESTS,
  springMessageDigest,
  ...DOTNET_DIGESTS,
  werkzeugLegacy,
] as const;
