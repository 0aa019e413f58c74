import { textOf } from '../../fields/values.ts';

/**
 * Actions that Keycloak demands at the next sign-in. To verify an address is none of these, because the address
 * is imported as unverified.
 */
const nameOf = (action: unknown) => textOf(action)?.toUpperCase() ?? '';

export const isPasswordAction = (action: unknown) => nameOf(action) === 'UPDATE_PASSWORD';

export const isFactorAction = (action: unknown) =>
  /TOTP|WEBAUTHN|RECOVERY_AUTHN|PASSKEY/.test(nameOf(action));
