const DAY_MS = 86_400_000;
/** Dates from which SQL Server counts the days of a time. */
const EPOCH_1900 = Date.UTC(1900, 0, 1);
const EPOCH_0001 = new Date('0001-01-01T00:00:00Z').getTime();

/**
 * Decodes a time that SQL Server Management Studio up to 2012 wrote as `CAST(0x… AS DateTime)`: the stored
 * bytes (MS-TDS, 2.2.5.5.1.8).
 * @returns ISO text in UTC, or undefined if the bytes do not have this type
 */
export function mssqlTime(type: string, bytes: Buffer): string | undefined {
  const ms = READERS[type.toLowerCase()]?.(bytes);
  return ms === undefined || !(Math.abs(ms) <= 8.64e15) ? undefined : new Date(ms).toISOString();
}

const READERS: Readonly<Record<string, (bytes: Buffer) => number | undefined>> = {
  /** Days since 1900, then the time of day in units of 1/300 s. Each has four bytes, big-endian. */
  datetime: (bytes) =>
    bytes.length === 8
      ? EPOCH_1900 + bytes.readInt32BE(0) * DAY_MS + Math.round((bytes.readUInt32BE(4) * 10) / 3)
      : undefined,
  /** Days since 1900, then the minutes since midnight. Each has two bytes, big-endian. */
  smalldatetime: (bytes) =>
    bytes.length === 4
      ? EPOCH_1900 + bytes.readUInt16BE(0) * DAY_MS + bytes.readUInt16BE(2) * 60_000
      : undefined,
  date: (bytes) => (bytes.length === 3 ? EPOCH_0001 + bytes.readUIntLE(0, 3) * DAY_MS : undefined),
  datetime2: (bytes) => scaledTime(bytes, 0),
  /** A datetime2 in UTC, followed by the offset in minutes. */
  datetimeoffset: (bytes) => scaledTime(bytes, 2),
};

/**
 * Decodes SQL Server's `datetime2`: the scale (0 to 7 digits), then the fractions of a second since midnight
 * in 3 to 5 bytes, then the days since 0001 in 3 bytes. Little-endian.
 */
function scaledTime(bytes: Buffer, tail: number): number | undefined {
  const scale = bytes[0] ?? 8;
  const timeBytes = scale <= 2 ? 3 : scale <= 4 ? 4 : 5;
  if (scale > 7 || bytes.length !== 1 + timeBytes + 3 + tail) return undefined;
  const ms = Math.trunc((bytes.readUIntLE(1, timeBytes) * 1000) / 10 ** scale);
  return EPOCH_0001 + bytes.readUIntLE(1 + timeBytes, 3) * DAY_MS + ms;
}
