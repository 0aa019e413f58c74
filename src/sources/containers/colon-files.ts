import { LineSplitter, type RowReader, readOneTable } from './held-table.ts';
import {
  BadRecord,
  type Beginning,
  type Container,
  type ExportFormat,
  type KindMatch,
  linesOf,
  type SourceRecord,
} from './table.ts';

/** Kind of export file that has one account per line and colons between the fields, such as `/etc/shadow`. */
export interface ColonFile {
  readonly name: ExportFormat;
  readonly title: string;
  /** Names of the fields. The first field must be the name of the account. */
  readonly columns: readonly string[];
  /** Minimum number of fields, if fields at the end of a line may be missing. Missing fields are read as empty. */
  readonly required?: number;
  /** Number of fields for error messages, such as `2 to 8`, if it is not simply that of the columns. */
  readonly expected?: string;
  /** Names of the fields in lines of a second form, known by their number. A field with an empty name is not read. */
  readonly otherColumns?: readonly string[];
  /** Matches the beginnings of lines that are no accounts, if these are not only comments and blank lines. */
  readonly comment?: RegExp;
  /** Matches lines as programs write them, to detect the kind of a file. */
  readonly line: RegExp;
  /** Tells lines of this kind of file from similar ones of another kind, if `line` is not sufficient. */
  isOurs?(rows: readonly string[], lines: readonly string[]): boolean;
  /** Splits a line into fields. If missing, lines are split at each colon. */
  split?(line: string): readonly string[];
}

const COMMENT = /^(?:#|\s*$)/;
/** Lines that are no accounts in files of Unix: comments, and references to NIS (`+::::::::`). */
const UNIX_COMMENT = /^(?:[#+-]|\s*$)/;

/** Matches the line of an account with a hash, rather than only a placeholder such as `!`, `*` or `x`. */
const HASH_LINE = /^[^:]+:[!*]*[^!*x:]/;
/** Hashes in the formats of crypt(3), which every server knows. */
const CRYPT = String.raw`\$[^:\s]+|[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19}`;
const NAME = String.raw`[^:\s,;"|]+`;

/** Lines of /etc/shadow. Hashes with a scheme in braces are excluded, because only Dovecot writes them. */
const SHADOW_LINE = /^[^:\s,;"']+:(?!\{)[^:\s]*:(?:-?\d*:){5}-?\d*(?::[^:]*)?$/;
const MASTER_PASSWD_LINE = /^[^:\s,;"']+:[^:\s]*:\d+:\d+:[^:]*:\d*:\d*:[^:]*:[^:]*:[^:]*$/;

/** Matches a line with a hash scheme, such as `{BLF-CRYPT}`, or with fields that .htpasswd files do not have. */
const NO_HTPASSWD = /^[^:]+:(?:[!*]*\{(?!(?:SHA|SSHA|PLAIN)\})|[^:]*:)/;

/** Field of DokuWiki, in which a backslash escapes `:`, `#` and `\`. Any other `#` begins a comment. */
const DOKUWIKI_FIELD = String.raw`(?:[^\\:#]|\\[\\:#]|\\(?![\\:#]))*`;
/** Line of PHP code at the beginning of DokuWiki's file. It keeps a web server from showing the file. */
const DOKUWIKI_GUARD = /^# ?<\?php exit\(\) {0,9};? {0,9}\?>\s*$/;

const SMBPASSWD_LINE = /^([^:]+):(\d+):([^:]{32}):([^:]{32}):\[([A-Za-z ]*)\]:LCT-([0-9A-Fa-f]{8}):/;

export const COLON_FILES: readonly ColonFile[] = [
  {
    // shadow(5). Some systems omit the last field. Lines of the BSDs' /etc/master.passwd have ten.
    name: 'shadow',
    title: '/etc/shadow',
    columns: ['name', 'hash', 'lastChanged', 'min', 'max', 'warn', 'inactive', 'expires', 'reserved'],
    required: 8,
    otherColumns: ['name', 'hash', 'uid', '', '', '', 'expiresSeconds', 'gecos', '', 'shell'],
    comment: UNIX_COMMENT,
    line: new RegExp(`${SHADOW_LINE.source}|${MASTER_PASSWD_LINE.source}`),
  },
  {
    // passwd(5). The second field is a hash of crypt(3) or a placeholder.
    name: 'passwd',
    title: '/etc/passwd',
    columns: ['name', 'hash', 'uid', 'gid', 'gecos', 'home', 'shell'],
    comment: UNIX_COMMENT,
    line: /^[^:\s,;"']{1,64}:(?!\{)[^:\s]*:\d+:\d+:[^:]*:[^:,]*:[^:,]*$/,
  },
  {
    // Apache and nginx. nginx allows a comment after the hash.
    name: 'htpasswd',
    title: '.htpasswd',
    columns: ['name', 'hash', 'comment'],
    required: 2,
    expected: '2',
    line: new RegExp(
      `^${NAME}(?: ${NAME})*:(?:[!*]*(?:${CRYPT}|\\{(?:SHA|SSHA|PLAIN)\\}[^:\\s]*)|[!*x]*)(?::[^:]*)?$`,
    ),
    isOurs: (rows) => rows.some((line) => HASH_LINE.test(line)),
  },
  {
    // Apache's htdigest: MD5 of user, realm and password.
    name: 'htdigest',
    title: 'a file of htdigest',
    columns: ['name', 'realm', 'hash'],
    line: /^[^:]+:[^:]*:[0-9a-f]{32}$/,
  },
  {
    // `user:{SCHEME}hash:uid:gid:gecos:home:shell:extra fields`. uid and gid may be names, and the home
    // directory must be a path. The extra fields may contain colons.
    name: 'dovecot',
    title: "Dovecot's passwd-file",
    columns: ['name', 'hash', 'uid', 'gid', 'gecos', 'home', 'shell', 'extra'],
    required: 2,
    expected: '2 to 8',
    line: new RegExp(
      `^${NAME}:(?:[!*]*(?:${CRYPT}|\\{[A-Za-z0-9.-]{1,40}\\}[^:]*)|[!*x]*)` +
        '(?::\\d*|:[\\w.-]*:[\\w.-]*(?::[^:]*(?::(?:[/~%][^:]*)?(?::[^:]*(?::.*)?)?)?)?)?$',
    ),
    isOurs: (rows) =>
      rows.some((line) => NO_HTPASSWD.test(line) && HASH_LINE.test(line)) &&
      !rows.every((line) => SHADOW_LINE.test(line) && !line.includes('@')),
    split(line) {
      const cells = line.split(':');
      return cells.length < 8 ? cells : [...cells.slice(0, 7), cells.slice(7).join(':')];
    },
  },
  {
    name: 'dokuwiki',
    title: "DokuWiki's users.auth.php",
    columns: ['login', 'hash', 'name', 'mail', 'groups'],
    line: new RegExp(`^(?:${DOKUWIKI_FIELD}:){4}${DOKUWIKI_FIELD}$|#`),
    isOurs: (_, lines) => lines.slice(0, 3).some((line) => DOKUWIKI_GUARD.test(line)),
    split: (line) =>
      [...line.matchAll(new RegExp(`(?:^|:)(${DOKUWIKI_FIELD})`, 'gy'))].map(([, field = '']) =>
        field.replaceAll(/\\([\\:#])/g, '$1'),
      ),
  },
  {
    // smbpasswd(5) of Samba 3 and later. Flags of the account are in brackets.
    name: 'smbpasswd',
    title: 'smbpasswd',
    columns: ['name', 'uid', 'lmHash', 'ntHash', 'flags', 'lastChanged'],
    expected: '6, with hashes of 32 signs and account flags in brackets',
    line: SMBPASSWD_LINE,
    split: (line) => SMBPASSWD_LINE.exec(line)?.slice(1) ?? [],
  },
];

/** Maximum length of a line, many times that of a line with the longest hash. */
const MAX_LINE_CHARS = 65_536;

const isComment = ({ comment = COMMENT }: ColonFile, line: string) => comment.test(line);

/** Returns a function that detects a kind of file. The beginning of a file fits if every account in it fits. */
export const matchColonFile =
  (kind: ColonFile) =>
  (beginning: Beginning): KindMatch => {
    const lines = linesOf(beginning);
    const rows = lines.filter((line) => !isComment(kind, line));
    const [first] = rows;
    if (first === undefined || !kind.line.test(first) || kind.isOurs?.(rows, lines) === false)
      return undefined;
    const wrong = rows.find((line) => !kind.line.test(line));
    return wrong === undefined ? 'fits' : { but: `line ${lines.indexOf(wrong) + 1} has other fields` };
  };

/** Makes a reader of a kind of file. Each line is read by itself, so a bad line never affects the next one. */
export const colonContainer =
  (kind: ColonFile): Container =>
  (bytes, _options, wanted) => {
    const splitter = new LineSplitter(MAX_LINE_CHARS);
    const reader: RowReader = {
      push: (block, isLast) =>
        splitter
          .push(block, isLast)
          .filter((line) => line === undefined || !isComment(kind, line))
          .map((line) => readLine(kind, line)),
      describe: () => ({ columns: new Set(kind.columns) }),
    };
    return readOneTable(kind.name, bytes, reader, wanted);
  };

function readLine(kind: ColonFile, line: string | undefined): SourceRecord | BadRecord {
  if (line === undefined) return new BadRecord('RECORD_TOO_LONG', 'The line is longer than 64 KiB.');
  const fields = kind.split?.(line) ?? line.split(':');
  const { title, columns, otherColumns, required = columns.length, expected = columns.length } = kind;
  const names = fields.length === otherColumns?.length ? otherColumns : columns;
  if (fields[0] === '' || fields.length < required || fields.length > names.length)
    return new BadRecord(
      'COLUMNS_MISSING',
      `The line has ${line.split(':').length} fields between colons, or no name; ${title} has ${expected}.`,
    );
  const cells = names.map((name, index) => [name, fields[index] ?? ''] as const);
  return Object.fromEntries(cells.filter(([name]) => name !== ''));
}
