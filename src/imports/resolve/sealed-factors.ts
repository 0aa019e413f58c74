import type { FactorVault } from '../../users/factor-vault.ts';
import type { ParsedFactors } from '../input/parsed-user.ts';

/** Decrypting requires the id of the same user. */
export function sealedFactors(
  vault: FactorVault,
  userId: string,
  factors: ParsedFactors | undefined,
): Buffer | undefined {
  if (factors === undefined) return undefined;
  return 'sealed' in factors ? factors.sealed : vault.seal(userId, factors.open);
}
