import type { Advice } from '../../sources/source.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printableLines } from '../terminal/text.ts';

/** Shows advice about rows that were not inspected. inspectRows() would have shown the same advice. */
export function sayAdvice(terminal: Terminal, advice: readonly Advice[], hasNotes: boolean): void {
  for (const { level, text } of advice)
    if (level === 'warn') terminal.say(`Warning: ${printableLines(text)}`);
    else if (level === 'note' && hasNotes) terminal.say(`Note: ${printableLines(text)}`);
}
