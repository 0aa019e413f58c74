import type { RowBuffer } from '../../imports/import-store.ts';
import type {
  NewAlias,
  NewPasswordLogin,
  NewThirdPartyLogin,
  NewUser,
} from '../../imports/resolve/write-set.ts';
import type { BufferPool, Reusable } from '../../lib/buffers/buffer-pool.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import type { Connection } from '../client/connection.ts';
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

const NO_ROWS = { passwordLogins: 0, thirdPartyLogins: 0, aliases: 0, users: 0 };

/** Rows as COPY takes them. */
export class CopyRows implements Reusable {
  readonly #rows: Record<keyof typeof TARGETS, ByteBuilder> = {
    passwordLogins: new ByteBuilder(),
    thirdPartyLogins: new ByteBuilder(),
    aliases: new ByteBuilder(),
    users: new ByteBuilder(),
  };
  #counts = NO_ROWS;

  get capacity(): number {
    return Object.values(this.#rows).reduce((sum, { capacity }) => sum + capacity, 0);
  }

  clear(): void {
    for (const rows of Object.values(this.#rows)) rows.clear();
    this.#counts = NO_ROWS;
  }

  add({ passwordLogins, thirdPartyLogins, aliases, users }: Parameters<RowBuffer['add']>[0]): void {
    encode(this.#rows.passwordLogins, passwordLogins, passwordLoginRow);
    encode(this.#rows.thirdPartyLogins, thirdPartyLogins, thirdPartyLoginRow);
    encode(this.#rows.aliases, aliases, aliasRow);
    encode(this.#rows.users, users, userRow);
    const counts = this.#counts;
    this.#counts = {
      passwordLogins: counts.passwordLogins + passwordLogins.length,
      thirdPartyLogins: counts.thirdPartyLogins + thirdPartyLogins.length,
      aliases: counts.aliases + aliases.length,
      users: counts.users + users.length,
    };
  }

  /** @throws a unique violation when a user is there already */
  async write(connection: Connection): Promise<void> {
    const copies = Object.entries(TARGETS).map(([name, target]) => ({
      statement: `copy ${target} from stdin`,
      rows: this.#rows[name as keyof typeof TARGETS].bytes(),
      count: this.#counts[name as keyof typeof TARGETS],
    }));
    await connection.copy(copies.filter(({ count }) => count > 0));
  }
}

/** Rows in memory that is used again once they are written. */
export class CopyBuffer implements RowBuffer {
  readonly #pool: BufferPool<CopyRows>;
  #rows: CopyRows | undefined;

  constructor(pool: BufferPool<CopyRows>) {
    this.#pool = pool;
    this.#rows = pool.take();
  }

  add(rows: Parameters<RowBuffer['add']>[0]): void {
    if (this.#rows === undefined) throw new Error('these rows were handed on already');
    this.#rows.add(rows);
  }

  /** Once only. Where it fails Postgres may still be sent some of the rows: that memory is not used again. */
  async write(connection: Connection): Promise<void> {
    const rows = this.#end();
    if (rows === undefined) throw new Error('these rows were handed on already');
    await rows.write(connection);
    this.#pool.give(rows);
  }

  discard(): void {
    const rows = this.#end();
    if (rows !== undefined) this.#pool.give(rows);
  }

  #end(): CopyRows | undefined {
    const rows = this.#rows;
    this.#rows = undefined;
    return rows;
  }
}

function encode<Row>(to: ByteBuilder, rows: readonly Row[], encodeRow: (row: Row) => string): void {
  if (rows.length === 0) return;
  let text = '';
  for (const row of rows) text += encodeRow(row);
  to.addText(text);
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
