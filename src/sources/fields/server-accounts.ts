import type { TableHead } from '../containers/table.ts';
import type { DetectionContext } from '../source.ts';

/**
 * Returns whether the accounts of a database server are meant. A dump of all its databases has tables of applications, too, whose users
 * may be meant then.
 * @param isOwn of tables that hold such accounts
 */
export const isServerExport = (isOwn: (table: TableHead) => boolean, around?: DetectionContext): boolean =>
  around === undefined || around.isNamed || around.tables.every(isOwn);
