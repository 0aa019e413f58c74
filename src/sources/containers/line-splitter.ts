const CR = 13;

/** Splits text that comes in blocks into lines, without their ends (LF or CRLF). */
export interface LineSplitter {
  /** The lines that end in this block; in the last one, all. One that is too long is undefined, and was not kept. */
  push(block: string, isLast: boolean): (string | undefined)[];
}

export function createLineSplitter(maxChars: number): LineSplitter {
  /** What came of a line that does not end yet; undefined where that is too long already. */
  let begun: string | undefined = '';
  const add = (part: string) => {
    // One more for a CR that is none of the line.
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
