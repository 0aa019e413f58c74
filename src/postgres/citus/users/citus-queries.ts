import type { UserQueries } from '../../users/user-queries.ts';
import { createCopyNewLogins } from './copy-new-logins.ts';
import { findUsersByAccountInfoOnNodes } from './find-by-account-info.ts';
import { readUserRowsOnNodes } from './gather-users.ts';
import { countUsersOnNodes, listUsersOnNodes } from './list-users.ts';
import { searchUsersOnNodes } from './search-users.ts';
import { readLeftOnNodes, writeImportedOnNodes } from './write-imported.ts';
import { writeSignInsOnNodes } from './write-sign-ins.ts';

export const CITUS_QUERIES: UserQueries = {
  sizeOfPasswordLogins: "select citus_relation_size('password_logins') as bytes",
  listUsers: listUsersOnNodes,
  countUsers: countUsersOnNodes,
  searchUsers: searchUsersOnNodes,
  findUsersByAccountInfo: findUsersByAccountInfoOnNodes,
  readUserRows: readUserRowsOnNodes,
  writeImported: writeImportedOnNodes,
  readLeft: readLeftOnNodes,
  writeSignIns: writeSignInsOnNodes,
  createCopyNewLogins,
};
