import { type ColonFile, isNoComment } from './colon-file.ts';

const FIELDS = ['name', 'hash', 'comment'] as const;

/** Matches a hash that Apache or nginx verifies, or a placeholder for an account without a password. */
const HASH = String.raw`(?:[!*]*(?:\$[^:\s]+|\{(?:SHA|SSHA|PLAIN)\}[^:\s]*|[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19})|[!*x]*)`;
const HTPASSWD_LINE = new RegExp(`^[^:\\s,;"|]+(?: [^:\\s,;"|]+)*:${HASH}(?::[^:]*)?$`);
/** Matches the line of an account with a hash, rather than only a placeholder such as `!`, `*` or `x`. */
const HASH_LINE = /^[^:]+:[!*]*[^!*x:]/;

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
    const [name = '', hash = '', comment] = cells;
    if (cells.length < 2 || cells.length > FIELDS.length || name === '') return undefined;
    return { name, hash, ...(comment !== undefined && { comment }) };
  },
};
