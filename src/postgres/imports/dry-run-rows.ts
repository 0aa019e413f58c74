import type { DryRunRows, EncodedRows } from '../../imports/import-store.ts';
import type { LoginIds } from '../../imports/resolve/existing-logins.ts';
import type { NewRows } from '../../imports/resolve/write-set.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import { identityKey, type ThirdPartyIdentity } from '../../users/user.ts';
import { copyText } from './copy-text.ts';

/** Kind of a stored decision of a dry run, which later lines find by a key such as an e-mail address. */
export type DryRunKind =
  | 'password'
  | 'thirdParty'
  | 'externalId'
  | 'externalIdOfUser'
  // The following kinds occur only with `matchBy=externalId`.
  | 'owner'
  | 'person'
  | 'email'
  | 'identity';

export class DryRunCopyRows implements DryRunRows {
  readonly #session: string;
  readonly #rows = new ByteBuilder();
  #count = 0;
  readonly #emails = new Set<string>();
  readonly #identities = new Map<string, ThirdPartyIdentity>();
  readonly #externalIds = new Set<string>();

  constructor(session: string) {
    this.#session = session;
  }

  add({ passwordLogins, thirdPartyLogins, aliases }: NewRows): void {
    let text = '';
    const add = (kind: DryRunKind, key: string, state: unknown) => {
      text += `${this.#session}\t${kind}\t${copyText(key)}\t${copyText(JSON.stringify(state))}\n`;
      this.#count += 1;
    };
    for (const { email, userId, recipeUserId, hashSetBy, noHash, isDryRun } of passwordLogins) {
      this.#emails.add(email);
      add('password', email, { userId, recipeUserId, hashSetBy, noHash, isDryRun });
    }
    for (const { identity, userId, recipeUserId, email, hasSignedIn, isDryRun } of thirdPartyLogins) {
      const key = identityKey(identity);
      this.#identities.set(key, identity);
      add('thirdParty', key, { userId, recipeUserId, email, hasSignedIn, isDryRun });
    }
    for (const { alias, kind, userId, recipeUserId } of aliases) {
      if (kind !== 'external') continue;
      this.#externalIds.add(alias);
      const ids: LoginIds = { userId, recipeUserId };
      add('externalId', alias, ids);
      if (userId === recipeUserId) add('externalIdOfUser', userId, alias);
    }
    this.#rows.addText(text);
  }

  encoded() {
    const rows: EncodedRows = {
      statement: 'copy dry_run_logins (session, kind, key, state) from stdin',
      rows: this.#rows.bytes(),
      count: this.#count,
    };
    const keys = { emails: this.#emails, identities: this.#identities, externalIds: this.#externalIds };
    return { keys, rows };
  }

  release(): void {}
}
