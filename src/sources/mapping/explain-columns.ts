import type { TableHead } from '../containers/table.ts';
import { namesSecret } from '../fields/secret-names.ts';
import type { Settings } from '../source.ts';
import { planColumns } from './column-plan.ts';
import type { MappingProblem } from './mapping.ts';
import { readMapping } from './read-mapping.ts';

export interface ColumnUse {
  column: string;
  /** A field (fields.ts), `identity.<provider>`, `template` or `metadata`. Undefined: not imported. */
  use: string | undefined;
  why:
    | 'by --map or --hash'
    | 'by --active'
    | 'by its name'
    | 'all others'
    | 'may hold a secret'
    | 'not listed'
    | 'not wanted';
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
  const kept = [...(plan.metadata ?? []), ...plan.renamed];
  for (const { name, column } of kept)
    uses.push({
      column: column.column,
      use: name === column.column ? 'metadata' : `metadata.${name}`,
      why: 'by --map or --hash',
    });
  for (const column of plan.leftOut) uses.push({ column, use: undefined, why: 'not wanted' });
  const told = new Set([...plan.used, ...kept.map(({ column }) => column.member)]);
  for (const column of table.columns)
    if (!told.has(column)) uses.push(useOfOther(column, plan.metadata === undefined));
  return uses;
}

function useOfOther(column: string, isKept: boolean): ColumnUse {
  if (!isKept) return { column, use: undefined, why: 'not listed' };
  return namesSecret(column)
    ? { column, use: undefined, why: 'may hold a secret' }
    : { column, use: 'metadata', why: 'all others' };
}
