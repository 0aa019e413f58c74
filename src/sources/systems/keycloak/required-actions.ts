import { textOf } from '../../fields/values.ts';
import type { ReadContext } from '../../source.ts';

/** What a user must do at the next sign-in. Addresses that must be verified are not verified anyhow. */
export function dropRequiredActions(actions: readonly unknown[], drop: ReadContext['drop']): void {
  for (const action of actions) {
    const name = textOf(action)?.toUpperCase() ?? '';
    if (name === 'UPDATE_PASSWORD') drop('forced password changes');
    else if (/TOTP|WEBAUTHN|RECOVERY_AUTHN|PASSKEY/.test(name)) drop('mfa');
  }
}
