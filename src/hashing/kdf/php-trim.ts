/** What PHP's `trim` strips: space, line feed, carriage return, tab, vertical tab and NUL. JavaScript's strips others, too. */
const TRIMMED = new Set([0x20, 0x0a, 0x0d, 0x09, 0x0b, 0x00]);

/** Returns the password as PHP's `trim` leaves it: a view of its bytes. */
export function phpTrim(password: Buffer): Buffer {
  let start = 0;
  let end = password.length;
  while (start < end && TRIMMED.has(password[start] ?? -1)) start += 1;
  while (start < end && TRIMMED.has(password[end - 1] ?? -1)) end -= 1;
  return password.subarray(start, end);
}
