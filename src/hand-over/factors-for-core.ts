import type { CoreCalls } from '../upstream/core-calls.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import type { UserFactors } from '../users/user.ts';
import type { DepartingUser, FactorCounts } from './hand-over-store.ts';

/** Licensed feature of the SuperTokens core that TOTP devices need. */
const MFA = 'mfa';

/** Second factors and roles that a core accepts. It accepts no phone numbers. */
interface Accepted {
  totp: boolean;
  roles: ReadonlySet<string>;
}

/**
 * Adds to the users the second factors and roles that the core accepts. With any other, the core would refuse the whole
 * user.
 * @throws {AppError} CORE_UNAVAILABLE, FACTORS_SECRET_MISSING
 */
export async function withFactors(
  { core, vault }: { core: CoreCalls; vault: FactorVault },
  users: readonly DepartingUser[],
): Promise<DepartingUser[]> {
  if (users.every(({ factors }) => factors === undefined)) return [...users];
  const opened = users.map(({ user, factors }) => factors && vault.open(user.id, factors));
  const hasRoles = opened.some((factors) => factors !== undefined && factors.userRoles.length > 0);
  const accepted = {
    totp: (await core.features()).includes(MFA),
    roles: new Set(hasRoles ? await core.roles() : []),
  };
  return users.map((user, index) => {
    const factors = opened[index];
    return factors === undefined ? user : { ...user, extras: membersOf(factors, accepted) };
  });
}

/** Returns second factors and roles as members of a user for `POST /bulk-import/import` of the core. */
function membersOf({ totpDevices, userRoles }: UserFactors, { totp, roles }: Accepted) {
  // The core only computes one-time passwords of six digits with SHA-1, and would refuse those of other devices.
  const devices = totpDevices.filter(({ digits, algorithm }) => digits === 6 && algorithm === 'SHA1');
  const known = userRoles.filter(({ role }) => roles.has(role));
  return {
    ...(totp &&
      devices.length > 0 && {
        totpDevices: devices.map(({ secretKey, deviceName, period, skew }) => ({
          secretKey,
          deviceName,
          period,
          skew,
        })),
      }),
    ...(known.length > 0 && { userRoles: known.map(({ role }) => ({ role, tenantIds: ['public'] })) }),
  };
}

/** Returns warnings about what a hand-over will leave out. @throws {AppError} CORE_UNAVAILABLE */
export async function factorWarnings(
  core: CoreCalls,
  features: readonly string[],
  { totpUsers, roleUsers, phoneUsers }: FactorCounts,
): Promise<string[]> {
  const warnings: string[] = [];
  if (totpUsers > 0)
    warnings.push(
      features.includes(MFA)
        ? `${totpUsers} users have TOTP devices. Those with other than 6 digits or SHA-1 are left out, because the core does not know them.`
        : `${totpUsers} users have TOTP devices, which the core takes with the licensed feature ${MFA} only. They are handed over without.`,
    );
  if (roleUsers > 0) {
    const roles = await core.roles();
    warnings.push(
      `${roleUsers} users have roles. Roles that the core does not have are left out, so create them first. It has: ${roles.slice(0, 20).join(', ') || 'none'}${roles.length > 20 ? ', …' : ''}.`,
    );
  }
  if (phoneUsers > 0)
    warnings.push(
      `${phoneUsers} users have phone numbers, which are not handed over. GET /recipe/user/factors has them.`,
    );
  return warnings;
}
