import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { keysOf } from '../../imports/resolve/login-keys.ts';
import { DiskMap } from '../../lib/disk-map/disk-map.ts';

/**
 * Tells which rows meet a row before them in the service: by an address with a password, an identity or an external id. What becomes
 * of such a row depends on which of them comes first.
 */
export class Meetings {
  /** By key: the first row that has it, or nothing where that one met others. */
  readonly #first: DiskMap;

  constructor(tempDirectory: string) {
    this.#first = new DiskMap({ directory: tempDirectory, maxValues: 1 });
  }

  /**
   * Takes the next row. Undefined: it meets none. Else those that it meets, but for rows that themselves met others.
   * @param row its number
   */
  add(user: ParsedUser, row: number): number[] | undefined {
    const keys = textsOf(user);
    const found = keys.map((key) => this.#first.find(key)[0]);
    const isMet = found.some((first) => first !== undefined);
    for (const [index, key] of keys.entries())
      if (found[index] === undefined) this.#first.add(key, isMet ? '' : String(row));
    return isMet ? found.flatMap((first) => (first ? Number(first) : [])) : undefined;
  }

  close(): void {
    this.#first.close();
  }
}

/** The same text of two kinds is two keys. */
function textsOf(user: ParsedUser): string[] {
  const { emails, identities, externalIds } = keysOf([user]);
  return [
    ...[...emails].map((email) => `e${email}`),
    ...[...identities.keys()].map((identity) => `i${identity}`),
    ...[...externalIds].map((id) => `x${id}`),
  ];
}
