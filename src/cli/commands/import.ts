import type { JsonObject } from '../../lib/json/json-object.ts';
import type { Plan } from '../../sources/pipeline/plan.ts';
import { adviceOnRows, questionsOnUsers } from '../../sources/pipeline/user-advice.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { openVerdictFiles } from '../files/verdict-files.ts';
import { checkImportId, freshId, importIdOf, isIdOfSystem, newIdStart } from '../import-id.ts';
import { disablesUsers, readImportOptions } from '../options/import-options.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { inspectRows } from '../plan/inspection.ts';
import { inspectionText } from '../plan/inspection-text.ts';
import { nextCommand } from '../plan/next-command.ts';
import { prepare, sayAdvice, stopAt } from '../plan/prepare.ts';
import type { ImportedRows } from '../rows/send-rows.ts';
import { reasonsText, type VerdictCounts } from '../rows/verdict-counts.ts';
import { callService } from '../service-client/call-service.ts';
import {
  findImport,
  findOtherUsers,
  findUnfinished,
  hasEarlierImport,
} from '../service-client/import-records.ts';
import { type ServiceProblem, withRetries } from '../service-client/service-problem.ts';
import { signerKeys } from '../service-client/signer-keys.ts';
import { confirmOrStop, requireTerminal } from '../terminal/prompt.ts';
import { count, counted, printable } from '../terminal/text.ts';
import { fileArgument } from '../terminal/wrap.ts';
import { VAIN_WAITING } from './census.ts';
import { REFUSED, resultJson, resultLines, stillActiveText } from './import-result.ts';
import { type ImportWork, runRows } from './run-rows.ts';

/** Value of --from for a file of --rejects, which has the rows that failed in an earlier import. */
const REJECTS = 'rejects';

/** Time for which requests before the import are retried if nothing answers at the service's address. */
const FIRST_CALL_MS = 10_000;

const OTHERWISE = 'Nothing was imported.';

/** Imports users: inspects the files, does a dry run, asks, sends and reports. */
export const run: RunCommand = async (context) => {
  const { flags, terminal, interruption } = context;
  const { signal } = interruption;
  const isDryRun = flags.has('dry-run');
  const asks = !isDryRun && !flags.has('yes');
  if (asks) requireTerminal(context, ', or --dry-run to preview the import');
  const service = readServiceAddress(context);
  const prepared = await prepare(context);
  const { plan, source } = prepared;
  // If the tables alone raise a question, the command stops here, before it calls the service.
  if (plan.advice.some(({ level }) => level === 'stop')) await prepared.stopAtQuestions('states');
  const systems = systemsOf(plan);
  const [system = plan.source.name] = systems;
  const isKnownSystem = systems.size === 1;
  const options = readImportOptions(flags, { system, isKnownSystem, settings: plan.settings });
  const { deleteMissing, hashingSecretId } = options;
  const unnamed = {
    ...{ context, service, prepared, options },
    secretIdOf: signerKeys(service, { namedId: hashingSecretId, isShown: flags.has('show') }),
    retryForMs: flags.ms('retry-for', '10m'),
    timeoutMs: flags.ms('timeout', '90s'),
  };
  const work: ImportWork = { ...unnamed, importId: await chooseId(unnamed) };
  const known = isDryRun ? undefined : await lookUp(work);
  const isResumed = known !== undefined;
  const isNew = !isDryRun && !isResumed;
  // With --match external-id, the operator need not be asked: the service refuses rows that would change the account of
  // another user.
  if (!isResumed && !flags.has('on-conflict') && options.matchBy === undefined)
    await askAboutOtherUsers(work, systems, isDryRun);
  const files = openVerdictFiles(context, plan.source.name);
  const nowMs = typeof known?.startedAt === 'number' ? known.startedAt : undefined;
  const { tally, rows } = await prepared.load({ nowMs, signal });
  const rehearsed = isNew && (asks || deleteMissing !== undefined) ? await rehearse(work) : undefined;
  if (deleteMissing !== undefined && !isDryRun)
    options.deleteMissing =
      rehearsed === undefined
        ? Number(known?.deleteMissing ?? 0)
        : permittedRemovals(rehearsed, flags.number('delete-at-most'));
  if (rehearsed !== undefined) {
    const stillActive = flags.has('disabled') ? 0 : await countStillActive(work, rehearsed.verdicts);
    if (stillActive > 0) throw new CliError(`${stillActiveText(stillActive)} ${OTHERWISE}`, EXIT.someFailed);
  } else {
    // A dry run shows questions about users as warnings only. For a resumed import, they were answered before its first
    // run.
    await prepared.stopAtQuestions(isNew ? 'users' : 'states', signal);
    const questions = isDryRun ? questionsOnUsers(plan, source, { tally, rows }) : [];
    sayAdvice(
      terminal,
      [...plan.advice, ...questions, ...adviceOnRows(tally, source, { plan, rows })],
      isDryRun,
    );
  }
  // A finished import is only reported again, so its failures are not limited.
  const isLimited = flags.has('yes') && !isDryRun && known?.status !== 'FINISHED';
  const isTooMany = isLimited ? await limitFailures(work, rehearsed?.verdicts) : undefined;
  if (asks) {
    const what =
      rehearsed === undefined
        ? `Go on with ${work.importId}?`
        : `Import ${counted(rehearsed.verdicts.of('import'), 'user')} into ${service.url}?`;
    await confirmOrStop(context, what, { otherwise: OTHERWISE });
    const removals = isResumed ? 0 : (options.deleteMissing ?? 0);
    const question = `This removes ${counted(removals, 'user')}. Type their number to continue: `;
    if (removals > 0)
      await confirmOrStop(context, question, { typed: String(removals), otherwise: OTHERWISE });
  }
  const names = plan.surveys.map(({ name }) => printable(name)).join(', ');
  terminal.say(
    isDryRun
      ? `Trying ${names} with ${service.url}, writing nothing`
      : `Importing ${names} into ${service.url} as ${work.importId}`,
  );
  const startedAt = performance.now();
  const title = isDryRun ? 'trying' : 'importing';
  const imported = await interruption.patiently(() =>
    runRows(work, { isDryRun, isResumed, total: rehearsed?.lines, files, isTooMany, title }),
  );
  const stillActive = await countStillActive(work, imported.verdicts);
  await warnOfVainWaiting(work);
  const result = { ...imported, stillActive, tally, isDryRun, ms: performance.now() - startedAt };
  if (terminal.isJson) await terminal.result(`${JSON.stringify(resultJson(work, result))}\n`);
  for (const line of resultLines(work, result)) terminal.say(line);
  const next = nextAfter(work, { ...result, rejects: files.rejects });
  if (next !== undefined) terminal.next(next.args, next.when);
  const isRefused = result.missing?.refused !== undefined;
  // With --yes, the operator was not asked about these users.
  const isUndecided = !isDryRun && stillActive > 0 && !flags.has('disabled');
  return result.verdicts.failed > 0 || isRefused || isUndecided ? EXIT.someFailed : EXIT.ok;
};

/**
 * Returns the id of --import-id, or an id derived from files and options. If the import has --new or reads a database,
 * and an earlier run of the same command did not finish, its import is resumed. The service then refuses rows of the
 * database that have changed since.
 */
async function chooseId(work: Omit<ImportWork, 'importId'>): Promise<string> {
  const { context, service, prepared, options } = work;
  const { flags } = context;
  const { plan, source } = prepared;
  const given = flags.text('import-id');
  if (given !== undefined && flags.has('new'))
    throw new CliError('--new and --import-id exclude each other.');
  if (given !== undefined) return checkImportId(given);
  const { command, importId } = importIdOf(plan, source, options);
  const isNew = flags.has('new');
  if ((importId === command && !isNew) || flags.has('dry-run')) return importId;
  // Ids of a database end with a digest of its snapshot, and ids with --new end with a time. An unfinished import of
  // the same command is found by the beginning of its id.
  const start = isNew ? newIdStart(importId) : command;
  const unfinished = await withPatience(work, (signal) => findUnfinished(service, start, signal));
  return unfinished ?? (isNew ? freshId(importId, 'new') : importId);
}

function systemsOf({ source, forms, surveys }: Plan): ReadonlySet<string> {
  if (forms.some(({ isOfAnySystem }) => isOfAnySystem)) return new Set();
  if (source.name !== REJECTS) return new Set([source.name]);
  // Each row in a file of --rejects names the system from which it was first read.
  const tables = surveys.flatMap((survey) => survey.tables);
  return new Set(tables.flatMap(({ first }) => first.map(({ from }) => String(from))));
}

/** Flags of a dry run that the suggested command for the import leaves out. */
const NOT_REPEATED = new Set(['dry-run', 'report', 'rejects', 'json', 'quiet', 'show']);

/**
 * Returns the command to suggest next: after a dry run, the import; after an import, one that imports the corrected
 * rejects, lists the failures or shows the result.
 */
function nextAfter(
  { context }: ImportWork,
  { importId, verdicts, isDryRun, ...rows }: ImportedRows & { isDryRun: boolean; rejects: number },
): { args: string[]; when?: string } | undefined {
  const rejects = context.flags.text('rejects');
  if (isDryRun && verdicts.of('import') === 0) return undefined;
  if (isDryRun) return { args: nextCommand(context, { isRepeated: (name) => !NOT_REPEATED.has(name) }) };
  // The file of --rejects lacks rows that lost to another row with the same id or address, and `user-import rejects`
  // lists only rows that the service refused.
  const rest = rejects === undefined ? rows.refused : rows.rejects;
  if (verdicts.failed === 0 || rest === 0) return { args: ['user-import', 'status', importId] };
  if (rejects === undefined) return { args: ['user-import', 'rejects', importId] };
  return { args: ['user-import', 'import', fileArgument(rejects)], when: 'once it is corrected' };
}

async function withPatience<T>(
  { context: { terminal, interruption }, retryForMs }: Omit<ImportWork, 'importId'>,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = interruption;
  let hasShownWait = false;
  return withRetries(
    {
      // An error code shows that the service is at this address. Without an answer, the address may be wrong, so the
      // wait is short.
      retryForMs: ({ code }) => (code === undefined ? Math.min(retryForMs, FIRST_CALL_MS) : retryForMs),
      signal,
      onPause({ code, message }: ServiceProblem) {
        if (code !== undefined && !hasShownWait) terminal.say(`${message} Waiting for it.`);
        hasShownWait ||= code !== undefined;
      },
    },
    () => call(signal),
  );
}

/**
 * Returns the service's record of this import if the import was started before, so that it is resumed.
 * @throws {CliError} if the import cannot be resumed
 */
async function lookUp(work: ImportWork): Promise<JsonObject | undefined> {
  const { service, context, importId } = work;
  const record = await withPatience(work, (signal) => findImport(service, importId, signal));
  if (record === undefined) return undefined;
  if (record.rolledBackAt !== undefined)
    throw new CliError(
      `These files were imported as ${importId}, and that was rolled back. To import them again, add --new.`,
    );
  if (record.expiredAt !== undefined)
    throw new CliError(
      `These files were imported as ${importId}, too long ago to be resumed (import_undo_days). To import them again, add --new.`,
    );
  context.terminal.say(
    record.status === 'FINISHED'
      ? `These files were imported before, as ${importId}. Checking the result of each row; nothing is imported twice.${Number(record.failed) > 0 ? ' Failed rows are not retried: to retry them, add --new.' : ''}`
      : `Resuming ${importId}: ${counted(Number(record.lines), 'user')} done so far.`,
  );
  return record;
}

/**
 * Demands --on-conflict if the service has users who did not come from this system. By default, a row replaces the
 * password of the user with the same address. For a newer export of the same system, that is right. If the user came
 * from elsewhere, the address may belong to another person.
 * @throws {CliError} if there are such users; a dry run only warns
 */
async function askAboutOtherUsers(
  work: ImportWork,
  systems: ReadonlySet<string>,
  isDryRun: boolean,
): Promise<void> {
  const isOfSystem = (importId: string) => [...systems].some((system) => isIdOfSystem(importId, system));
  const others = await withPatience(work, (signal) => findOtherUsers(work.service, isOfSystem, signal));
  if (others === undefined) return;
  const found = `The service already has other users: ${others}.`;
  if (!isDryRun)
    throw new CliError(
      `${found} If a row has the address of one of them, whose password counts? Add --on-conflict skip to keep theirs, which is safe if these files come from another system. Add --on-conflict update-unchanged to replace it, if these files are a newer export of the same users. --dry-run shows how many there are.`,
    );
  work.context.terminal.say(`Warning: ${found} The import will need --on-conflict.`);
}

/** Shows what would be imported: first from the files alone, then from a dry run of the service. */
async function rehearse(work: ImportWork): Promise<ImportedRows> {
  const { context, prepared } = work;
  const { terminal, flags, interruption } = context;
  const inspection = await inspectRows(prepared, terminal, { signal: interruption.signal });
  const { paint } = terminal;
  const text = inspectionText(prepared.plan, inspection, { paint, isShown: flags.has('show') });
  terminal.show([...text, ''].join('\n'));
  stopAt(inspection.advice);
  const { tally } = inspection;
  const users = inspection.verdicts.of('import');
  if (users === 0) throw new CliError('The files contain no users to import.');
  // The number of lines that disable users is not known before they are sent, and so the total is not known either.
  const total = disablesUsers(work.options) ? undefined : users;
  const rehearsed = await interruption.patiently(() =>
    runRows(work, { isDryRun: true, total, title: 'dry run:' }),
  );
  const result = { ...rehearsed, stillActive: 0, tally, isDryRun: true, ms: undefined };
  for (const line of resultLines(work, result)) terminal.show(line);
  return rehearsed;
}

/** Share of the rows above which removals need --delete-at-most, because an incomplete export also lacks many users. */
const MAX_MISSING_SHARE = 0.1;

/**
 * Returns the number of users that the import may remove, as the dry run has counted them.
 * @throws {CliError} if it is above --delete-at-most or, without that flag, above MAX_MISSING_SHARE of the rows
 */
function permittedRemovals({ missing, verdicts }: ImportedRows, atMost: number | undefined): number {
  if (missing === undefined) return 0;
  if (missing.refused !== undefined && missing.refused !== 'TOO_MANY')
    throw new CliError(REFUSED[missing.refused] ?? missing.refused);
  const { removed } = missing;
  if (removed <= (atMost ?? verdicts.rows * MAX_MISSING_SHARE)) return removed;
  const users = counted(removed, 'user');
  throw new CliError(
    atMost === undefined
      ? `${users} of earlier imports are missing in these files, which have ${counted(verdicts.rows, 'row')}. Is the export complete? If it is, add --delete-at-most ${removed}. ${OTHERWISE}`
      : `${users} are missing in these files, more than --delete-at-most ${atMost}. ${OTHERWISE}`,
  );
}

/**
 * Returns the number of rows that are left out as disabled and whose users may have come with an earlier import, so
 * that they can still sign in. It is 0 for imports that disable such users.
 */
async function countStillActive(
  { service, context, importId, options }: ImportWork,
  verdicts: VerdictCounts,
): Promise<number> {
  const rows = verdicts.reasonsOf('skip').find(([reason]) => reason === 'DISABLED')?.[1] ?? 0;
  if (rows === 0 || disablesUsers(options)) return 0;
  const { source } = options;
  return (await hasEarlierImport(service, { importId, source }, context.interruption.signal)) ? rows : 0;
}

/**
 * Warns if users wait for a first sign-in at the legacy system, but the service is configured not to ask that system.
 */
async function warnOfVainWaiting({ service, context: { flags, terminal } }: ImportWork): Promise<void> {
  if (flags.text('without-password') !== 'legacy') return;
  // The API key may lack the right `read`. Then nothing is known, and there is no warning.
  const census = await callService(service, '/recipe/user/passwordhash/census').catch(() => undefined);
  if (census?.legacySignIn === false) terminal.warn(VAIN_WAITING);
}

/**
 * With `--yes`, nobody looks at a dry run, so the number of failed rows is limited: to this number, or to this share of
 * all rows if that is more.
 */
const MIN_FAILURES = 20;
const MAX_SHARE = 0.05;

/**
 * Returns a check for imports with `--yes`. The check returns an error if so many rows have failed that a wrong option
 * is more likely than bad data.
 * @throws {CliError} if too many rows are known to fail before any row is sent
 */
async function limitFailures(
  { context: { flags, terminal, interruption }, prepared }: ImportWork,
  rehearsed: VerdictCounts | undefined,
): Promise<(verdicts: VerdictCounts) => CliError | undefined> {
  const { signal } = interruption;
  const expected = rehearsed ?? (await inspectRows(prepared, terminal, { signal })).verdicts;
  const { rows } = expected;
  const most = flags.number('accept-failures') ?? Math.max(MIN_FAILURES, Math.floor(rows * MAX_SHARE));
  const whyIn = (verdicts: VerdictCounts) => reasonsText(verdicts, 'conflict', 'error');
  if (expected.failed > most)
    throw new CliError(
      `${count(expected.failed)} of ${count(rows)} rows would fail (${whyIn(expected)}), so nothing is imported. user-import inspect shows an example of each. To import the others nevertheless: --accept-failures ${expected.failed}`,
      EXIT.someFailed,
    );
  return (verdicts) =>
    verdicts.failed <= most
      ? undefined
      : new CliError(
          `${count(verdicts.failed)} rows have failed (${whyIn(verdicts)}), so the import stops. To go on with the others: the same command with --accept-failures and a higher number.`,
          EXIT.someFailed,
        );
}
