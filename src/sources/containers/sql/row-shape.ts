import type { ColumnKind } from './cell.ts';
import type { Column } from './columns.ts';
import type { Table } from './tables.ts';

/** Columns of the rows of an INSERT, and whether the columns may hold bytes. */
export interface RowShape {
  columns: readonly string[];
  /** Undefined if all SQL columns are of `otherKind`. */
  kinds: readonly ColumnKind[] | undefined;
  /** Kind of the SQL columns whose type is not known. */
  otherKind: ColumnKind;
}

/** Returns the possible columns of an INSERT. Without names, rows may or may not have generated columns. */
export function shapesOf(
  named: readonly string[] | undefined,
  created: readonly Column[] | undefined,
  saysUtf8: boolean,
): RowShape[] {
  if (named !== undefined) {
    const kinds = new Map(created?.map(({ name, kind }) => [name, kind]));
    return [
      shapeOf(
        named,
        named.map((name) => kinds.get(name)),
        saysUtf8,
      ),
    ];
  }
  if (created === undefined) return [];
  const written = withoutGenerated(created);
  return (written.length === created.length ? [created] : [created, written]).map((some) =>
    shapeOf(
      some.map(({ name }) => name),
      some.map(({ kind }) => kind),
      saysUtf8,
    ),
  );
}

export const withoutGenerated = (columns: readonly Column[]): readonly Column[] =>
  columns.filter((column) => !column.isGenerated);

function shapeOf(columns: readonly string[], kinds: readonly ColumnKind[], saysUtf8: boolean): RowShape {
  const otherKind = otherKindOf(saysUtf8);
  const isPlain = kinds.every((kind) => kind === 'text' || (kind === undefined && otherKind === undefined));
  return { columns, kinds: isPlain ? undefined : kinds, otherKind: isPlain ? undefined : otherKind };
}

const otherKindOf = (saysUtf8: boolean): ColumnKind => (saysUtf8 ? 'unknown' : undefined);

/** SQL columns without names are called `0`, `1`, …, as in CSV without a header. */
export function numberedColumns(table: Table, saysUtf8: boolean, count?: number): RowShape {
  table.cells ??= count;
  const columns = Array.from({ length: table.cells ?? 0 }, (_, index) => String(index));
  return { columns, kinds: undefined, otherKind: otherKindOf(saysUtf8) };
}
