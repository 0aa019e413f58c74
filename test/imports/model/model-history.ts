import fc from 'fast-check';
import type { TestApp } from '../../support/app.ts';
import { IMPORT } from '../../support/service-calls.ts';
import type { Login, ModelUsers, Person } from './model.ts';
import { readUsers } from './model-database.ts';
import { hashNumber, identityOf, people } from './model-streams.ts';

/** A change beside bulk imports, of a login or of the user who has it. */
export interface Deed {
  what: 'import' | 'sign-up' | 'sign-in-up' | 'change-password' | 'remove';
  login: Login;
  variant: number;
}

export const deeds: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom('import', 'sign-up', 'sign-in-up', 'sign-in-up', 'change-password', 'remove'),
  login: people.map(({ logins }) => logins[0]),
  variant: fc.nat(4000),
});

/**
 * Applies a deed to the service with single calls, and to the model. Ignores a deed that does not fit its
 * login.
 */
export async function carryOut(deed: Deed, service: TestApp, model: ModelUsers): Promise<void> {
  const { key } = deed.login;
  if (deed.what === 'remove') {
    const user = model.userOf(key);
    if (user === undefined) return;
    await service.send('POST', '/user/remove', { userId: (await find(service, key))?.id });
    model.remove(user);
  } else if (deed.what === 'sign-in-up') {
    if (deed.login.secret === undefined) await signInUp(deed.login, service, model);
  } else if (deed.login.secret !== undefined) {
    await SET_PASSWORD[deed.what](deed, service, model);
  }
}

const find = async ({ database }: TestApp, key: string) =>
  (await readUsers(database.db)).find(({ logins }) => logins.some((login) => login.key === key));

async function signInUp(
  { key, email, isVerified }: Login,
  service: TestApp,
  model: ModelUsers,
): Promise<void> {
  const [thirdPartyId, thirdPartyUserId] = identityOf(key);
  const body = { thirdPartyId, thirdPartyUserId, email: { id: email, isVerified } };
  await service.send('POST', '/recipe/signinup', body);
  const existing = model.login(key);
  if (existing === undefined) {
    model.add({ logins: [{ key, email, isVerified }] }, { hasSignedIn: true, timeJoinedMs: undefined });
  } else {
    existing.email = email;
    existing.hasSignedIn = true;
    if (isVerified) existing.verified.add(email);
  }
}

type SetPassword = (deed: Deed, service: TestApp, model: ModelUsers) => Promise<void>;

const alone = ({ key, email }: Login, secret: Login['secret']): Person => ({
  logins: [{ key, email, secret }],
});

const SET_PASSWORD: Record<'import' | 'sign-up' | 'change-password', SetPassword> = {
  import: async ({ login, variant }, service, model) => {
    const secret = { hash: hashNumber(variant) };
    await service.send('POST', IMPORT, { email: login.email, passwordHash: secret.hash });
    const existing = model.login(login.key);
    if (existing !== undefined) Object.assign(existing, { secret, setBy: 'import' });
    else model.add(alone(login, secret), { timeJoinedMs: undefined });
  },
  'sign-up': async ({ login }, service, model) => {
    const secret = { password: 'chosen' };
    await service.send('POST', '/recipe/signup', { email: login.email, ...secret });
    if (model.login(login.key) === undefined) {
      model.add(alone(login, secret), { setBy: 'user', timeJoinedMs: undefined });
    }
  },
  'change-password': async ({ login }, service, model) => {
    const existing = model.login(login.key);
    if (existing === undefined) return;
    const user = await find(service, login.key);
    const recipeUserId = user?.logins.find(({ key }) => key === login.key)?.recipeUserId;
    const secret = { password: 'changed' };
    await service.send('PUT', '/recipe/user', { recipeUserId, ...secret });
    Object.assign(existing, { secret, setBy: 'user' });
  },
};
