import { CITUS_QUERIES } from '../citus/users/citus-queries.ts';
import type { Queryable } from '../client/connection.ts';
import type { Engine } from '../client/engine.ts';
import { ONE_POSTGRES_QUERIES } from './one-postgres-queries.ts';
import type { UserQueries } from './user-queries.ts';

const QUERIES: Record<Engine['name'], UserQueries> = {
  postgres: ONE_POSTGRES_QUERIES,
  citus: CITUS_QUERIES, // Citus
};

export const queriesOf = (db: Queryable): UserQueries => QUERIES[db.engine.name];
