/** Decisions of the operator about users whom an import leaves out or changes by default. */
export interface UserDecisions {
  /** Whether disabled users are left out, imported as disabled, or imported as if they were enabled. */
  disabled: (typeof DISABLED)[number];
  /**
   * Whether users with an e-mail address and no login are left out, imported without a password, or imported
   * so that the former system verifies their password at the first sign-in.
   */
  withoutPassword: (typeof WITHOUT_PASSWORD)[number];
  /**
   * Whether users with second factors are imported with their password only, left out, or imported with their
   * factors. Undefined if the operator has not decided; only the password is then imported.
   */
  mfa: (typeof MFA)[number] | undefined;
}

/** Values of `--disabled`. */
export const DISABLED = ['skip', 'keep', 'include'] as const;

/** Values of `--without-password`. */
export const WITHOUT_PASSWORD = ['skip', 'keep', 'legacy'] as const;

/** Values of `--mfa`. */
export const MFA = ['password-only', 'skip', 'keep'] as const;
