import { invalidHash } from '../fields/hashes.ts';
import { describesItself } from '../fields/looks-like-hash.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Conversion, toPhc } from './conversions.ts';
import type { Placeholder, Template } from './parse-template.ts';

export interface Cell {
  /** Name of the column in messages. */
  column: string;
  valueOf(record: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Makes a function that builds the hash of a user from the template. The main column is the one named `hash`,
 * or else the last one; if it is empty, the user has no password. If another column is empty or cannot be
 * converted, the hash is invalid.
 */
export function templateRenderer(
  { parts }: Template,
  {
    cellOf,
    algorithm,
    familyOf,
  }: {
    cellOf: (name: string) => Cell;
    algorithm: string | undefined;
    /** Family of the hash, if a column names it. */
    familyOf(record: Readonly<Record<string, unknown>>): string | undefined;
  },
): (record: Readonly<Record<string, unknown>>) => SourcePassword | undefined {
  const pieces = parts.map((part) =>
    typeof part === 'string' ? part : { ...part, cell: cellOf(part.name) },
  );
  const placeholders = pieces.filter((piece) => typeof piece !== 'string');
  const main = placeholders.find(({ name }) => name === 'hash') ?? placeholders.at(-1);
  // A template such as `$wp{hash}` is meant for hashes that are complete but for a mark.
  const addsMark = placeholders.length === 1 && main?.steps.length === 0;
  return (record) => {
    const own = main && textOf(main.cell.valueOf(record));
    if (own === undefined) return undefined;
    // If the former system upgraded hashes later, it stored complete hashes in the same column.
    return !addsMark && describesItself(own) ? { encoded: own } : render(record);
  };

  function render(record: Readonly<Record<string, unknown>>): SourcePassword {
    let encoded = '';
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        encoded += piece;
        continue;
      }
      const { column } = piece.cell;
      const text = textOf(piece.cell.valueOf(record));
      if (text === undefined) return invalidHash(`column ${column} is empty`);
      const converted = convert(text, piece);
      if (typeof converted !== 'string') return invalidHash(`column ${column} is not ${converted.expects}`);
      encoded += converted;
    }
    return { encoded, algorithm: familyOf(record) ?? algorithm };
  }
}

/** Converts the text of a cell, or returns the conversion that failed. */
function convert(text: string, { steps }: Placeholder): string | Conversion {
  let value: string | Buffer = text;
  for (const step of steps) {
    // The parser of the template has checked that each step accepts the output of the previous one.
    const next = step.run(value as string & Buffer);
    if (next === undefined) return step;
    value = next;
  }
  return typeof value === 'string' ? value : toPhc(value);
}
