/** Milliseconds to 1970 from 1601 (Windows, browsers), and from the year 1 (.NET). */
const FROM_1601_MS = 11_644_473_600_000;
const FROM_YEAR_1_MS = 62_135_596_800_000;
/** Latest plausible time when a user joined, in ms. It shows whether a number counts from 1601 or 1. */
const LAST_MS = Date.UTC(2100, 0, 1);

const CALENDAR =
  /^(19[7-9]\d|20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:([01]\d|2[0-3])([0-5]\d)([0-5]\d)(\d{3})?)?$/;

/**
 * Converts a time of an export to ms since the epoch, if it is a whole number but neither seconds nor ms. The
 * number of digits decides the unit:
 * - 8: `YYYYMMDD`; 14: `YYYYMMDDHHMMSS` (MediaWiki); 17: with milliseconds. As UTC.
 * - 15 and 16: microseconds; 19: nanoseconds.
 * - 17: microseconds since 1601 (WebKit, Chrome).
 * - 18: tenths of a microsecond since 1601 (Windows FILETIME, Active Directory), or since the year 1 (.NET).
 *   Both ranges end before those of nanoseconds of our time begin.
 * @returns undefined for any other number. Twelve digits may be ms or `YYYYMMDDHHMM`, and are read as ms
 * elsewhere
 */
export function timeOfDigits(digits: string): number | undefined {
  switch (digits.length) {
    case 8:
    case 14:
      return fromCalendar(digits);
    case 15:
    case 16:
      return Number(digits.slice(0, -3));
    case 17:
      return fromCalendar(digits) ?? counted(Number(digits.slice(0, -3)) - FROM_1601_MS);
    case 18: {
      const ms = Number(digits.slice(0, -4));
      return counted(ms - FROM_1601_MS) ?? counted(ms - FROM_YEAR_1_MS);
    }
    case 19:
      return Number(digits.slice(0, -6));
    default:
      return undefined;
  }
}

const counted = (ms: number) => (ms >= 0 && ms < LAST_MS ? ms : undefined);

function fromCalendar(digits: string): number | undefined {
  const [whole, year, month, day, hour = '0', minute = '0', second = '0', ms = '0'] =
    CALENDAR.exec(digits) ?? [];
  if (whole === undefined) return undefined;
  const time = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(ms),
  );
  // `Date.UTC` turns the 31st of June into the 1st of July.
  return new Date(time).getUTCDate() === Number(day) ? time : undefined;
}
