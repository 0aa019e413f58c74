/** Decisions of the operator about users whom an import leaves out or changes by default. */
export interface UserDecisions {
  /** `keep` imports disabled users as disabled, `include` as if they were enabled. */
  disabled: (typeof DISABLED)[number];
  /** Users without a login: `legacy` has the former system verify their password at the first sign-in. */
  withoutPassword: (typeof WITHOUT_PASSWORD)[number];
  /**
   * Users with second factors. Undefined: not decided yet; only the password is imported. `none`: nobody has one, although
   * the export lacks the table that would show it.
   */
  mfa: (typeof MFA)[number] | undefined;
  /** Which of several users with an equal claim to one address gets it. Undefined: none of them. */
  sharedAddress?: (typeof SHARED_ADDRESS)[number] | undefined;
}

export const DISABLED = ['skip', 'keep', 'include'] as const;

export const WITHOUT_PASSWORD = ['skip', 'keep', 'legacy'] as const;

export const MFA = ['password-only', 'skip', 'keep', 'none'] as const;

export const SHARED_ADDRESS = ['newest', 'oldest'] as const;
