import type { TableHead } from '../containers/table.ts';
import type { DetectionContext } from '../source.ts';

/**
 * Returns whether the export consists of a database server's own accounts: the operator says so, or it has
 * no other tables. A dump of all databases also has tables of applications, whose users may be wanted
 * instead.
 * @param isOwn returns whether a table holds accounts of the server
 */
export const isServerExport = (isOwn: (table: TableHead) => boolean, around?: DetectionContext): boolean =>
  around === undefined || around.isNamed || around.tables.every(isOwn);
