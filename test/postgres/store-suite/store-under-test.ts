import type { PasswordHash } from '../../../src/hashing/verifier.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../src/postgres/users/create-user-store.ts';
import type { User } from '../../../src/users/user.ts';
import type { UserStore } from '../../../src/users/user-store.ts';
import { findLoginWithHash } from '../../support/find-login-with-hash.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';

/** An id that no user has. */
export const NOBODY = '00000000-0000-7000-8000-000000000000';

export const idsOf = (users: readonly User[]) => users.map(({ id }) => id);

/** The store that a suite tests, available after `open`, with data that its tests share. */
export class StoreUnderTest {
  #opened: { db: Database; store: UserStore } | undefined;
  #emails = 0;

  open(db: Database): void {
    this.#opened = { db, store: createUserStore(db) };
  }

  get #open(): { db: Database; store: UserStore } {
    if (this.#opened === undefined) throw new Error('the store is used before it is opened');
    return this.#opened;
  }

  get db(): Database {
    return this.#open.db;
  }

  get store(): UserStore {
    return this.#open.store;
  }

  /** Returns an address that no other test uses. */
  newEmail(): string {
    this.#emails += 1;
    return `user-${this.#emails}@example.com`;
  }

  importUser(email = this.newEmail(), hash = 'old'): Promise<{ user: User; existed: boolean }> {
    return this.store.importPasswordUser({ email, hash: labelledHash(hash) });
  }

  async storedHash(email: string): Promise<PasswordHash | undefined> {
    return (await findLoginWithHash(this.store, email))?.hash;
  }

  async signIn(email: string): Promise<User | undefined> {
    const login = await findLoginWithHash(this.store, email);
    return login && this.store.recordSignIn(email, login);
  }

  /** Adds a third-party login to a user with one password login, as a bulk import does. */
  async addThirdParty(user: User, recipeUserId: string, email: string): Promise<void> {
    await this.db.query(
      `insert into third_party_logins
         (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked)
       values ('apple', $1::text, $2, $3, $1::text::uuid, $4, true)`,
      [recipeUserId, email, user.id, user.timeJoinedMs + 1],
    );
    await this.db.query('update password_logins set linked = true where user_id = $1', [user.id]);
    await this.db.query("insert into user_aliases values ($1::text, 'recipe_user', $2, $1::text::uuid)", [
      recipeUserId,
      user.id,
    ]);
  }
}
