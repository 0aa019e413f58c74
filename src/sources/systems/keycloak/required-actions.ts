import { textOf } from '../../fields/values.ts';
import type { ReadContext } from '../../source.ts';

/**
 * Counts actions that Keycloak demands at the next sign-in, except the verification of an address, which is
 * imported as unverified.
 */
export function dropRequiredActions(actions: readonly unknown[], drop: ReadContext['drop']): void {
  for (const action of actions) {
    const name = textOf(action)?.toUpperCase() ?? '';
    if (name === 'UPDATE_PASSWORD') drop('forced password changes');
    else if (/TOTP|WEBAUTHN|RECOVERY_AUTHN|PASSKEY/.test(name)) drop('mfa');
  }
}
