import type { SourceRecord } from '../containers/table.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { metadataOf } from './values.ts';

/** Option `--set keepColumns` of all sources, except those for files that this tool wrote. */
export const KEEP_COLUMNS = {
  keepColumns: 'further columns of the users that become metadata: plan,locale',
};

export const keptColumns = ({ keepColumns = '' }: Settings): ReadonlySet<string> =>
  new Set(keepColumns.split(',').map((name) => name.trim()));

export function addKeptColumns(user: SourceUser, record: SourceRecord, settings: Settings): void {
  if (settings.keepColumns === undefined) return;
  const kept = metadataOf(Object.fromEntries([...keptColumns(settings)].map((name) => [name, record[name]])));
  if (kept !== undefined) user.metadata = { ...kept, ...user.metadata };
}
