import { type ColonFile, isNoComment, recordOf } from './colon-file.ts';

const FIELDS = ['name', 'realm', 'hash'] as const;
const HTDIGEST_LINE = /^[^:]+:[^:]*:[0-9a-f]{32}$/;

/** File written by Apache's htdigest: `user:realm:MD5 of user, realm and password`. */
export const htdigestFile: ColonFile = {
  name: 'htdigest',
  title: 'a file of htdigest',
  fields: FIELDS,
  expected: `${FIELDS.length}`,
  isRow: isNoComment,
  fits: (line) => HTDIGEST_LINE.test(line),
  read: (line) => recordOf(FIELDS, line.split(':')),
};
