import mysql from 'mysql2';
import type { ColumnKind } from '../../sources/containers/sql/bytes.ts';
import { textOfBytes } from '../../sources/containers/sql/bytes.ts';

/** MySQL's character set `binary`, which marks columns of bytes, but also of numbers and times. */
const BINARY_CHARSET = 63;

const BYTE_TYPES: ReadonlySet<number | undefined> = new Set([
  mysql.Types.STRING,
  mysql.Types.VAR_STRING,
  mysql.Types.VARCHAR,
  mysql.Types.TINY_BLOB,
  mysql.Types.BLOB,
  mysql.Types.MEDIUM_BLOB,
  mysql.Types.LONG_BLOB,
  mysql.Types.GEOMETRY,
]);

function kindOf({ columnType, characterSet, columnLength }: mysql.FieldPacket): ColumnKind {
  if (columnType === mysql.Types.BIT) return 'bits';
  if (characterSet !== BINARY_CHARSET || !BYTE_TYPES.has(columnType)) return undefined;
  return columnType === mysql.Types.STRING && columnLength === 16 ? 'uuid' : 'bytes';
}

/** Converts the values of a query result to the text that a dump of the database would have. */
export interface MysqlValues {
  /** Sets the columns before the first row. Undefined for statements without a result. */
  describe(fields: readonly mysql.FieldPacket[] | undefined): void;
  cast: (field: Parameters<Extract<mysql.TypeCast, (...args: never[]) => unknown>>[0]) => string | null;
  /** Size of the values of the current batch of rows. The caller resets it, to limit the size of batches. */
  characters: number;
}

export function mysqlValues(): MysqlValues {
  const kinds = new Map<string, ColumnKind>();
  const values: MysqlValues = {
    characters: 0,
    describe(fields = []) {
      for (const field of fields) {
        const kind = kindOf(field);
        if (kind !== undefined) kinds.set(field.name, kind);
      }
    },
    cast(field) {
      const kind = kinds.size === 0 ? undefined : kinds.get(field.name);
      const value = kind === undefined ? field.string('utf8') : textOf(field.buffer(), kind);
      if (value !== null) values.characters += value.length;
      return value;
    },
  };
  return values;
}

function textOf(bytes: Buffer | null, kind: ColumnKind): string | null {
  return bytes === null ? null : textOfBytes(bytes, kind);
}
