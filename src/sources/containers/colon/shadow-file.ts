import { type ColonFile, recordOf } from './colon-file.ts';

/** Named as in the manual page shadow(5). `read` assigns the fields of BSD's master.passwd(5) to them. */
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

/** Some systems omit the ninth field of /etc/shadow, which is reserved. */
const MIN_FIELDS = 8;
/** master.passwd(5) is the file of password hashes on BSD. */
const BSD_FIELDS = 10;

/** Only Dovecot writes hashes with a scheme in braces, so such lines are not of /etc/shadow. */
const SHADOW_LINE = /^[^:\s,;"']+:(?!\{)[^:\s]*:(?:-?\d*:){5}-?\d*(?::[^:]*)?$/;
const BSD_LINE = /^[^:\s,;"']+:[^:\s]*:\d+:\d+:[^:]*:\d*:\d*:[^:]*:[^:]*:[^:]*$/;

/** Comments and NIS entries (`+::::::::`) of a shadow file are not accounts. */
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
    if (cells.length < MIN_FIELDS) return undefined;
    return recordOf(FIELDS, cells.length < FIELDS.length ? [...cells, ''] : cells);
  },
};
