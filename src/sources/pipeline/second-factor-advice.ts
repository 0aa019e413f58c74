import type { Advice } from '../source.ts';
import type { Tally } from './judge.ts';

/** Asks for `--mfa` if users who would be imported have a second factor. */
export function adviceOnSecondFactors(
  { secondFactors }: Pick<Tally, 'secondFactors'>,
  mfa: string | undefined,
): Advice | undefined {
  const users = secondFactors.get('users') ?? 0;
  if ((mfa !== undefined && mfa !== 'none') || users === 0) return undefined;
  return {
    level: 'stop',
    text: [
      `Users who have a second factor in the old system: ${users}. This service does not ask for it, so import needs your decision:`,
      '--mfa password-only: import them; they sign in with their password only.',
      '--mfa skip: leave them out.',
      '--mfa keep: import them, and keep their TOTP devices for the next system, encrypted (factors_secret of the service), as far as the export has them readable, with the roles and phone numbers of all users. Here, too, they sign in with their password only.',
    ].join('\n'),
    question: { code: 'SECOND_FACTORS', flag: '--mfa' },
  };
}

export function adviceOnKeptFactors(
  { secondFactors }: Pick<Tally, 'secondFactors'>,
  mfa: string | undefined,
): Advice[] {
  const users = secondFactors.get('users') ?? 0;
  if (mfa !== 'keep' || users === 0) return [];
  const kept = secondFactors.get('kept') ?? 0;
  const lost = users - kept;
  return [
    {
      level: 'warn',
      text: `Second factors are stored, but not asked for: users sign in with their password only. Users whose TOTP devices are kept: ${kept}.${lost > 0 ? ` Users whose second factor cannot be kept, because the export has no TOTP secret, or an encrypted one: ${lost}. They have to set it up again.` : ''}`,
    },
  ];
}
