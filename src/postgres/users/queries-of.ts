import { CITUS_QUERIES } from '../citus/users/citus-queries.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';
import { countUsers, listUsers, readFound, usersToFind, usersWithAccountInfo } from './user-pages.ts';
import type { UserQueries } from './user-queries.ts';
import { readUserRows } from './whole-user.ts';
import { writeSignIns } from './write-sign-ins.ts';

export const ONE_POSTGRES_QUERIES: UserQueries = {
  sizeOfPasswordLogins: "select pg_relation_size('password_logins') as bytes",
  listUsers,
  countUsers,
  searchUsers: (db, search) => readFound(db, usersToFind(search), search),
  findUsersByAccountInfo: (db, info, match, limit) =>
    readFound(db, usersWithAccountInfo(info, match, limit), { order: 'asc', limit }),
  readUserRows,
  writeSignIns,
};

const QUERIES: Record<Engine['name'], UserQueries> = {
  postgres: ONE_POSTGRES_QUERIES,
  citus: CITUS_QUERIES, // Citus
};

export const queriesOf = (db: Queryable): UserQueries => QUERIES[db.engine.name];
