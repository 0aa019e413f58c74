/*
 * Stores a value that many lines of a chunk share (an outcome, the message of an error) once, as JSON: `[[line,
 * value], [line, value, gaps], …]`. `line` is the first line with the value; `gaps` has the distance from each line to
 * the next. Lines may be two bytes long and all fail alike: their record must not be longer than the lines.
 */

export type LineGroup<Value> = [line: number, value: Value, gaps?: string];

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGIT_BITS = 5;
/** Bit of a digit. If it is set, another digit of the same number follows. */
const MORE = 1 << DIGIT_BITS;
const DIGIT_VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));

/** Mark before the number of times that the last distance repeats. No two lines have this distance. */
const REPEAT = 0;
/** Fewer repeats are shorter if the distance is written each time. */
const MIN_REPEATS = 3;

/** Encodes a number, the lowest five bits first, as in source maps. */
function number(value: number): string {
  let digits = '';
  for (let rest = value; ; rest = Math.floor(rest / MORE)) {
    if (rest < MORE) return digits + DIGITS[rest];
    digits += DIGITS[(rest % MORE) + MORE];
  }
}

function readNumbers(text: string): number[] {
  const numbers: number[] = [];
  let [value, unit] = [0, 1];
  for (const digit of text) {
    const bits = DIGIT_VALUES.get(digit) ?? 0;
    value += (bits % MORE) * unit;
    unit *= MORE;
    if (bits >= MORE) continue;
    numbers.push(value);
    [value, unit] = [0, 1];
  }
  return numbers;
}

class Group {
  readonly #line: number;
  #last: number;
  #gaps = '';
  #gap = 0;
  #count = 0;

  constructor(line: number) {
    this.#line = line;
    this.#last = line;
  }

  add(line: number): void {
    const gap = line - this.#last;
    this.#last = line;
    if (gap === this.#gap) {
      this.#count += 1;
      return;
    }
    this.#gaps = this.#allGaps();
    this.#gap = gap;
    this.#count = 1;
  }

  #allGaps(): string {
    const gap = number(this.#gap);
    const repeats = this.#count - 1;
    if (repeats < MIN_REPEATS) return this.#gaps + gap.repeat(this.#count);
    return this.#gaps + gap + number(REPEAT) + number(repeats);
  }

  json(value: string): string {
    const gaps = this.#allGaps();
    return gaps === '' ? `[${this.#line},${value}]` : `[${this.#line},${value},"${gaps}"]`;
  }
}

/** @param lines lines in order, with their values as JSON texts */
export function groupLines(lines: Iterable<readonly [line: number, value: string]>): string {
  const groups = new Map<string, Group>();
  for (const [line, value] of lines) {
    const group = groups.get(value);
    if (group === undefined) groups.set(value, new Group(line));
    else group.add(line);
  }
  return `[${Array.from(groups, ([value, group]) => group.json(value)).join()}]`;
}

/** Lines are in order only within a group. */
export function* ungroupLines<Value>(
  groups: readonly LineGroup<Value>[],
): Generator<[line: number, value: Value]> {
  for (const [first, value, gaps = ''] of groups) {
    yield [first, value];
    let [line, gap] = [first, 0];
    const numbers = readNumbers(gaps);
    for (let place = 0; place < numbers.length; place += 1) {
      const read = numbers[place] as number;
      const isRepeat = read === REPEAT;
      if (!isRepeat) gap = read;
      const times = isRepeat ? (numbers[++place] ?? 0) : 1;
      for (let count = 0; count < times; count += 1) {
        line += gap;
        yield [line, value];
      }
    }
  }
}
