import { type UserQueries, usersToFind } from '../../users/user-pages.ts';
import { readUserRowsOnNodes } from './gather-users.ts';
import {
  countUsersOnNodes,
  findUsersByAccountInfoOnNodes,
  gatherFound,
  listUsersOnNodes,
} from './user-pages.ts';
import { writeSignInsOnNodes } from './write-sign-ins.ts';

export const CITUS_QUERIES: UserQueries = {
  sizeOfPasswordLogins: "select citus_relation_size('password_logins') as bytes",
  listUsers: listUsersOnNodes,
  countUsers: countUsersOnNodes,
  searchUsers: (db, search) => gatherFound(db, usersToFind(search), search),
  findUsersByAccountInfo: findUsersByAccountInfoOnNodes,
  readUserRows: readUserRowsOnNodes,
  writeSignIns: writeSignInsOnNodes,
};
