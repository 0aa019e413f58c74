import { type ColonFile, isNoComment } from './colon-file.ts';

const FIELDS = ['name', 'uid', 'lmHash', 'ntHash', 'flags', 'lastChanged'] as const;
const SMBPASSWD_LINE =
  /^(?<name>[^:]+):(?<uid>\d+):(?<lmHash>[^:]{32}):(?<ntHash>[^:]{32}):\[(?<flags>[A-Za-z ]*)\]:LCT-(?<lastChanged>[0-9A-Fa-f]{8}):/;

/** Describes the smbpasswd file of Samba 3 and later: smbpasswd(5). */
export const smbpasswdFile: ColonFile = {
  name: 'smbpasswd',
  title: 'smbpasswd',
  fields: FIELDS,
  expected: '6, with hashes of 32 signs and account flags in brackets',
  isRow: isNoComment,
  fits: (line) => SMBPASSWD_LINE.test(line),
  read: (line) => {
    const groups = SMBPASSWD_LINE.exec(line)?.groups;
    return groups === undefined ? undefined : { ...groups };
  },
};
