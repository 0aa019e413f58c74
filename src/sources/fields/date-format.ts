import { textOf } from './values.ts';

/** Days from the first day of Excel's calendar to 1970. */
const EXCEL_EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;
/** Parts of a format, with their digits. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '\\d{4}',
  MM: '\\d\\d?',
  DD: '\\d\\d?',
  HH: '\\d\\d?',
  mm: '\\d\\d',
  ss: '\\d\\d',
};

/**
 * Makes a reader of times in a format that the operator names: `ms`, `s` (since 1970), `excel` (days), or such as
 * `DD.MM.YYYY HH:mm`, in UTC. It returns ms since the epoch, or undefined if a value has another form.
 * @returns undefined if the format is unknown
 */
export function dateReader(format: string): ((value: unknown) => number | undefined) | undefined {
  if (format === 'ms') return (value) => numberIn(value, 1);
  if (format === 's') return (value) => numberIn(value, 1000);
  if (format === 'excel') return (value) => numberIn(value, DAY_MS, EXCEL_EPOCH_DAYS);
  const names: readonly string[] = format.match(/YYYY|MM|DD|HH|mm|ss/g) ?? [];
  const isWhole = ['YYYY', 'MM', 'DD'].every((part) => names.includes(part));
  if (
    !isWhole ||
    new Set(names).size < names.length ||
    /[A-Za-z]/.test(format.replace(/YYYY|MM|DD|HH|mm|ss|T|Z/g, ''))
  )
    return undefined;
  const source = format
    .split(/(YYYY|MM|DD|HH|mm|ss)/)
    .map((part) =>
      part in PARTS ? `(?<${part}>${PARTS[part]})` : part.replace(/[.*+?^$()|{}[\]\\/]/g, '\\$&'),
    );
  const shape = new RegExp(`^${source.join('')}$`);
  return (value) => {
    const found = shape.exec(textOf(value)?.trim() ?? '')?.groups;
    if (found === undefined) return undefined;
    const [year, month, day, hours, minutes, seconds] = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'].map((part) =>
      Number(found[part] ?? 0),
    ) as [number, number, number, number, number, number];
    const ms = Date.UTC(year, month - 1, day, hours, minutes, seconds);
    const date = new Date(ms);
    // Date.UTC takes the 31st of February for a day in March.
    const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    return isDay && hours < 24 && minutes < 60 && seconds < 60 ? ms : undefined;
  };
}

function numberIn(value: unknown, unitMs: number, epoch = 0): number | undefined {
  const text = textOf(value)?.trim().replace(',', '.') ?? '';
  return /^\d{1,16}(?:\.\d+)?$/.test(text) ? Math.round((Number(text) - epoch) * unitMs) : undefined;
}
