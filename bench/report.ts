/** A line of the final table: a figure, its upper bound from the same run, and the aim. */
export interface Row {
  what: string;
  measured: string;
  limit: string;
  ratio: number;
  aim: string;
  met: boolean;
}

export function printTable(rows: readonly Row[]): void {
  const cells = [
    ['job', 'measured', 'limit beside it', 'ratio', 'aim', ''],
    ...rows.map((row) => [
      row.what,
      row.measured,
      row.limit,
      row.ratio.toFixed(2),
      row.aim,
      row.met ? 'met' : 'NOT MET',
    ]),
  ];
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log('');
  for (const row of cells)
    console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/** Returns the median. Of an even number of values, returns the lower of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

export const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`;
export const milliseconds = (ms: number) => `${ms.toFixed(1)} ms`;
