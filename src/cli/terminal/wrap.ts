import stringWidth from 'string-width';

/** Continuations start at the last column of a line if it begins within this share of the width. */
const MAX_HANG = 0.6;
const COMMAND = /^\s*(?:Next: |To undo it: )?(?:user-import|curl|docker|firebase|kcadm\.sh|printf|while) /;

/**
 * Wraps each line at the width of the terminal. No word is broken. A continuation starts below the last column of its line;
 * two spaces divide columns. Commands are continued with a backslash, so that they can be pasted.
 */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (stringWidth(line) <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  if (COMMAND.test(line)) {
    // A space within quotes must not become a line break. A flag stays with its value.
    const words = line.slice(indent.length).match(/(?:--?[\w-]+ )?(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
    return fill(words, { first: indent, next: `${indent}    `, width: width - 2 }).join(' \\\n');
  }
  const head = /^(?:.*\S {2,}| *(?:\d+\.|-) | +)/.exec(line)?.[0] ?? '';
  const hang = stringWidth(head);
  if (hang > width * MAX_HANG)
    return fill(line.trimStart().split(' '), { first: indent, next: `${indent}  `, width }).join('\n');
  return fill(line.slice(head.length).split(' '), { first: head, next: ' '.repeat(hang), width }).join('\n');
}

function fill(
  words: readonly string[],
  { first, next, width }: { first: string; next: string; width: number },
): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && stringWidth(line) + 1 + stringWidth(word) > width) {
      lines.push(line.trimEnd());
      line = next;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
