/** Decisions of the operator about users whom an import leaves out or changes by default. */
export interface UserDecisions {
  /** Whether disabled users are left out, imported as disabled, or imported as if they were enabled. */
  disabled: (typeof DISABLED)[number];
  /** What becomes of users with an address and no login. */
  withoutPassword: (typeof WITHOUT_PASSWORD)[number];
  /** What becomes of users with a second factor. Undefined if nobody has said it: then the password alone is imported. */
  mfa: (typeof MFA)[number] | undefined;
}

/** Values of `--disabled`. */
export const DISABLED = ['skip', 'keep', 'include'] as const;

/** Values of `--without-password`. */
export const WITHOUT_PASSWORD = ['skip', 'keep', 'legacy'] as const;

/** Values of `--mfa`. */
export const MFA = ['password-only', 'skip', 'keep'] as const;
