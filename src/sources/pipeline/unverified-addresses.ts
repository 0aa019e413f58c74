import type { Advice } from '../source.ts';
import type { Tally } from './judge.ts';

/**
 * Warns of users whose address is not verified, if others have a verified one. A system that asks for
 * verification did not let them sign in, but after the import their password is sufficient. Without any
 * verified address there is no warning, because most of those systems never ask for verification.
 */
export function unverifiedAddresses({ addresses }: Pick<Tally, 'addresses'>): readonly Advice[] {
  const unverified = addresses.get('unverified') ?? 0;
  if (unverified === 0 || !addresses.has('verified')) return [];
  return [
    {
      level: 'warn',
      text: `Users without a verified address, while others have one: ${unverified}. They are imported as not verified, and can sign in here with their password. If the old system refused them, let your app ask for verification before it opens a session (SuperTokens: EmailVerification in mode REQUIRED), or take them out of the export.`,
    },
  ];
}
