import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { keysOf } from '../../imports/resolve/login-keys.ts';
import { DiskMap } from '../../lib/disk-map/disk-map.ts';

/**
 * Finds rows that refer to the same user as an earlier row: same e-mail with a password, or same provider
 * identity. Results of such rows depend on the order of the import. Rows with the external id of an earlier
 * row are conflicts, and not sent.
 */
export class DuplicateRows {
  /** First row of each key (e-mail or identity), or '' if that row is itself a duplicate. */
  readonly #first: DiskMap;

  constructor(tempDirectory: string) {
    this.#first = new DiskMap({ directory: tempDirectory, maxValues: 1 });
  }

  /**
   * Returns the earlier rows that share a key with the next row. Duplicates are left out: they are all sent
   * in the same part of the import, which keeps them in order.
   */
  add(user: ParsedUser, row: number): number[] | undefined {
    const keys = textsOf(user);
    const found = keys.map((key) => this.#first.find(key)[0]);
    const isDuplicate = found.some((first) => first !== undefined);
    for (const [index, key] of keys.entries())
      if (found[index] === undefined) this.#first.add(key, isDuplicate ? '' : String(row));
    return isDuplicate ? found.flatMap((first) => (first ? Number(first) : [])) : undefined;
  }

  close(): void {
    this.#first.close();
  }
}

/** A prefix for each kind of key keeps an e-mail from equalling an identity. */
function textsOf(user: ParsedUser): string[] {
  const { emails, identities } = keysOf([user]);
  return [
    ...[...emails].map((email) => `e${email}`),
    ...[...identities.keys()].map((identity) => `i${identity}`),
  ];
}
