import type { TableHead } from '../containers/table.ts';
import type { DetectionContext } from '../source.ts';

/**
 * Whether an export holds a database server's own accounts: the operator says so, or it has no other tables.
 * A dump of all databases also has tables of applications, whose users may be wanted instead.
 */
export const isServerExport = (isOwn: (table: TableHead) => boolean, around?: DetectionContext): boolean =>
  around === undefined || around.isNamed || around.tables.every(isOwn);
