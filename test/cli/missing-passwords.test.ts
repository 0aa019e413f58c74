import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BCRYPT, runCli, scratch } from './command-line.ts';

const attributesOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([Name, Value]) => ({ Name, Value }));

const user = (name: string, attributes: Readonly<Record<string, string>>, more: object = {}) => ({
  Username: name,
  Attributes: attributesOf({ sub: name, email: `${name}@example.com`, ...attributes }),
  UserCreateDate: '2024-05-29T21:04:22.000Z',
  Enabled: true,
  UserStatus: 'CONFIRMED',
  ...more,
});

const GOOGLE = JSON.stringify([{ userId: '7', providerName: 'Google', providerType: 'Google' }]);

const CONFIRMED = user('ada', { email_verified: 'true' });
const UNCONFIRMED = user('bob', { email_verified: 'false' });
const LINKED = user('eve', { email_verified: 'true', identities: GOOGLE });

/** Returns the advice of an inspection, as text. */
async function inspect(users: readonly object[], ...flags: string[]): Promise<string> {
  const file = join(scratch(), 'users.json');
  writeFileSync(file, JSON.stringify({ Users: users }));
  const { stdout } = await runCli(['inspect', file, '--json', ...flags]);
  const { advice } = JSON.parse(stdout) as { advice: { level: string; text: string }[] };
  return advice.map(({ level, text }) => `${level}: ${text}`).join('\n');
}

describe('users whose password the export does not have', () => {
  it('are counted, with the flags that bring them in', async () => {
    const advice = await inspect([CONFIRMED, UNCONFIRMED, LINKED]);
    expect(advice).toMatch(
      /warn: Users with an address, .* who are skipped: 2\. .* imported without it: 1\./,
    );
    expect(advice).toContain('--without-password keep imports them without a password');
    expect(advice).not.toContain('is in');
  });

  it.each([
    ['legacy', ['1']],
    ['keep', []],
  ])('are not said to be skipped, nor to sign in here, with %s', async (what, waiting) => {
    const advice = await inspect([CONFIRMED, UNCONFIRMED, LINKED], '--without-password', what);
    expect(advice).toContain('Cognito never gives hashes away.');
    expect(advice).not.toMatch(
      /skipped|Users without a verified address|can sign in here|--without-password/,
    );
    const found = [...advice.matchAll(/wait for a first sign-in without a verified address, [^:]*: (\d)/g)];
    expect(found.map(([, users]) => users)).toEqual(waiting);
  });

  it('are a note where they are few, in a table of any system', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => `${at},u${at}@example.com,${at === 0 ? '' : BCRYPT}`);
    const file = join(scratch(), 'users.csv');
    const adviceOf = async (lines: readonly string[]) => {
      writeFileSync(file, ['id,email,password_hash', ...lines, ''].join('\n'));
      return (await runCli(['inspect', file, '--active', 'everybody'])).stdout.replace(/\s+/g, ' ');
    };
    expect(await adviceOf(rows)).toMatch(
      /note Users with an address, .* who are skipped: 1\. --without-password/,
    );
    expect(await adviceOf(rows.slice(0, 5))).toMatch(/warn Users with an address, .* who are skipped: 1\. /);
    expect(await adviceOf(rows.slice(1))).not.toContain('--without-password');
  });
});

describe('second factors of Cognito', () => {
  const NOTE = 'note: The output of list-users does not say who has an authenticator app (TOTP)';

  it('are not in the output of list-users, which is said once', async () => {
    expect((await inspect([CONFIRMED, UNCONFIRMED])).split(NOTE)).toHaveLength(2);
  });

  it('are asked about if the export says them', async () => {
    const advice = await inspect(
      [{ ...CONFIRMED, UserMFASettingList: ['SOFTWARE_TOKEN_MFA'] }],
      '--without-password',
      'keep',
    );
    expect(advice).not.toContain(NOTE);
    expect(advice).toContain('stop: Users who have, or must set up, a second factor in the old system: 1.');
  });
});
