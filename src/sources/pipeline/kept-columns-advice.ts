import { nearestNames } from '../../lib/text/nearest-names.ts';
import type { TableHead } from '../containers/table.ts';
import { shownName } from '../fields/shown-name.ts';
import { columnOf, lacksColumn } from '../mapping/column.ts';
import { keptColumns } from '../mapping/keep-columns.ts';
import type { Advice, Settings } from '../source.ts';

const MAX_SHOWN = 50;

/**
 * Stops if `--keep` names a column that no table has: its values would be lost silently.
 * @param tables tables from which users are read
 */
export function adviceOnKeptColumns(tables: readonly TableHead[], settings: Settings): readonly Advice[] {
  if (settings.keep === undefined || tables.length === 0) return [];
  // In other files, later records may have columns that the first records lack.
  const isKnown = tables.every(({ container }) => container === 'sql' || container === 'csv');
  if (!isKnown) return [];
  const isMissing = (name: string) => tables.every((table) => lacksColumn(table, columnOf(table, name)));
  const missing = [...keptColumns(settings).values()].filter(isMissing);
  const columns = [...new Set(tables.flatMap((table) => [...table.columns]))];
  const near = nearestNames(columns, 0.5);
  return missing.map((name) => {
    const [nearest] = near(name);
    const hint = nearest === undefined ? '' : ` Did you mean ${shownName(nearest)}?`;
    const shown = columns.slice(0, MAX_SHOWN).map(shownName).join(', ');
    const more = columns.length > MAX_SHOWN ? ', …' : '';
    return {
      level: 'stop',
      text: `--keep: there is no column ${shownName(name)}.${hint} The users have ${shown}${more}.`,
    };
  });
}
