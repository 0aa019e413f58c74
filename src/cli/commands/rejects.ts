import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { pagesOf } from '../service-client/call-service.ts';
import { unknownImport } from '../service-client/import-records.ts';
import { wordOf } from '../terminal/text.ts';

/** Lists the lines (users) of an import that the service refused, in order. */
export const run: RunCommand = async (context) => {
  const { words, terminal } = context;
  const importId = checkImportId(words[0] ?? '');
  const service = readServiceAddress(context);
  const between = terminal.isResultShown ? '  ' : '\t';
  let isEmpty = true;
  const pages = pagesOf(service, `/bulk-import/imports/${importId}/failures`, {
    ...{ list: 'failures', cursor: 'cursor', next: ({ nextCursor }) => nextCursor },
  });
  for await (const { answer, items } of pages) {
    if (answer.status === 'IMPORT_EXPIRED_ERROR')
      throw new CliError(
        `Import ${importId} finished more than import_undo_days ago; the service has deleted its failures.`,
      );
    if (answer.status !== 'OK') throw unknownImport(importId);
    for (const failure of items) {
      const { line, code, message } = failure;
      const text = () => [[String(line), code, message].map(wordOf).join(between)];
      if (!(await terminal.answer(failure, text))) return EXIT.ok;
      isEmpty = false;
    }
  }
  if (isEmpty)
    terminal.say(
      'The service refused no lines of this import. For rows that were never sent, see the files of --report and --rejects.',
    );
  else
    terminal.next(
      ['user-import', 'import', 'FILE…', '--rejects', 'rejects.ndjson'],
      'with the same files and flags, to write these rows for correction',
    );
  return EXIT.ok;
};
