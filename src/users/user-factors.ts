/** Data of a former system that are kept for the next one. This service does not enforce them. */
export interface UserFactors {
  totpDevices: readonly TotpDevice[];
  userRoles: readonly UserRole[];
  /** Phone numbers, written as in the former system. */
  phoneNumbers: readonly string[];
}

/** Generator of one-time passwords (RFC 6238). */
export interface TotpDevice {
  deviceName?: string;
  /** Secret of the TOTP device in base32, without padding. */
  secretKey: string;
  /** Seconds for which each one-time password is valid. */
  period: number;
  /** Number of periods before and after the current one whose one-time passwords are accepted, too. */
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

/** In the stored form of factors, a bit for each kind shows whether the user has factors of this kind. */
export const FACTOR_KINDS = { totpDevices: 1, userRoles: 2, phoneNumbers: 4 } as const;

export const hasFactors = ({ totpDevices, userRoles, phoneNumbers }: UserFactors): boolean =>
  totpDevices.length + userRoles.length + phoneNumbers.length > 0;
