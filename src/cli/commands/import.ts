import { DEFAULT_ON_CONFLICT } from '../../imports/import-request.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import type { Plan } from '../../sources/pipeline/plan.ts';

import { adviceOnRows, questionsOnUsers } from '../../sources/pipeline/user-advice.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { checkOutputs, openVerdictFiles } from '../files/verdict-files.ts';
import { checkImportId, freshId, type ImportOptions, importIdOf, isIdOfSystem } from '../import-id.ts';
import { readMatchOptions, type SourceFacts } from '../options/match-options.ts';
import type { Flags } from '../options/read-arguments.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { type Inspection, inspectRows } from '../plan/inspection.ts';
import { inspectionText } from '../plan/inspection-text.ts';
import { nextCommand } from '../plan/next-command.ts';
import { type Prepared, prepare, sayAdvice, stopAt } from '../plan/prepare.ts';
import { nextSteps } from '../rows/next-steps.ts';
import { disablesUsers, type ImportedRows } from '../rows/send-rows.ts';
import type { VerdictCounts } from '../rows/verdict-counts.ts';
import { findImport, findOtherUsers } from '../service-client/import-records.ts';
import { type ServiceProblem, withRetries } from '../service-client/service-problem.ts';
import { SignerKeys } from '../service-client/signer-keys.ts';
import { confirmOrStop, requireTerminal } from '../terminal/prompt.ts';
import { counted, printable } from '../terminal/text.ts';
import { fileArgument } from '../terminal/wrap.ts';
import {
  confirmRemovals,
  countStillActive,
  type ImportWork,
  permittedRemovals,
  resultJson,
  resultLines,
  stopAtStillActive,
  tooManyFailures,
  warnOfVainWaiting,
} from './import-checks.ts';
import { runRows } from './run-rows.ts';

/** Limit for --delete-missing in a dry run, which removes nobody: the maximum that the service accepts. */
const MAX_MISSING = 999_999_999_999_999;

/** Value of --from for a file of --rejects, which has the rows that failed in an earlier import. */
const REJECTS = 'rejects';

/** Time for which the first request is retried if nothing answers at the service's address. */
const FIRST_CALL_MS = 10_000;

/** Imports users: inspects the files, does a dry run, asks, sends and reports. */
export const run: RunCommand = async (context) => {
  const { flags, terminal, interruption } = context;
  const isDryRun = flags.has('dry-run');
  const asks = !isDryRun && !flags.has('yes');
  if (asks) requireTerminal(context);
  const service = readServiceAddress(context);
  checkOutputs(context, terminal.isJson);
  const prepared = await prepare(context);
  // Before the service is asked, if the tables alone show that there is a question.
  if (prepared.plan.advice.some(({ level }) => level === 'stop')) await prepared.stopAtQuestions('states');
  const matching = readMatchOptions(flags, factsOf(prepared.plan));
  const { matchBy, source, trustExternalIds, deletesMissing } = matching;
  const options: ImportOptions = {
    onConflict: flags.text('on-conflict') ?? DEFAULT_ON_CONFLICT,
    hashingSecretId: flags.text('hashing-secret-id'),
    ...{ matchBy, source, trustExternalIds },
    // The dry run only counts missing users, so the maximum number of removals is set after it.
    deleteMissing: deletesMissing ? MAX_MISSING : undefined,
  };
  const importId = chooseId(flags, prepared, options);
  const signerKeys = new SignerKeys(context, service, options.hashingSecretId);
  let work: ImportWork = {
    ...{ context, service, prepared, options, matching, importId, signerKeys },
    retryForMs: flags.ms('retry-for', '10m'),
    timeoutMs: flags.ms('timeout', '90s'),
  };
  const known = isDryRun ? undefined : await lookUp(work);
  const isKnown = known !== undefined;
  // With --match external-id, the service refuses rows that would change the account of another user.
  if (!isKnown && !flags.has('on-conflict') && matchBy === undefined)
    await askAboutOtherUsers(work, isDryRun);
  const files = openVerdictFiles(context, prepared.plan.source.name, terminal.isJson);
  const nowMs = typeof known?.startedAt === 'number' ? known.startedAt : undefined;
  const { tally, rows } = await prepared.load({ nowMs, signal: interruption.signal });
  const mustRehearse = asks || (deletesMissing && !isDryRun);
  const rehearsal = mustRehearse && !isKnown ? await rehearse(work) : undefined;
  const inspection = rehearsal?.inspection;
  if (deletesMissing && !isDryRun) {
    const removals =
      rehearsal === undefined
        ? Number(known?.deleteMissing ?? 0)
        : permittedRemovals(work, rehearsal.rehearsed);
    work = { ...work, options: { ...options, deleteMissing: removals } };
  }
  if (rehearsal !== undefined)
    stopAtStillActive(work, await countStillActive(work, rehearsal.rehearsed.verdicts));
  if (inspection === undefined) {
    const { plan, source: read } = prepared;
    // A dry run shows questions on users as warnings. For a resumed import, they were answered.
    await prepared.stopAtQuestions(!isDryRun && !isKnown ? 'users' : 'states', interruption.signal);
    const questions = isDryRun ? questionsOnUsers(plan, read, { tally, rows }) : [];
    sayAdvice(terminal, [...plan.advice, ...questions, ...adviceOnRows(tally, read, rows)], isDryRun);
  }
  // A finished import is only reported again.
  const isLimited = flags.has('yes') && !isDryRun && known?.status !== 'FINISHED';
  const isTooMany = isLimited ? await limitFailures(work, rehearsal) : undefined;
  if (asks) {
    await confirmImport(work, rehearsal?.rehearsed);
    if (!isKnown) await confirmRemovals(context, work.options.deleteMissing ?? 0);
  }
  terminal.say(
    `${isDryRun ? 'Trying' : 'Importing'} ${prepared.plan.surveys.map(({ name }) => printable(name)).join(', ')} ${isDryRun ? 'with' : 'into'} ${service.url}${isDryRun ? ', writing nothing' : ` as ${importId}`}`,
  );
  const startedAt = performance.now();
  const total = rehearsal?.rehearsed.lines;
  const imported = await interruption.patiently(() =>
    runRows(work, {
      ...{ isDryRun, isResumed: isKnown, total, files, isTooMany },
      title: isDryRun ? 'trying' : 'importing',
    }),
  );
  const stillActive = await countStillActive(work, imported.verdicts);
  await warnOfVainWaiting(work);
  const result = { ...imported, stillActive, tally, isDryRun, ms: performance.now() - startedAt };
  if (terminal.isJson) await terminal.result(`${JSON.stringify(resultJson(work, result))}\n`);
  for (const line of resultLines(work, result)) terminal.say(line);
  if (!terminal.isJson)
    for (const line of nextSteps(result.verdicts, prepared.plan.source, options.onConflict))
      terminal.say(line);
  sayNext(work, result);
  const isRefused = result.missing?.refused !== undefined;
  // With --yes, nobody was asked about these users.
  const isUndecided = !isDryRun && stillActive > 0 && !flags.has('disabled');
  return result.verdicts.failed > 0 || isRefused || isUndecided ? EXIT.someFailed : EXIT.ok;
};

function chooseId(flags: Flags, { plan, source }: Prepared, options: ImportOptions): string {
  const given = flags.text('import-id');
  if (given !== undefined && flags.has('new'))
    throw new CliError('--new and --import-id exclude each other.');
  if (given !== undefined) return checkImportId(given);
  const id = importIdOf(plan, source, options);
  return flags.has('new') ? freshId(id, 'new') : id;
}

/** Flags of a dry run that are not for the import after it. */
const NOT_REPEATED = new Set(['dry-run', 'report', 'rejects', 'json', 'quiet', 'show']);

/** A dry run is followed by the import, and an import by a look at what failed, or at what it did. */
function sayNext(
  { context }: ImportWork,
  { importId, verdicts, isDryRun }: ImportedRows & { isDryRun: boolean },
): void {
  const { terminal, flags } = context;
  const rejects = flags.text('rejects');
  if (isDryRun) terminal.next(nextCommand(context, { isRepeated: (name) => !NOT_REPEATED.has(name) }));
  else if (verdicts.failed === 0) terminal.next(['user-import', 'status', importId]);
  else if (rejects === undefined) terminal.next(['user-import', 'rejects', importId]);
  else terminal.next(['user-import', 'import', fileArgument(rejects)], 'once it is corrected');
}

async function withPatience<T>(
  { context: { terminal, interruption }, retryForMs }: ImportWork,
  call: () => Promise<T>,
): Promise<T> {
  let hasShownWait = false;
  // A service that answers with an error code is at the right address. Without any answer, it may be wrong.
  const waitMs = ({ code }: ServiceProblem) =>
    code === undefined ? Math.min(retryForMs, FIRST_CALL_MS) : retryForMs;
  return withRetries(
    {
      retryForMs: waitMs,
      signal: interruption.signal,
      onPause(problem) {
        if (problem.code !== undefined && !hasShownWait) terminal.say(`${problem.message} Waiting for it.`);
        hasShownWait ||= problem.code !== undefined;
      },
    },
    call,
  );
}

/**
 * Returns the service's record of this import if the import was started before, so that it is resumed.
 * @throws {CliError} if the import cannot be resumed
 */
async function lookUp(work: ImportWork): Promise<JsonObject | undefined> {
  const { service, context, importId } = work;
  const { terminal, interruption } = context;
  const record = await withPatience(work, () => findImport(service, importId, interruption.signal));
  if (record === undefined) return undefined;
  if (record.rolledBackAt !== undefined)
    throw new CliError(
      `These files were imported as ${importId}, and that was rolled back. To import them again, add --new.`,
    );
  if (record.expiredAt !== undefined)
    throw new CliError(
      `These files were imported as ${importId}, too long ago to be resumed (import_undo_days). To import them again, add --new.`,
    );
  terminal.say(
    record.status === 'FINISHED'
      ? `These files were imported before, as ${importId}. Checking the result of each row; nothing is imported twice.${Number(record.failed) > 0 ? ' Failed rows are not retried: to retry them, add --new.' : ''}`
      : `Resuming ${importId}: ${counted(Number(record.lines), 'user')} done so far.`,
  );
  return record;
}

/**
 * By default, a row replaces the password of the user with the same address. For a newer export of the same
 * system, that is right. In a different system, the address may belong to another person.
 */
async function askAboutOtherUsers(work: ImportWork, isDryRun: boolean): Promise<void> {
  const { context, service, prepared } = work;
  const { terminal, interruption } = context;
  const systems = systemsOf(prepared.plan);
  const isOfSystem = (importId: string) => systems.some((system) => isIdOfSystem(importId, system));
  const others = await withPatience(work, () => findOtherUsers(service, isOfSystem, interruption.signal));
  if (others === undefined) return;
  const found = `The service already has other users: ${others}.`;
  if (isDryRun) {
    terminal.say(`Warning: ${found} The import will need --on-conflict.`);
    return;
  }
  throw new CliError(
    `${found} If a row has the address of one of them, whose password counts? Add --on-conflict skip to keep theirs, which is safe if these files come from another system. Add --on-conflict update-unchanged to replace it, if these files are a newer export of the same users. --dry-run shows how many there are.`,
  );
}

function systemsOf({ source, forms, surveys }: Plan): string[] {
  if (forms.some(({ isOfAnySystem }) => isOfAnySystem)) return [];
  if (source.name !== REJECTS) return [source.name];
  // A file of --rejects states for each row the system from which the row was first read.
  const tables = surveys.flatMap((survey) => survey.tables);
  return tables.flatMap(({ first }) => first.map(({ from }) => String(from)));
}

function factsOf(plan: Plan): SourceFacts {
  const systems = new Set(systemsOf(plan));
  const [system = plan.source.name] = systems;
  return { system, isKnownSystem: systems.size === 1, settings: plan.settings };
}

interface Rehearsal {
  inspection: Inspection;
  rehearsed: ImportedRows;
}

/** Shows what would be imported: first from the files alone, then from a dry run of the service. */
async function rehearse(work: ImportWork): Promise<Rehearsal> {
  const { context, prepared } = work;
  const { terminal, flags, interruption } = context;
  const inspection = await inspectRows(prepared, terminal, { signal: interruption.signal });
  terminal.show(
    inspectionText(prepared.plan, inspection, {
      paint: terminal.paint,
      isShown: flags.has('show'),
    }),
  );
  stopAt(inspection.advice);
  const { tally } = inspection;
  const users = inspection.verdicts.of('import');
  if (users === 0) throw new CliError('The files contain no users to import.');
  // Lines that disable users are not counted before they are sent.
  const total = disablesUsers(work.options) ? undefined : users;
  const rehearsed = await interruption.patiently(() =>
    runRows(work, { isDryRun: true, total, title: 'dry run:' }),
  );
  const result = { ...rehearsed, stillActive: 0, tally, isDryRun: true, ms: undefined };
  for (const line of resultLines(work, result)) terminal.show(line);
  for (const line of nextSteps(rehearsed.verdicts, prepared.plan.source, work.options.onConflict))
    terminal.show(line);
  return { inspection, rehearsed };
}

/**
 * Makes the check that stops an import with `--yes` if many of its rows fail.
 * @throws {CliError} if too many rows are known to fail before any row is sent
 */
async function limitFailures(
  { context: { flags, terminal, interruption }, prepared }: ImportWork,
  rehearsal: Rehearsal | undefined,
): Promise<(verdicts: VerdictCounts) => CliError | undefined> {
  const { verdicts: expected } =
    rehearsal?.rehearsed ?? (await inspectRows(prepared, terminal, { signal: interruption.signal }));
  const { rows } = expected;
  const accepted = flags.number('accept-failures');
  const problem = tooManyFailures(expected, { accepted, rows, isSent: false });
  if (problem !== undefined) throw problem;
  return (verdicts) => tooManyFailures(verdicts, { accepted, rows, isSent: true });
}

function confirmImport(
  { context, service, importId }: ImportWork,
  rehearsed: ImportedRows | undefined,
): Promise<void> {
  const what =
    rehearsed === undefined
      ? `Go on with ${importId}?`
      : `Import ${counted(rehearsed.verdicts.of('import'), 'user')} into ${service.url}?`;
  return confirmOrStop(context, what, { otherwise: 'Nothing was imported.' });
}
