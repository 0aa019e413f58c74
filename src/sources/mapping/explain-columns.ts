import type { TableHead } from '../containers/table.ts';
import type { Settings } from '../source.ts';
import { planColumns } from './column-plan.ts';
import { keptColumns } from './keep-columns.ts';
import type { MappingProblem } from './mapping.ts';
import { readMapping } from './read-mapping.ts';

export interface ColumnUse {
  column: string;
  /** A field (fields.ts), `identity.<provider>`, `template` or `metadata`. Undefined: not imported. */
  use: string | undefined;
  why: 'by --map or --hash' | 'by --active' | 'by its name' | 'by --keep' | 'not kept' | 'not wanted';
}

/** How the columns of an unknown system are used, so that guesses can be checked before the import. */
export function explainColumns(table: TableHead, settings: Settings): readonly ColumnUse[] | MappingProblem {
  const mapping = readMapping(settings);
  if ('problem' in mapping) return mapping;
  const plan = planColumns(table, mapping);
  const uses: ColumnUse[] = [];
  for (const [field, { column, isMapped }] of plan.fields)
    uses.push({ column, use: field, why: isMapped ? 'by --map or --hash' : 'by its name' });
  for (const { column } of plan.active) uses.push({ column, use: 'active', why: 'by --active' });
  for (const { provider, column } of plan.identities)
    uses.push({ column: column.column, use: `identity.${provider}`, why: 'by --map or --hash' });
  for (const { column } of plan.template) uses.push({ column, use: 'template', why: 'by --map or --hash' });
  const kept = [...keptColumns(settings)];
  for (const [name, column] of kept)
    uses.push({ column, use: name === column ? 'metadata' : `metadata.${name}`, why: 'by --keep' });
  for (const column of plan.leftOut) uses.push({ column, use: undefined, why: 'not wanted' });
  const told = new Set([...plan.used, ...kept.map(([, column]) => column.split('.', 1)[0])]);
  for (const column of table.columns)
    if (!told.has(column)) uses.push({ column, use: undefined, why: 'not kept' });
  return uses;
}
