import { shownName } from '../fields/shown-name.ts';
import type { SecretPath } from '../fields/without-secrets.ts';

/** Maximum number of names to count. They come from the file, and are kept in memory until the end. */
const MAX_PATHS = 200;
const MAX_NAMES = 4;
const OTHERS = 'others';

/** Counts a removed secret by its path. Names that may be secrets themselves are not shown. */
export function countSecret(secrets: Map<string, number>, path: SecretPath): void {
  const names = path.length > MAX_NAMES ? [...path.slice(0, MAX_NAMES), '…'] : path;
  const name = names.map(shownName).join('.');
  const known = secrets.has(name) || secrets.size < MAX_PATHS ? name : OTHERS;
  secrets.set(known, (secrets.get(known) ?? 0) + 1);
}
