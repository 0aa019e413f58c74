import { isJsonObject } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readImportId } from '../import-id.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { requireImport, unknownImport } from '../service-client/import-records.ts';
import { withRetries } from '../service-client/service-problem.ts';
import { ask } from '../terminal/prompt.ts';
import { columns, count, printable } from '../terminal/text.ts';

/** Undoes an import, which may take minutes. If the connection fails, the same request continues it. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const importId = readImportId(words, 'rollback');
  const service = readServiceAddress(context);
  const retryForMs = flags.ms('retry-for', '10m');
  const record = await requireImport(service, importId);
  if (!flags.has('yes')) {
    if (!terminal.isInteractive)
      throw new CliError(
        'Standard input is not a terminal, so the rollback cannot be confirmed. Add --yes to roll back.',
      );
    terminal.draw(
      `This removes the ${count(Number(record.created))} users that ${importId} created and restores what it replaced,\nexcept for users who have signed in or were changed since.\n`,
    );
    const typed = await ask(terminal, 'Type the id of the import to continue: ');
    if (typed.trim() !== importId) throw new CliError('The id does not match. Nothing was changed.');
  }
  terminal.show('rolling back …');
  const answer = await withRetries(
    { retryForMs, onPause: ({ message }) => terminal.say(`${message} Trying again …`) },
    () => callService(service, `/bulk-import/imports/${importId}/rollback`, { method: 'POST', timeoutMs: 0 }),
  );
  if (answer.status === 'IMPORT_EXPIRED_ERROR')
    throw new CliError(
      `Import ${importId} finished more than import_undo_days ago; the service can no longer undo it.`,
    );
  if (answer.status !== 'OK') throw unknownImport(importId);
  const counts = countsIn(answer.rollback);
  const rows = Object.entries(counts).map(([name, number]) => [count(number), printable(name)]);
  await terminal.answer({ importId, rollback: counts }, () =>
    [`Rolled back ${importId}.`, ...columns(rows), ''].join('\n'),
  );
  const kept = Object.entries(counts).flatMap(([name, number]) =>
    number > 0 && /(?:Kept|NotRestored)$/.test(name) ? printable(name) : [],
  );
  if (kept.length > 0)
    terminal.say(
      `${kept.join(', ')}: these users have signed in or were changed since the import, so they stay as they are. POST /user/remove removes a user.`,
    );
  return EXIT.ok;
};

/** Numbers of an answer of the service, by name. */
const countsIn = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, number]) => [name, Number(number)]),
  );
