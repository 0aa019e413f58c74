import { isJsonObject } from '../lib/json/json-object.ts';
import { isUuid } from '../lib/text/characters.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import { profileMembers, type TotpDevice } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { FoundLogin } from './password-hooks.ts';

/** Maximum bytes of a profile with its metadata, because some providers read at most 16 KiB. */
const MAX_BYTES = 16 * 1024 - 200;

export interface Profile {
  id: string;
  externalUserId?: string;
  email: string;
  isVerified: boolean;
  roles: string[];
  totpDevices?: readonly TotpDevice[];
}

/** Data of a user that a provider may see. `metadata` is the text of a JSON object, exactly as it is stored. */
export interface UserForProvider {
  profile: Profile;
  metadata: string | undefined;
}

/**
 * Returns the data of a user that a provider may see. Metadata that does not fit into MAX_BYTES is left out.
 * @throws {AppError} FACTORS_SECRET_MISSING
 */
export async function userForProvider(
  { store, vault, withFactors }: { store: UserStore; vault: FactorVault; withFactors: boolean },
  { user, email }: FoundLogin,
): Promise<UserForProvider> {
  const method = user.loginMethods.find((one) => one.recipeId === 'emailpassword' && one.email === email);
  const sealed = vault.isOpen ? await store.findFactors(user.id) : undefined;
  const factors = sealed && vault.open(sealed.userId, sealed.sealed);
  const profile: Profile = {
    id: user.id,
    ...(user.externalId !== undefined && { externalUserId: user.externalId }),
    email: method?.email ?? email,
    isVerified: method?.verified === true,
    roles: factors?.userRoles.map(({ role }) => role) ?? [],
    ...(withFactors && { totpDevices: factors?.totpDevices ?? [] }),
  };
  const metadata = await store.findMetadata(user.id);
  const bytes = Buffer.byteLength(JSON.stringify(profile)) + Buffer.byteLength(metadata ?? '');
  return { profile, metadata: bytes > MAX_BYTES ? undefined : metadata };
}

export function profileJson({ profile, metadata }: UserForProvider): string {
  return `{${profileMembers({ metadata })}${JSON.stringify(profile).slice(1)}`;
}

/**
 * Returns the user as the plugin keycloak-user-migration expects it. The plugin fails for user names with capital
 * letters, and for ids that are not UUIDs.
 */
export function keycloakProfile({ profile, metadata }: UserForProvider): string {
  const { id, externalUserId, email, isVerified, roles, totpDevices = [] } = profile;
  const known: unknown = metadata === undefined ? {} : JSON.parse(metadata);
  const members = isJsonObject(known) ? known : {};
  const nameOf = (...names: string[]) =>
    names.map((name) => members[name]).find((value) => typeof value === 'string');
  return JSON.stringify({
    ...{ id: externalUserId !== undefined && isUuid(externalUserId) ? externalUserId : id },
    ...{ username: email.toLowerCase(), email, emailVerified: isVerified, enabled: true },
    firstName: nameOf('firstName', 'first_name', 'given_name'),
    lastName: nameOf('lastName', 'last_name', 'family_name'),
    attributes: externalUserId === undefined ? {} : { externalUserId: [externalUserId] },
    ...{ roles, groups: [], requiredActions: [] },
    totps: totpDevices.map(({ secretKey, deviceName, digits, period, algorithm }) => ({
      ...{ secret: secretKey, name: deviceName, digits, period },
      ...{ algorithm: `Hmac${algorithm}`, encoding: 'BASE32' },
    })),
  });
}
