import type { FactorVault } from '../../users/factor-vault.ts';
import type { ParsedFactors } from '../input/parsed-user.ts';

/** Returns the encrypted form of factors, which only this user's id decrypts. */
export function sealedFactors(
  vault: FactorVault,
  userId: string,
  factors: ParsedFactors | undefined,
): Buffer | undefined {
  if (factors === undefined) return undefined;
  return 'sealed' in factors ? factors.sealed : vault.seal(userId, factors.open);
}
