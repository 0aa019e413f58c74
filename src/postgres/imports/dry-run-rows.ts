import type { RowBuffer } from '../../imports/import-store.ts';
import type { LoginIds } from '../../imports/resolve/existing-logins.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import { identityKey, type ThirdPartyIdentity } from '../../users/user.ts';
import type { Connection } from '../client/connection.ts';
import { copyText } from './copy-text.ts';

/** Of what a key names somebody. */
export type DryRunKind = 'password' | 'thirdParty' | 'externalId' | 'externalIdOfUser';

/** A row of the temporary table `rehearsed`, as COPY takes it. */
export const dryRunRow = (kind: DryRunKind, key: string, state: unknown): string =>
  `${kind}\t${copyText(key)}\t${copyText(JSON.stringify(state))}\n`;

/** Users that a dry run would create, and whom they would meet if they were not new. */
export class DryRunRows implements RowBuffer {
  readonly #rows = new ByteBuilder();
  #count = 0;
  readonly #emails: string[] = [];
  readonly #identities: ThirdPartyIdentity[] = [];
  readonly #externalIds: string[] = [];

  add({ passwordLogins, thirdPartyLogins, aliases }: Parameters<RowBuffer['add']>[0]): void {
    let text = '';
    const add = (kind: DryRunKind, key: string, state: unknown) => {
      text += dryRunRow(kind, key, state);
      this.#count += 1;
    };
    for (const { email, userId, recipeUserId, hashSetBy, isDryRun } of passwordLogins) {
      this.#emails.push(email);
      add('password', email, { userId, recipeUserId, hashSetBy, isDryRun });
    }
    for (const { identity, userId, recipeUserId, email, hasSignedIn, isDryRun } of thirdPartyLogins) {
      this.#identities.push(identity);
      add('thirdParty', identityKey(identity), { userId, recipeUserId, email, hasSignedIn, isDryRun });
    }
    for (const { alias, kind, userId, recipeUserId } of aliases) {
      if (kind !== 'external') continue;
      this.#externalIds.push(alias);
      const ids: LoginIds = { userId, recipeUserId };
      add('externalId', alias, ids);
      if (userId === recipeUserId) add('externalIdOfUser', userId, alias);
    }
    this.#rows.addText(text);
  }

  discard(): void {}

  /** Keeps them, where all of them are new: neither stored nor kept already. */
  async keepNew(connection: Connection): Promise<boolean> {
    const [row] = await connection.query<{ met: boolean }>(MEETS, [
      this.#emails,
      this.#identities.map(({ id }) => id),
      this.#identities.map(({ userId }) => userId),
      this.#externalIds,
      [...this.#emails, ...this.#identities.map(identityKey), ...this.#externalIds],
    ]);
    if (row?.met !== false) return false;
    const statement = 'copy dry_run_logins (kind, key, state) from stdin';
    if (this.#count > 0) {
      await connection.copy([{ statement, rows: this.#rows.bytes(), count: this.#count }]);
    }
    return true;
  }
}

/** Whether an external id is some user's own id is not asked: such lines are in no draft. */
const MEETS = `
  select exists (select from password_logins where email = any ($1))
    or exists (select from third_party_logins
       join unnest($2::text[], $3::text[]) as t (third_party_id, third_party_user_id)
         using (third_party_id, third_party_user_id))
    or exists (select from user_aliases where alias = any ($4))
    or exists (select from dry_run_logins where key = any ($5)) as met`;
