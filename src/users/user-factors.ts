/**
 * What a former system knew of a user beside the ways to sign in, and that is kept for the next system. Nothing of it is
 * enforced here.
 */
export interface UserFactors {
  totpDevices: readonly TotpDevice[];
  userRoles: readonly UserRole[];
  /** As the former system wrote them. */
  phoneNumbers: readonly string[];
}

/** A device that shows one-time passwords (RFC 6238). */
export interface TotpDevice {
  deviceName?: string;
  /** In base32, without padding. */
  secretKey: string;
  /** Seconds for which a password counts. */
  period: number;
  /** Periods before and after the present one whose passwords count, too. */
  skew: number;
  digits: number;
  algorithm: TotpAlgorithm;
}

export const TOTP_ALGORITHMS = ['SHA1', 'SHA256', 'SHA512'] as const;

export type TotpAlgorithm = (typeof TOTP_ALGORITHMS)[number];

export interface UserRole {
  role: string;
}

/** Values of a TOTP device that does not state them. Period and skew are those of SuperTokens core. */
export const TOTP_DEFAULTS = { period: 30, skew: 1, digits: 6, algorithm: 'SHA1' } as const;

/** Kinds of factors, each with the bit that shows it in the stored form. */
export const FACTOR_KINDS = { totpDevices: 1, userRoles: 2, phoneNumbers: 4 } as const;

export const hasFactors = ({ totpDevices, userRoles, phoneNumbers }: UserFactors): boolean =>
  totpDevices.length + userRoles.length + phoneNumbers.length > 0;
