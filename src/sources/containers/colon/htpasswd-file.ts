import { type ColonFile, HASH_LINE, isNoComment, recordOf } from './colon-file.ts';

const FIELDS = ['name', 'hash', 'comment'] as const;

/** Matches a hash that Apache or nginx verifies, or a placeholder for an account without a password. */
const HASH = String.raw`(?:[!*]*(?:\$[^:\s]+|\{(?:SHA|SSHA|PLAIN)\}[^:\s]*|[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19})|[!*x]*)`;
const HTPASSWD_LINE = new RegExp(`^[^:\\s,;"|]+(?: [^:\\s,;"|]+)*:${HASH}(?::[^:]*)?$`);

/** User file `.htpasswd` of Apache and nginx. nginx allows a comment after the hash. */
export const htpasswdFile: ColonFile = {
  name: 'htpasswd',
  title: '.htpasswd',
  fields: FIELDS,
  expected: '2',
  isRow: isNoComment,
  fits: (line) => HTPASSWD_LINE.test(line),
  isOurs: (lines) => lines.some((line) => isNoComment(line) && HASH_LINE.test(line)),
  read(line) {
    const cells = line.split(':');
    return recordOf(FIELDS.slice(0, Math.max(2, cells.length)), cells);
  },
};
