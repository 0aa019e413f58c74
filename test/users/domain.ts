import bcrypt from 'bcrypt';
import { HashFingerprints } from '../../src/passwords/hash-fingerprint.ts';
import { createUserStore } from '../../src/postgres/users/create-user-store.ts';
import type { SignInDeps } from '../../src/users/sign-in.ts';
import type { UserStore } from '../../src/users/user-store.ts';
import { useTestDatabase } from '../support/database.ts';
import { type SpiedPasswords, spiedPasswords } from '../support/spied-passwords.ts';

export const PASSWORD = 'pässword';

/** bcrypt hashes of PASSWORD, by cost. */
export const BCRYPT_4 = bcrypt.hashSync(PASSWORD, 4);
export const BCRYPT_5 = bcrypt.hashSync(PASSWORD, 5);

/** A hash with the cost of the argon2 hashes made here, see `spiedPasswords`. */
export const OWN_WORK = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export const bcryptWork = (cost: number) => `$2b$0${cost}$${'.'.repeat(53)}`;

/** Dependencies for use cases without upgrades. */
export const NO_UPGRADES: Pick<SignInDeps, 'upgrades'> & { fingerprints: HashFingerprints } = {
  upgrades: { offer() {} },
  fingerprints: new HashFingerprints(['a secret']),
};

type Domain = SpiedPasswords &
  typeof NO_UPGRADES & { store: UserStore; now: () => number; calls: string[]; clock: { ms: number } };

/**
 * Creates what use cases depend on, with a database of its own, for one test. `calls` has the names of the
 * store's methods in the order of calls.
 */
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
