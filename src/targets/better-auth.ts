import { membersOf } from './profile.ts';
import { filled, type Target, type TargetUser } from './target.ts';

const NAMES = { maxCharacters: 255 };

/**
 * Rows of Better Auth's tables `user` and `account`, one user a line. A password is `legacy:ALGORITHM:HASH` or
 * `legacy:ALGORITHM@SECRET:HASH`. Better Auth's `password.verify` sends it to the hook `hash` (docs/password-hooks.md).
 */
export const betterAuth: Target = {
  title: 'Better Auth',
  files: { name: 'users' },
  hashed: ({ algorithm, encoded, secretId }) => ({
    members: { password: `legacy:${algorithm}${secretId === undefined ? '' : `@${secretId}`}:${encoded}` },
  }),
  takes: { provider: (provider) => provider, externalId: () => true, timesOfJoining: true },
  userJson: (user) => JSON.stringify(rowsOf(user)),
  steps: () => [
    'Each line has a row of the table `user` and rows of the table `account`. Insert them with the adapter of your database.',
    'Then set emailAndPassword.password.verify as docs/password-hooks.md says.',
  ],
};

function rowsOf(user: TargetUser) {
  const { email, externalId, isVerified, isDisabled, password, identities, timeJoinedMs } = user;
  const id = externalId ?? email;
  const joined = timeJoinedMs === undefined ? undefined : new Date(timeJoinedMs).toISOString();
  const times = { createdAt: joined, updatedAt: joined };
  const { name } = membersOf(user.profile, { name: 'name' }, NAMES);
  const account = (providerId: string, accountId: string, more: object = {}) => ({
    ...{ id: `${id}:${providerId}`, userId: id, providerId, accountId, ...more, ...times },
  });
  return {
    user: {
      id,
      name: name ?? email,
      email,
      emailVerified: isVerified,
      banned: isDisabled || undefined,
      ...times,
    },
    account: filled([
      ...(password === undefined ? [] : [account('credential', id, password.members)]),
      ...identities.map(({ provider, userId }) => account(provider, userId)),
    ]),
  };
}
