import { type ColonFile, recordOf } from './colon-file.ts';
import { isUnixRow } from './shadow-file.ts';

const FIELDS = ['name', 'hash', 'uid', 'gid', 'gecos', 'home', 'shell'] as const;

/** Matches a line of /etc/passwd (passwd(5)). The second field is a crypt(3) hash or a placeholder. */
const PASSWD_LINE = /^[^:\s,;"']{1,64}:(?!\{)[^:\s]*:\d+:\d+:[^:]*:[^:,]*:[^:,]*$/;

export const passwdFile: ColonFile = {
  name: 'passwd',
  title: '/etc/passwd',
  fields: FIELDS,
  expected: `${FIELDS.length}`,
  isRow: isUnixRow,
  fits: (line) => PASSWD_LINE.test(line),
  read: (line) => recordOf(FIELDS, line.split(':')),
};
