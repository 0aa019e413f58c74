import { invalidHash } from '../fields/hashes.ts';
import { describesItself } from '../fields/looks-like-hash.ts';
import { textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Conversion, toPhc } from './conversions.ts';
import type { Placeholder, Template } from './parse-template.ts';

/** Where the cells of a placeholder stand. */
export interface Cell {
  /** Shown. */
  column: string;
  valueOf(record: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Returns a function that puts the hash of a record together. A user without the main column (that named `hash`, else the last one)
 * has no password; one without another, or with a cell that is not as the template says, has a wrong one,
 * unless the main column holds a whole hash that tells its algorithm.
 */
export function templateRenderer(
  { parts }: Template,
  { cellOf, algorithm }: { cellOf: (name: string) => Cell; algorithm: string | undefined },
): (record: Readonly<Record<string, unknown>>) => SourcePassword | undefined {
  const pieces = parts.map((part) =>
    typeof part === 'string' ? part : { ...part, cell: cellOf(part.name) },
  );
  const placeholders = pieces.filter((piece) => typeof piece !== 'string');
  const main = placeholders.find(({ name }) => name === 'hash') ?? placeholders.at(-1);
  return (record) => {
    const own = main && textOf(main.cell.valueOf(record));
    if (own === undefined) return undefined;
    const rendered = render(record);
    // Hashes that were renewed since stand whole in the same column.
    return 'problem' in rendered && describesItself(own) ? { encoded: own } : rendered;
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
    return { encoded, algorithm };
  }
}

/** The step that could not be done, where there is one. */
function convert(text: string, { steps }: Placeholder): string | Conversion {
  let value: string | Buffer = text;
  for (const step of steps) {
    // What a step takes is what the one before gives: the template was read so.
    const next = step.run(value as string & Buffer);
    if (next === undefined) return step;
    value = next;
  }
  return typeof value === 'string' ? value : toPhc(value);
}
