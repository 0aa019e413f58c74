import { type ColonFile, isNoComment, recordOf } from './colon-file.ts';

const FIELDS = ['login', 'hash', 'name', 'mail', 'groups'] as const;

/** PHP guard on the second line of DokuWiki's user file, with which a web server never shows the file. */
const GUARD = /^# ?<\?php exit\(\) {0,9};? {0,9}\?>\s*$/;
const GUARD_LINES = 3;

/** In DokuWiki's user file, a backslash escapes `:`, `#` and `\`. An unescaped `#` begins a comment. */
function fieldsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === '#') break;
    if (sign === ':') {
      cells.push(cell);
      cell = '';
    } else if (sign === '\\' && /[\\:#]/.test(line.charAt(at + 1))) {
      cell += line.charAt(at + 1);
      at += 1;
    } else cell += sign;
  }
  return [...cells, cell];
}

/** User file of DokuWiki, `conf/users.auth.php`. */
export const dokuwikiFile: ColonFile = {
  name: 'dokuwiki',
  title: "DokuWiki's users.auth.php",
  fields: FIELDS,
  expected: `${FIELDS.length}`,
  isRow: isNoComment,
  fits: (line) => fieldsOf(line).length === FIELDS.length || line.includes('#'),
  isOurs: (lines) => lines.slice(0, GUARD_LINES).some((line) => GUARD.test(line)),
  read: (line) => recordOf(FIELDS, fieldsOf(line)),
};
