import type { ColonFile } from './colon-file.ts';

/** The fields of shadow(5), by the names its manual gives them, and those of master.passwd(5). */
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

/** The eighth is the last one that some systems write. */
const MIN_FIELDS = 8;
/** master.passwd of the BSDs. */
const BSD_FIELDS = 10;

/** A hash has no scheme in braces before it: those are Dovecot's. */
const SHADOW_LINE = /^[^:\s,;"']+:(?!\{)[^:\s]*:(?:-?\d*:){5}-?\d*(?::[^:]*)?$/;
const BSD_LINE = /^[^:\s,;"']+:[^:\s]*:\d+:\d+:[^:]*:\d*:\d*:[^:]*:[^:]*:[^:]*$/;

/** Returns whether the line is an account: what NIS takes in (`+::::::::`) is none. */
export const isUnixRow = (line: string): boolean => line.trim() !== '' && !/^[#+-]/.test(line);

export const looksLikeShadowLine = (line: string): boolean => SHADOW_LINE.test(line);

/** `/etc/shadow`: shadow(5). Also `/etc/master.passwd` of the BSDs. */
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
