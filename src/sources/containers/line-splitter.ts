const CR = 13;

/**
 * Splits the text of an export into lines, without their line ends (LF or CRLF). The service has a splitter
 * of its own (src/imports/input/line-splitter.ts), which keeps the bytes of each line and reports why a line
 * cannot be read.
 */
export interface LineSplitter {
  /** A line longer than the limit is returned as undefined, and is not kept in memory. */
  push(block: string, isLast: boolean): (string | undefined)[];
}

export function createLineSplitter(maxChars: number): LineSplitter {
  /** Undefined if the current line is already too long. */
  let begun: string | undefined = '';
  const add = (part: string) => {
    // The limit may be exceeded by one character: a CR, which belongs to the line end.
    begun = begun === undefined || begun.length + part.length > maxChars + 1 ? undefined : begun + part;
  };
  const finish = () => (begun === undefined ? undefined : withoutEnd(begun, maxChars));

  return {
    push(block, isLast) {
      const [first = '', ...rest] = block.split('\n');
      add(first);
      const next = rest.pop();
      if (next === undefined) {
        if (!isLast || begun === '') return [];
        const last = [finish()];
        begun = '';
        return last;
      }
      const lines = [finish(), ...rest.map((line) => withoutEnd(line, maxChars))];
      begun = '';
      add(next);
      if (isLast && begun !== '') lines.push(finish());
      return lines;
    },
  };
}

function withoutEnd(line: string, maxChars: number): string | undefined {
  const end = line.charCodeAt(line.length - 1) === CR ? line.length - 1 : line.length;
  if (end > maxChars) return undefined;
  return end === line.length ? line : line.slice(0, end);
}
