import type { SourceRecord, TableHead } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { columnOf } from '../mapping/column.ts';
import { keptColumns } from '../mapping/keep-columns.ts';
import { readMapping } from '../mapping/read-mapping.ts';
import type { Advice, Settings } from '../source.ts';

/**
 * Finds columns that `--active` and `--keep` name and that no user has. The first records of JSON do not show it.
 * A rule about such a column would hold for everybody, or for nobody.
 */
export class AbsentColumns {
  readonly #names: readonly string[];
  readonly #absent: Set<string>;
  #hasRecords = false;

  /** @param absent becomes the columns that no record has had so far */
  constructor(settings: Settings, absent: Set<string>) {
    const mapping = readMapping(settings);
    const rules = 'problem' in mapping ? [] : (mapping.active ?? []);
    this.#names = [...rules.map(({ column }) => column), ...keptColumns(settings).values()];
    this.#absent = absent;
  }

  note(table: TableHead, record: SourceRecord): void {
    if (!this.#hasRecords) for (const name of this.#names) this.#absent.add(name);
    this.#hasRecords = true;
    for (const name of this.#absent)
      if (columnOf(table, name).valueOf(record) !== undefined) this.#absent.delete(name);
  }
}

export function adviceOnAbsent(absent: ReadonlySet<string>): Advice | undefined {
  if (absent.size === 0) return undefined;
  const names = [...absent].map(shownName).join(', ');
  return {
    level: 'stop',
    text: `--active or --keep names columns that no user has: ${names}.`,
  };
}
