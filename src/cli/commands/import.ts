import { DEFAULT_ON_CONFLICT, ON_CONFLICT } from '../../imports/import-request.ts';
import { newTally } from '../../sources/pipeline/judge.ts';
import { adviceOnStates } from '../../sources/pipeline/unknown-states.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { checkVerdictPaths, openVerdictFiles } from '../files/verdict-files.ts';
import { checkImportId, freshId, type ImportOptions, importIdOf } from '../import-id.ts';
import { durationMs } from '../options/durations.ts';
import { readParallel } from '../options/parallel.ts';
import type { Flags } from '../options/read-arguments.ts';
import { readServiceAddresses } from '../options/service-options.ts';
import { readPartId } from '../parts.ts';
import { type Inspection, inspectRows } from '../plan/inspection.ts';
import { inspectionText } from '../plan/inspection-text.ts';
import { type Prepared, prepare, stopAtStates, stopWhereAdvised } from '../plan/prepare.ts';
import { Addresses } from '../service-client/addresses.ts';
import { assertOneService } from '../service-client/assert-one-service.ts';
import { callService } from '../service-client/call-service.ts';
import { findImportWithParts } from '../service-client/find-import-with-parts.ts';
import { SHORT_TIMEOUT_MS } from '../service-client/open-request.ts';
import type { ServiceProblem } from '../service-client/service-problem.ts';
import { SignerKeys } from '../service-client/signer-keys.ts';
import { withRetries } from '../service-client/with-retries.ts';
import { confirm } from '../terminal/prompt.ts';
import { counted, printable, printableLines } from '../terminal/text.ts';
import { resultJson, resultLines } from './import-result.ts';
import type { ImportWork } from './import-work.ts';
import { runRows } from './run-rows.ts';

/** Milliseconds to retry the first call if nothing answers at the address. */
const FIRST_CALL_MS = 10_000;

/** Imports users: inspects the files, does a dry run, asks, sends and reports. */
export const run: RunCommand = async (context) => {
  const { flags, terminal, interruption } = context;
  const isDryRun = flags.has('dry-run');
  const asks = !isDryRun && !flags.has('yes');
  if (asks && !terminal.isInteractive)
    throw new CliError(
      'Standard input is not a terminal, so the import cannot be confirmed. Add --yes to import, or --dry-run to preview.',
    );
  const addresses = new Addresses(readServiceAddresses(context, 'hashes'));
  const parallel = readParallel(flags.text('parallel'));
  const options = readOptions(flags);
  const times = {
    retryForMs: durationMs('retry-for', flags.text('retry-for') ?? '10m'),
    timeoutMs: durationMs('timeout', flags.text('timeout') ?? '90s'),
  };
  checkVerdictPaths(context, terminal.isJson);
  const prepared = await prepare(context);
  stopWhereAdvised(prepared.plan);
  const importId = chooseId(flags, prepared, { options, parallel });
  const signerKeys = new SignerKeys({
    ask: (path, body) =>
      addresses.ask(0, (service) =>
        callService(service, path, { method: 'POST', body, timeoutMs: SHORT_TIMEOUT_MS }),
      ),
    warn: (message) => terminal.warn(message),
    namedId: options.hashingSecretId,
    isShown: flags.has('show'),
  });
  const work = { context, addresses, parallel, prepared, options, importId, signerKeys, ...times };
  await assertOneService(addresses);
  const isKnown = isDryRun ? false : await lookUp(work);
  const files = openVerdictFiles(context, prepared.plan.source.name, terminal.isJson);
  try {
    const inspection = asks && !isKnown ? await rehearse(work) : undefined;
    // rehearse() has already checked the states and shown the warnings.
    if (inspection === undefined) await prepared.stopAtUnknownStates(interruption.signal);
    if (inspection === undefined)
      for (const { level, text } of prepared.plan.advice)
        if (level === 'warn') terminal.say(`Warning: ${printableLines(text)}`);
    if (asks) await confirmImport(work, inspection);
    terminal.say(
      `${isDryRun ? 'Trying' : 'Importing'} ${prepared.plan.surveys.map(({ name }) => printable(name)).join(', ')} ${isDryRun ? 'with' : 'into'} ${addresses.text}${isDryRun ? ', writing nothing' : ` as ${importId}`}`,
    );
    const startedAt = performance.now();
    const tally = newTally();
    const total = inspection?.verdicts.of('import');
    const imported = await interruption.patiently(() =>
      runRows(work, { isDryRun, total, files, tally, title: isDryRun ? 'trying' : 'importing' }),
    );
    const result = { ...imported, tally, isDryRun, ms: performance.now() - startedAt };
    if (terminal.isJson) await terminal.result(`${JSON.stringify(resultJson(work, result))}\n`);
    for (const line of resultLines(work, result)) terminal.say(line);
    return result.verdicts.failed > 0 ? EXIT.someFailed : EXIT.ok;
  } catch (error) {
    files.discard();
    throw error;
  }
};

function readOptions(flags: Flags): ImportOptions {
  const onConflict = flags.text('on-conflict') ?? DEFAULT_ON_CONFLICT;
  if (!ON_CONFLICT.some((one) => one === onConflict))
    throw new CliError(`--on-conflict: expected ${ON_CONFLICT.join(', ')}; got ${onConflict}`);
  return { onConflict, hashingSecretId: flags.text('hashing-secret-id') };
}

function chooseId(
  flags: Flags,
  { plan, source }: Prepared,
  { options, parallel }: { options: ImportOptions; parallel: number },
): string {
  const given = flags.text('import-id');
  if (given !== undefined && flags.has('new'))
    throw new CliError('--new and --import-id exclude each other.');
  if (given !== undefined) {
    const whole = readPartId(given)?.importId;
    if (whole !== undefined)
      throw new CliError(`--import-id: ${given} is the name of a part; say ${whole}, and --parallel.`);
    return checkImportId(given, parallel);
  }
  const id = importIdOf(plan, source, options);
  return flags.has('new') ? freshId(id, 'new') : id;
}

/**
 * Returns whether the service already knows the import, which is then resumed.
 * @throws {CliError} if it cannot be resumed
 */
async function lookUp({ context, addresses, parallel, importId, retryForMs }: ImportWork): Promise<boolean> {
  const { terminal, interruption } = context;
  const { signal } = interruption;
  let hasShownWait = false;
  // A service that answers with an error code is at the right address, so its problems are retried for as
  // long as those during an import.
  const waitMs = ({ code }: ServiceProblem) =>
    code === undefined ? Math.min(retryForMs, FIRST_CALL_MS) : retryForMs;
  const found = await withRetries(
    {
      retryForMs: waitMs,
      signal,
      onPause(problem) {
        if (problem.code !== undefined && !hasShownWait) terminal.say(`${problem.message} Waiting for it.`);
        hasShownWait ||= problem.code !== undefined;
      },
    },
    () =>
      addresses.ask(0, (service) =>
        findImportWithParts(service, importId, { timeoutMs: SHORT_TIMEOUT_MS, signal }),
      ),
  );
  if (found === undefined) return false;
  const { record } = found;
  if (record.rolledBackAt !== undefined)
    throw new CliError(
      `These files were imported as ${importId}, and that was rolled back. To import them again, add --new.`,
    );
  if (record.expiredAt !== undefined)
    throw new CliError(
      `These files were imported as ${importId}, too long ago to go on (import_undo_days). To import them again, add --new.`,
    );
  // With another number of parts, rows would get other part ids and be imported twice.
  if (found.parallel !== parallel)
    throw new CliError(
      `These files were imported as ${importId} ${found.parallel === 1 ? 'without --parallel: leave it out' : `with --parallel ${found.parallel}: say the same`} to go on, or add --new to begin anew.`,
    );
  terminal.say(
    record.status === 'FINISHED'
      ? `These files were imported before, as ${importId}. Checking the result of each row; nothing is imported twice.${Number(record.failed) > 0 ? ' Failed rows are not retried: to retry them, add --new.' : ''}`
      : `Resuming ${importId}: ${counted(Number(record.lines), 'user')} done so far.`,
  );
  return true;
}

/** Shows what would be imported: first from the files alone, then from a dry run of the service. */
async function rehearse(work: ImportWork): Promise<Inspection> {
  const { context, prepared } = work;
  const { terminal, flags, interruption } = context;
  const inspection = await inspectRows(prepared, terminal, { signal: interruption.signal });
  terminal.show(
    inspectionText(prepared.plan, inspection, { paint: terminal.paint, isShown: flags.has('show') }),
  );
  stopAtStates(adviceOnStates(inspection.tally.unknownStates));
  if (inspection.verdicts.of('import') === 0) throw new CliError('The files contain no users to import.');
  const tally = newTally();
  const total = inspection.verdicts.of('import');
  const rehearsed = await interruption.patiently(() =>
    runRows(work, { isDryRun: true, total, tally, title: 'dry run:' }),
  );
  for (const line of resultLines(work, { ...rehearsed, tally, isDryRun: true, ms: undefined }))
    terminal.show(line);
  return inspection;
}

async function confirmImport(
  { context: { terminal }, addresses, importId }: ImportWork,
  inspection: Inspection | undefined,
): Promise<void> {
  const what =
    inspection === undefined
      ? `Go on with ${importId}?`
      : `Import ${counted(inspection.verdicts.of('import'), 'user')} into ${addresses.text}?`;
  if (!(await confirm(terminal, what))) throw new CliError('Nothing was imported.');
}
