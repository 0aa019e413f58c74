import { AppError } from '../../lib/errors.ts';
import { identityKey } from '../../users/user.ts';
import type { IncomingLogin, UserStore } from '../../users/user-store.ts';
import type { Database } from '../client/database.ts';
import { Batcher } from './batcher.ts';
import {
  isSettled,
  moveIn,
  readOfUser,
  recordRemoved,
  removeUser,
  resolveId,
  setDisabled,
  updatePasswordLogin,
} from './change-user.ts';
import { SingleImports } from './import-logins.ts';
import {
  createPasswordUser,
  findPasswordLogins,
  findSignedIn,
  recordSignIn,
  recordSignIns,
  replaceHash,
  type SignIn,
} from './password-logins.ts';
import { countBySecret, countHashes, sampleHashes } from './stored-hashes.ts';
import { signInUpThirdParties } from './third-party-logins.ts';
import { queriesOf, readUsers } from './user-rows.ts';
import type { ThirdPartySignIn } from './write-sign-ins.ts';

/**
 * Limits of joining simultaneous writes into one statement, as measured (docs/adr/0005-folding.md). Larger
 * statements gain nothing. With one statement at a time, the database is idle while answers are written; with
 * more than two, statements are smaller. `maxPending` limits the memory of waiting calls.
 */
const BATCHING = {
  maxItems: 500,
  maxRuns: 2,
  maxPending: 20_000,
  isItemFault: (error: unknown) => !(error instanceof AppError),
};

/**
 * Sign-ins arrive one by one, when their passwords have been verified. A pause between runs collects several of them,
 * which costs the database less than half.
 */
const SIGN_INS = { ...BATCHING, everyMs: 4 };

export function createUserStore(db: Database): UserStore {
  const singleImports = new SingleImports(db);
  const imports = new Batcher({
    ...BATCHING,
    key: ({ email }: IncomingLogin) => email,
    run: (logins) => singleImports.run(logins),
  });
  const signInUps = new Batcher({
    ...BATCHING,
    key: ({ identity }: ThirdPartySignIn) => identityKey(identity),
    run: (logins) => signInUpThirdParties(db, logins),
  });
  const logins = new Batcher({
    ...SIGN_INS,
    key: (email: string) => email,
    run: (emails) => findPasswordLogins(db, emails),
  });
  const confirming = (run: typeof findSignedIn) =>
    new Batcher({ ...SIGN_INS, key: ({ email }: SignIn) => email, run: (some) => run(db, some) });
  const [signedIn, signIns] = [confirming(findSignedIn), confirming(recordSignIns)];

  return {
    importPasswordUser: (login) => imports.call(login),
    signInUpThirdParty: (login) => signInUps.call(login),
    createPasswordUser: (login) => createPasswordUser(db, login),
    findPasswordLogin: (email) => logins.call(email),
    findSignedIn: (email, login) => signedIn.call({ email, login }),
    recordSignIn: async (email, login) =>
      (await signIns.call({ email, login })) ?? recordSignIn(db, { email, login }),
    replaceHash: (login, by) => replaceHash(db, login, by),
    updatePasswordLogin: (recipeUserId, change) => updatePasswordLogin(db, recipeUserId, change),
    moveIn: (email, login, hash, profile) => moveIn(db, email, login, hash, profile),
    async findUser(id) {
      const resolved = await resolveId(db, id);
      return resolved && (await readUsers(db, [resolved.userId])).get(resolved.userId);
    },
    findMetadata: async (id) => (await readOfUser<string>(db, id, 'metadata'))?.value,
    setDisabled: (id, disabled) => setDisabled(db, id, disabled),
    async findFactors(id) {
      const factors = await readOfUser<Buffer>(db, id, 'factors');
      return factors && { userId: factors.userId, sealed: factors.value };
    },
    listUsers: (listing) => queriesOf(db).listUsers(db, listing),
    countUsers: (filter) => queriesOf(db).countUsers(db, filter),
    searchUsers: (search) => queriesOf(db).searchUsers(db, search),
    findUsersByAccountInfo: (info, match, limit) =>
      queriesOf(db).findUsersByAccountInfo(db, info, match, limit),
    recordRemoved: (emails) => recordRemoved(db, emails),
    isSettled: (email) => isSettled(db, email),
    removeUser: (id, scope) => removeUser(db, id, scope),
    countBySecret: (configured, atMost) => countBySecret(db, configured, atMost),
    sampleHashes: (limit) => sampleHashes(db, limit),
    countHashes: (after, limit) => countHashes(db, after, limit),
    async ping() {
      await db.query('select 1');
    },
  };
}
