import type { ColonFile } from './colon-file.ts';

/**
 * Fields of a line of /etc/shadow, named as in the manual page shadow(5). `read` assigns the fields of BSD's
 * master.passwd(5) to them.
 */
const FIELDS = [
  'name',
  'hash',
  'lastChanged',
  'min',
  'max',
  'warn',
  'inactive',
  'expires',
  'reserved',
] as const;

/**
 * Minimum number of fields of a line of /etc/shadow. Some systems omit the ninth field, which is reserved.
 */
const MIN_FIELDS = 8;
/** Number of fields of a line of master.passwd(5), the file of password hashes on BSD. */
const BSD_FIELDS = 10;

/**
 * Matches a line of /etc/shadow. A hash with a scheme in braces does not match, because only Dovecot writes
 * such hashes.
 */
const SHADOW_LINE = /^[^:\s,;"']+:(?!\{)[^:\s]*:(?:-?\d*:){5}-?\d*(?::[^:]*)?$/;
const BSD_LINE = /^[^:\s,;"']+:[^:\s]*:\d+:\d+:[^:]*:\d*:\d*:[^:]*:[^:]*:[^:]*$/;

/**
 * Returns whether the line of a shadow file is an account, rather than a comment or an NIS entry
 * (`+::::::::`).
 */
export const isUnixRow = (line: string): boolean => line.trim() !== '' && !/^[#+-]/.test(line);

export const looksLikeShadowLine = (line: string): boolean => SHADOW_LINE.test(line);

/** Reads password files of Unix: `/etc/shadow` of shadow(5), and `/etc/master.passwd` of BSD. */
export const shadowFile: ColonFile = {
  name: 'shadow',
  title: '/etc/shadow',
  fields: FIELDS,
  expected: `${FIELDS.length}`,
  isRow: isUnixRow,
  fits: (line) => looksLikeShadowLine(line) || BSD_LINE.test(line),
  read(line) {
    const cells = line.split(':');
    const [name = '', hash = ''] = cells;
    if (name === '') return undefined;
    if (cells.length === BSD_FIELDS) {
      const [, , uid = '', , , , expiresSeconds = '', gecos = '', , shell = ''] = cells;
      return { name, hash, uid, expiresSeconds, gecos, shell };
    }
    if (cells.length < MIN_FIELDS || cells.length > FIELDS.length) return undefined;
    const [, , lastChanged = '', min = '', max = '', warn = '', inactive = '', expires = '', reserved = ''] =
      cells;
    return { name, hash, lastChanged, min, max, warn, inactive, expires, reserved };
  },
};
