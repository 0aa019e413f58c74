import { CliError } from '../cli-error.ts';
import type { ImportedRows } from '../rows/row-import.ts';
import { ask } from '../terminal/prompt.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { count, counted, printable } from '../terminal/text.ts';
import type { ImportWork } from './import-work.ts';

const MAX_NAMED = 20;

/** Above this share of the rows, removals must be confirmed: an incomplete export looks the same. */
const MAX_SHARE = 0.1;

/** Returns text about missing users: users of earlier imports whom no row names. */
export function missingLines({ missing }: Pick<ImportedRows, 'missing'>, isDryRun: boolean): string[] {
  if (missing === undefined) return [];
  const { found, removed, kept, refused, named } = missing;
  if (refused !== undefined) return [`  ${REFUSED[refused] ?? refused}`];
  if (found === 0) return ['  No user of earlier imports is missing in these files.'];
  const names = named.slice(0, MAX_NAMED).map((id) => printable(id));
  const rest = removed - names.length;
  return [
    `  ${counted(removed, 'user')} of earlier imports ${isDryRun ? 'would be' : removed === 1 ? 'was' : 'were'} removed, who are not in these files any more${kept > 0 ? `; ${count(kept)} stay, because they have been active here` : ''}.`,
    ...(names.length > 0
      ? [`  Removed: ${names.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`]
      : []),
  ];
}

const REFUSED: Readonly<Record<string, string>> = {
  TOO_MANY: 'More users are missing than were confirmed. Nobody was removed.',
  OTHER_PERSONS:
    'Some rows have the ids of other persons here (OTHER_PERSON), so these files may be of another system. Nobody was removed. Decide about these rows, or leave out --delete-missing.',
  UNNAMED_LINES:
    'Some rows have no id, so missing users cannot be determined. Nobody was removed. Correct these rows (--rejects), or leave out --delete-missing.',
};

/** @throws {CliError} if more users are missing than were confirmed, or than a complete export would lack */
export function permittedRemovals(
  { matching: { deleteAtMost } }: ImportWork,
  { missing, verdicts }: ImportedRows,
): number {
  if (missing === undefined) return 0;
  if (missing.refused !== undefined && missing.refused !== 'TOO_MANY')
    throw new CliError(REFUSED[missing.refused] ?? missing.refused);
  const { removed } = missing;
  if (deleteAtMost !== undefined) {
    if (removed <= deleteAtMost) return removed;
    throw new CliError(
      `${counted(removed, 'user')} are missing in these files, more than --delete-at-most ${deleteAtMost}. Nothing was imported.`,
    );
  }
  if (removed <= verdicts.rows * MAX_SHARE) return removed;
  throw new CliError(
    `${counted(removed, 'user')} of earlier imports are missing in these files, which have ${counted(verdicts.rows, 'row')}. Is the export complete? If it is, add --delete-at-most ${removed}. Nothing was imported.`,
  );
}

/** @throws {CliError} if the operator types another number of users */
export async function confirmRemovals(terminal: Terminal, removals: number): Promise<void> {
  if (removals === 0) return;
  const typed = await ask(
    terminal,
    `This removes ${counted(removals, 'user')}. Type their number to continue: `,
  );
  if (typed.trim() !== String(removals))
    throw new CliError('The number does not match. Nothing was imported.');
}
