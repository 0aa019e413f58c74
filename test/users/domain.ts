import bcrypt from 'bcrypt';
import { createUserStore } from '../../src/postgres/users/create-user-store.ts';
import { HashFingerprints } from '../../src/users/hash-fingerprint.ts';
import type { SignInDeps } from '../../src/users/sign-in.ts';
import type { UserStore } from '../../src/users/user-store.ts';
import { useTestDatabase } from '../support/database.ts';
import { type SpiedPasswords, spiedPasswords } from '../support/spied-passwords.ts';

export const PASSWORD = 'pässword';

/** bcrypt hashes of PASSWORD, by cost. */
export const BCRYPT_4 = bcrypt.hashSync(PASSWORD, 4);
export const BCRYPT_5 = bcrypt.hashSync(PASSWORD, 5);

/** What an argon2 hash made here costs, see `spiedPasswords`. */
export const OWN_WORK = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** What bcrypt of this cost costs. */
export const bcryptWork = (cost: number) => `$2b$0${cost}$${'.'.repeat(53)}`;

/** What the use cases work with, but for upgrades, of which there are none. */
export const NO_UPGRADES: Pick<SignInDeps, 'upgrades'> & { fingerprints: HashFingerprints } = {
  upgrades: { offer() {} },
  fingerprints: new HashFingerprints(['a secret']),
};

type Domain = SpiedPasswords &
  typeof NO_UPGRADES & { store: UserStore; now: () => number; calls: string[]; clock: { ms: number } };

/** What the use cases work with, on a database of its own, for one test. `calls`: the names of the store's methods as they are called. */
export async function useDomain(): Promise<Domain> {
  const { db } = await useTestDatabase();
  const real = createUserStore(db);
  const calls: string[] = [];
  const store = new Proxy(real, {
    get: (target, name, receiver) => {
      const method = Reflect.get(target, name, receiver);
      return (...values: unknown[]) => {
        calls.push(String(name));
        return method(...values);
      };
    },
  });
  const clock = { ms: Date.now() };
  return { ...spiedPasswords(), ...NO_UPGRADES, store, calls, clock, now: () => clock.ms };
}
