import type { SourceRecord } from '../containers/table.ts';
import type { Settings } from '../source.ts';
import type { SourceUser } from '../source-user.ts';
import { metadataOf } from './values.ts';

/** The option that keeps columns as metadata. Sources of files that this tool wrote do not have it. */
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
