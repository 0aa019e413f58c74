const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

export function painter(isColourful: boolean): Paint {
  const paint = ([on, off]: readonly [number, number]) =>
    isColourful ? (text: string) => `\x1b[${on}m${text}\x1b[${off}m` : (text: string) => text;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
  };
}

/** https://no-color.org and https://force-color.org. FORCE_COLOR wins over NO_COLOR, as in Node.js. */
export function wantsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
}
