/** Ways in which identity providers ask for old passwords (docs/password-hooks.md). */
export const HOOKS = ['hash', 'rehearse', 'verify', 'kratos', 'keycloak', 'okta'] as const;
export type Hook = (typeof HOOKS)[number];

/** Returns whether the hook records who has moved. The others keep no state. */
export const movesUsers = (hook: Hook) => hook !== 'hash' && hook !== 'rehearse';
