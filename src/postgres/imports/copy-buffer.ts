import type { EncodedRows, RowBuffer } from '../../imports/import-store.ts';
import type { NewRows } from '../../imports/resolve/write-set.ts';
import type { BufferPool, Reusable } from '../../lib/buffers/buffer-pool.ts';
import { ByteBuilder } from '../../lib/buffers/byte-builder.ts';
import { COPY_TARGETS, type CopyTarget } from './user-columns.ts';

class TableRows<Row> {
  readonly #target: CopyTarget<Row>;
  readonly #bytes = new ByteBuilder();
  #count = 0;

  constructor(target: CopyTarget<Row>) {
    this.#target = target;
  }

  get capacity(): number {
    return this.#bytes.capacity;
  }

  add(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    let text = '';
    for (const row of rows) text += this.#target.encode(row);
    this.#bytes.addText(text);
    this.#count += rows.length;
  }

  encoded(): EncodedRows {
    return { statement: this.#target.statement, rows: this.#bytes.bytes(), count: this.#count };
  }

  clear(): void {
    this.#bytes.clear();
    this.#count = 0;
  }
}

export class CopyRows implements Reusable {
  readonly #passwordLogins = new TableRows(COPY_TARGETS.passwordLogins);
  readonly #thirdPartyLogins = new TableRows(COPY_TARGETS.thirdPartyLogins);
  readonly #aliases = new TableRows(COPY_TARGETS.aliases);
  readonly #users = new TableRows(COPY_TARGETS.users);
  /** Tables in which rows may conflict with other transactions come first. */
  readonly #tables = [this.#passwordLogins, this.#thirdPartyLogins, this.#aliases, this.#users];

  get capacity(): number {
    return this.#tables.reduce((sum, { capacity }) => sum + capacity, 0);
  }

  add({ passwordLogins, thirdPartyLogins, aliases, users }: NewRows): void {
    this.#passwordLogins.add(passwordLogins);
    this.#thirdPartyLogins.add(thirdPartyLogins);
    this.#aliases.add(aliases);
    this.#users.add(users);
  }

  /** Tables without rows are left out. */
  encoded(): EncodedRows[] {
    return this.#tables.map((table) => table.encoded()).filter(({ count }) => count > 0);
  }

  clear(): void {
    for (const table of this.#tables) table.clear();
  }
}

/** Rows of new users in the format of COPY, in memory that is used again. */
export class CopyBuffer implements RowBuffer {
  readonly #pool: BufferPool<CopyRows>;
  #rows: CopyRows | undefined;

  constructor(pool: BufferPool<CopyRows>) {
    this.#pool = pool;
    this.#rows = pool.take();
  }

  add(rows: NewRows): void {
    this.#held.add(rows);
  }

  encoded(): EncodedRows[] {
    return this.#held.encoded();
  }

  release(): void {
    this.#pool.give(this.#held);
    this.#rows = undefined;
  }

  get #held(): CopyRows {
    if (this.#rows === undefined) throw new Error('these rows were released');
    return this.#rows;
  }
}
