import type { Advice } from '../source.ts';
import type { Tally } from './judge.ts';

/**
 * Warns of users whose address is not verified, in an export in which other users have a verified one: a system that asks for
 * verification did not let them sign in, and here their password does. Nothing is said where no address is verified, as most such
 * systems never ask.
 */
export function unverifiedAddresses({ addresses }: Pick<Tally, 'addresses'>): readonly Advice[] {
  const unverified = addresses.get('unverified') ?? 0;
  if (unverified === 0 || !addresses.has('verified')) return [];
  return [
    {
      level: 'warn',
      text: `Users whose address is not verified, though others have a verified one: ${unverified}. They are imported as not verified, and their password signs in here. If the old system did not let them in, let your app ask for verification before it opens a session (SuperTokens: EmailVerification in mode REQUIRED), or take them out of the export.`,
    },
  ];
}
