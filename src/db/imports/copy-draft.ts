import type { NewAlias, NewPasswordLogin, NewThirdPartyLogin, NewUser } from '../../imports/plan.ts';
import type { RowDraft } from '../../imports/store.ts';
import type { Connection } from '../connection.ts';
import { copyArray, copyText } from './copy-text.ts';

/** In the order in which they are written: those that may meet rows of others come first. */
const TARGETS = {
  passwordLogins: `password_logins
    (email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm)`,
  thirdPartyLogins: `third_party_logins
    (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails)`,
  aliases: 'user_aliases (alias, kind, user_id, recipe_user_id)',
  users: 'users (user_id, time_joined_ms, metadata)',
};

/** Rows as COPY takes them. */
export class CopyDraft implements RowDraft {
  readonly #texts: Record<keyof typeof TARGETS, Buffer[]> = {
    passwordLogins: [],
    thirdPartyLogins: [],
    aliases: [],
    users: [],
  };

  add({ passwordLogins, thirdPartyLogins, aliases, users }: Parameters<RowDraft['add']>[0]): void {
    encode(this.#texts.passwordLogins, passwordLogins, passwordLoginRow);
    encode(this.#texts.thirdPartyLogins, thirdPartyLogins, thirdPartyLoginRow);
    encode(this.#texts.aliases, aliases, aliasRow);
    encode(this.#texts.users, users, userRow);
  }

  /** @throws a unique violation when a user is there already */
  async write(connection: Connection): Promise<void> {
    for (const [rows, target] of Object.entries(TARGETS)) {
      const texts = this.#texts[rows as keyof typeof TARGETS];
      if (texts.length > 0) await connection.copy(`copy ${target} from stdin`, Buffer.concat(texts));
    }
  }
}

function encode<Row>(texts: Buffer[], rows: readonly Row[], encodeRow: (row: Row) => string): void {
  if (rows.length === 0) return;
  let text = '';
  for (const row of rows) text += encodeRow(row);
  texts.push(Buffer.from(text));
}

// Ids, times and names of algorithms hold nothing that the format would take for its own.
const passwordLoginRow = (login: NewPasswordLogin) =>
  `${copyText(login.email)}\t${middle(login)}\t${copyText(login.hash.encoded)}\t${login.hash.algorithm}\n`;

const thirdPartyLoginRow = (login: NewThirdPartyLogin) =>
  `${copyText(login.identity.id)}\t${copyText(login.identity.userId)}\t${copyText(login.email)}\t${middle(login)}\n`;

function middle(login: NewPasswordLogin | NewThirdPartyLogin): string {
  const { userId, recipeUserId, timeJoinedMs, linked, verifiedEmails } = login;
  // Nearly all.
  const flags =
    !linked && verifiedEmails.length === 0
      ? '\tf\t\\N'
      : `\t${linked ? 't' : 'f'}\t${copyArray(verifiedEmails)}`;
  return `${userId}\t${recipeUserId}\t${timeJoinedMs}${flags}`;
}

const aliasRow = ({ alias, kind, userId, recipeUserId }: NewAlias) =>
  `${copyText(alias)}\t${kind}\t${userId}\t${recipeUserId}\n`;

const userRow = ({ userId, timeJoinedMs, metadata }: NewUser) =>
  `${userId}\t${timeJoinedMs}\t${copyText(metadata)}\n`;
