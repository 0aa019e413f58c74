import { CliError, EXIT } from '../cli-error.ts';
import { disablesUsers } from '../rows/row-import.ts';
import type { VerdictCounts } from '../rows/verdict-counts.ts';
import { SHORT_TIMEOUT_MS } from '../service-client/open-request.ts';
import { hasEarlierImport } from '../service-client/other-users.ts';
import { counted } from '../terminal/text.ts';
import type { ImportWork } from './import-work.ts';

/**
 * Returns the number of rows that are left out as disabled and whose users may have come with an earlier
 * import, so that they keep signing in. Imports that match by external id disable such users.
 */
export async function countStillActive(
  { addresses, context, importId, options, matching: { source } }: ImportWork,
  verdicts: VerdictCounts,
): Promise<number> {
  const rows = verdicts.reasonsOf('skip').find(([reason]) => reason === 'DISABLED')?.[1] ?? 0;
  if (rows === 0 || disablesUsers(options)) return 0;
  const calls = { timeoutMs: SHORT_TIMEOUT_MS, signal: context.interruption.signal };
  const hasEarlier = await addresses.ask(0, (service) =>
    hasEarlierImport(service, { importId, source }, calls),
  );
  return hasEarlier ? rows : 0;
}

export const stillActiveText = (rows: number): string =>
  `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} left out because the old system has disabled the user. Those of them whom an earlier import created keep signing in here. To disable them, add --disabled keep, which also imports the others as disabled, or --match external-id; --disabled skip leaves all of them as they are.`;

/** @throws {CliError} unless the operator has decided about such users */
export function stopAtStillActive({ context: { flags } }: ImportWork, rows: number): void {
  if (rows === 0 || flags.has('disabled')) return;
  throw new CliError(`${stillActiveText(rows)} Nothing was imported.`, { exitCode: EXIT.someFailed });
}
