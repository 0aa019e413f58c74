import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readImportId } from '../import-id.ts';
import { readServiceAddresses } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { requireImport, sumMembers } from '../service-client/import-records.ts';
import { withRetries } from '../service-client/service-problem.ts';
import { ask } from '../terminal/prompt.ts';
import { columns, count, printable } from '../terminal/text.ts';

/** Undoes an import, which may take minutes. If the connection fails, the same request continues it. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const importId = readImportId(words, 'rollback');
  const [service] = readServiceAddresses(context);
  const retryForMs = flags.ms('retry-for', '10m');
  const whole = await requireImport(service, importId);
  if (!flags.has('yes')) {
    if (!terminal.isInteractive)
      throw new CliError(
        'Standard input is not a terminal, so the rollback cannot be confirmed. Add --yes to roll back.',
      );
    terminal.draw(
      `This removes the ${count(Number(whole.record.created))} users that ${importId} created and restores what it replaced,\nexcept for users who have signed in or were changed since.\n`,
    );
    const typed = await ask(terminal, 'Type the id of the import to continue: ');
    if (typed.trim() !== importId) throw new CliError('The id does not match. Nothing was changed.');
  }
  terminal.show('rolling back …');
  const rollbacks: unknown[] = [];
  // The last part has further rows for users of the other parts and was imported after them.
  for (const part of whole.parts.toReversed()) {
    const answer = await withRetries(
      {
        retryForMs,
        onPause: ({ message }) => terminal.say(`${message} Trying again …`),
      },
      () =>
        callService(service, `/bulk-import/imports/${part.importId}/rollback`, {
          method: 'POST',
          timeoutMs: 0,
        }),
    );
    if (answer.status === 'IMPORT_EXPIRED_ERROR')
      throw new CliError(
        `Import ${part.importId} finished more than import_undo_days ago; the service can no longer undo it.`,
      );
    if (answer.status !== 'OK') throw new CliError(`There is no import ${part.importId}.`);
    rollbacks.push(answer.rollback);
  }
  const counts = sumMembers(rollbacks);
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
