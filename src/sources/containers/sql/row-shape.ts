import type { ColumnKind } from './cell.ts';
import type { Column } from './columns.ts';
import type { Table } from './tables.ts';

/** The columns that rows have values for. */
export interface RowShape {
  columns: readonly string[];
  /** Undefined: all are of the other kind. */
  kinds: readonly ColumnKind[] | undefined;
  /** Of columns whose kind is not known. */
  otherKind: ColumnKind;
}

/**
 * The shapes that rows of an INSERT may have: where it names no columns, with generated ones and without, as some dumps leave
 * them out. None where CREATE TABLE is missing, too.
 */
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

/**
 * Columns without names: `0`, `1`, … as in CSV without a header.
 * @param count of the values in the table's first row, once it is known
 */
export function numberedColumns(table: Table, saysUtf8: boolean, count?: number): RowShape {
  table.cells ??= count;
  const columns = Array.from({ length: table.cells ?? 0 }, (_, index) => String(index));
  return { columns, kinds: undefined, otherKind: otherKindOf(saysUtf8) };
}
