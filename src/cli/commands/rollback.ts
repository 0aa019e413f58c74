import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { findImport, laterChanges, requireImport, unknownImport } from '../service-client/import-records.ts';
import { withRetries } from '../service-client/service-problem.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { confirmOrStop } from '../terminal/prompt.ts';
import { columns, count, counted, numbersIn, printable } from '../terminal/text.ts';

const POLL_MS = 500;

/** Maximum number of kept users to name. */
const MAX_NAMED = 10;

/**
 * Undoes an import, which may take minutes. If the connection fails, the request is repeated and the rollback
 * continues.
 */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const importId = checkImportId(words[0] ?? '');
  const service = readServiceAddress(context);
  const retryForMs = flags.ms('retry-for', '10m');
  const record = await requireImport(service, importId);
  const isRepeated = record.status === 'ROLLED_BACK';
  const later = isRepeated ? [] : await laterChanges(service, importId);
  if (later.length > 0)
    terminal.warn(
      `Later imports have changed users: ${later.join(', ')}. If these are the same users, this rollback keeps them, and cannot be repeated. Roll back the latest first.`,
    );
  if (!flags.has('yes') && terminal.isInteractive)
    terminal.draw(
      `This removes the ${counted(Number(record.created), 'user')} that ${importId} created and restores what it replaced, except for users who have signed in or were changed since.\n`,
    );
  await confirmOrStop(context, 'Type the id of the import to continue: ', { typed: importId });
  const ended = new AbortController();
  void showProgress(context, service, record, ended.signal);
  const answer = await withRetries(
    { retryForMs, onPause: ({ message }) => terminal.say(`${message} Trying again …`) },
    () => callService(service, `/bulk-import/imports/${importId}/rollback`, { method: 'POST', timeoutMs: 0 }),
  ).finally(() => ended.abort());
  if (answer.status === 'IMPORT_EXPIRED_ERROR')
    throw new CliError(
      `Import ${importId} finished more than import_undo_days ago; the service can no longer undo it.`,
    );
  if (answer.status !== 'OK') throw unknownImport(importId);
  const { keptUserIds } = isJsonObject(answer.rollback) ? answer.rollback : {};
  const counts = numbersIn(answer.rollback);
  const kept = Array.isArray(keptUserIds) ? keptUserIds.map((id) => printable(String(id))) : [];
  await terminal.done({ importId, rollback: { ...counts, keptUserIds: kept } }, () =>
    rollbackText(importId, counts, isRepeated),
  );
  if (kept.length > 0)
    terminal.say(
      `Users of whom something was kept: ${kept.slice(0, MAX_NAMED).join(', ')}${kept.length > MAX_NAMED ? ', … (--json names 100)' : ''}. They stay as they are. user-import delete ID removes one.`,
    );
  terminal.next(['user-import', 'status']);
  return EXIT.ok;
};

/**
 * Shows progress until the signal aborts. During a rollback, the service keeps its counts in the record of the import.
 */
async function showProgress(
  { terminal }: CommandContext,
  service: ServiceAddress,
  { importId, created, updated }: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  if (!terminal.hasScreen) return;
  const line = new ProgressLine(terminal, 'rolling back', (users) => counted(users, 'change'));
  const total = Math.max(1, Number(created) + Number(updated));
  while (!signal.aborted) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    const record = await findImport(service, String(importId), signal).catch(() => undefined);
    const amount = Object.values(numbersIn(record?.rollback)).reduce((sum, number) => sum + number, 0);
    if (!signal.aborted) line.update(() => ({ amount, share: Math.min(1, amount / total) }));
  }
}

/**
 * Pairs of counts of a rollback: what was restored, and what was kept because the user signed in or was changed since.
 */
const PAIRS: readonly (readonly [what: string, restored: string, kept: string])[] = [
  ['passwords', 'hashesRestored', 'hashesKept'],
  ['addresses', 'emailsRestored', 'emailsKept'],
  ['states', 'statesRestored', 'statesKept'],
  ['second factors', 'factorsRestored', 'factorsKept'],
  ['users whom the import changed', 'usersRestored', 'usersNotRestored'],
];

/** Returns rows of a table: `users  284 removed, 2 kept (they signed in or were changed since)`. */
export function rollbackRows(counts: Readonly<Record<string, number>>): string[][] {
  const of = (name: string) => counts[name] ?? 0;
  const text = (done: number, what: string, kept: number) =>
    `${count(done)} ${what}${kept === 0 ? '' : `, ${count(kept)} kept (they signed in or were changed since)`}`;
  return [
    ['users', text(of('usersRemoved'), 'removed', of('usersKept'))],
    ...PAIRS.filter(([, restored, kept]) => of(restored) + of(kept) > 0).map(([what, restored, kept]) => [
      what,
      text(of(restored), 'restored', of(kept)),
    ]),
  ];
}

export function rollbackText(
  importId: string,
  counts: Readonly<Record<string, number>>,
  isRepeated = false,
): string[] {
  const [[, users] = [], ...others] = rollbackRows(counts);
  const title = isRepeated ? `${importId} was rolled back before` : `Rolled back ${importId}`;
  return [`${title}: ${users}.`, ...columns(others)];
}
