import type { HashRegistry } from '../../hashing/registry.ts';
import { parseOnlyRegistry } from '../../hashing/registry.ts';
import { hasErrno } from '../../lib/errors.ts';
import { didYouMean, nearestNames } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { FileProblem, type TableHead } from '../../sources/containers/table.ts';
import { baseName, QUERY_TABLE } from '../../sources/fields/tables.ts';
import { withRules } from '../../sources/mapping/active.ts';
import { settingsOf } from '../../sources/mapping/id-prefix.ts';
import { choosePlan } from '../../sources/pipeline/choose-plan.ts';
import { type LoadedUsers, loadUsers } from '../../sources/pipeline/load-users.ts';
import type { Plan, Survey } from '../../sources/pipeline/plan.ts';
import { queryFiles } from '../../sources/pipeline/query-files.ts';
import { questionsOf } from '../../sources/pipeline/questions.ts';
import { surveyFile } from '../../sources/pipeline/survey-file.ts';
import { adviceOnUnreadTables, type UnreadTables } from '../../sources/pipeline/table-questions.ts';
import { Tally } from '../../sources/pipeline/tally.ts';
import { questionsOnUsers } from '../../sources/pipeline/user-advice.ts';
import type { Advice, Settings, Source } from '../../sources/source.ts';
import { generic } from '../../sources/systems/generic.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { isDatabase } from '../databases/database-uri.ts';
import type { OpenDatabase } from '../databases/open-postgres.ts';
import { openSourceFiles } from '../files/source-files.ts';
import {
  COLUMN_FLAGS,
  readSourceOptions,
  SHARED_FLAGS,
  type SourceOptions,
} from '../options/source-options.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { bytesText, printableLines } from '../terminal/text.ts';

type QuestionsAbout = 'states' | 'users';

/** The operator's files after a first pass, in which the exporting system was recognised. */
export interface Prepared {
  plan: Plan;
  source: SourceOptions;
  registry: HashRegistry;
  /**
   * Reads and judges all users in the first call. Later calls return the same result, and their options are ignored.
   */
  load(options?: LoadOptions): Promise<LoadedUsers>;
  /**
   * Ends the command if the operator must answer questions first.
   * @throws {CliError} if `questionsOf` has questions; with `users` also if users have second factors and `--mfa` is
   * missing, or if the number of users differs from the number that the files state, or from `--expect-users`
   */
  stopAtQuestions(about: QuestionsAbout, signal?: AbortSignal): Promise<void>;
}

interface LoadOptions {
  /** Account bans that end before this time have expired. A resumed import uses the time of its first run. */
  nowMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

interface PrepareOptions extends Partial<SourceOptions> {
  /**
   * Whether each verdict keeps the record of the export, and the user that was read from it. By default, only with
   * --rejects.
   */
  keepsOriginals?: boolean;
}

/**
 * Makes a first pass over all files, and determines their system.
 * @throws {CliError} if the files cannot be read or recognised
 */
export async function prepare(
  context: CommandContext,
  { keepsOriginals = context.flags.has('rejects'), ...overrides }: PrepareOptions = {},
): Promise<Prepared> {
  const { terminal, flags, words, tempDirectory, interruption } = context;
  const source = { ...readSourceOptions(flags), ...overrides };
  checkFamilies(source.settings);
  const query = flags.text('query');
  const names = words.filter((word) => !isDatabase(word));
  const isFilesOnly = names.length === words.length;
  if (query !== undefined && names.length > 0 && !isFilesOnly)
    throw new CliError('--query reads files, or a live database, but not both at once.');

  let readBytes = 0;
  let onRead = () => {};
  const opened = await openSourceFiles(names, context, (bytes) => {
    readBytes += bytes;
    onRead();
  });
  // A database has no known size. The total is then NaN, and no share is shown.
  const sizes = opened.map(({ sizeBytes = Number.NaN }) => sizeBytes);
  const totalBytes = isFilesOnly ? sizes.reduce((sum, size) => sum + size, 0) : Number.NaN;

  /** Does work that reads the files, and shows its progress. */
  async function reading<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
    const line = new ProgressLine(terminal, title, bytesText);
    const start = readBytes;
    onRead = () => {
      const amount = readBytes - start;
      const share = amount / totalBytes;
      // The bytes of a file that is read twice count twice. A share above 1 is not shown.
      line.update(() => ({ amount, share: share > 0 && share <= 1 ? share : undefined }));
    };
    try {
      return await work();
    } finally {
      onRead = () => {};
    }
  }

  const { surveys, besideQuery } = await reading('reading', async () => {
    const files = new Map(names.map((name, index) => [name, opened[index]]));
    const surveys: Survey[] = [];
    const beside: TableHead[] = [];
    for (const word of words) {
      const file = files.get(word);
      if (file === undefined) {
        const { survey, tables } = await openDatabase(word, context);
        surveys.push(survey);
        beside.push(...tables);
      } else surveys.push(await surveyFile(file, source.options).catch(namedProblem(file.name)));
    }
    if (query === undefined) return { surveys };
    // A live database has run the query itself.
    if (!isFilesOnly) return { surveys, besideQuery: namedIn(query, beside) };
    const { signal, blocking } = interruption;
    const queried = await queryFiles(surveys, query, { tempDirectory, signal, blocking });
    context.atEnd.push(queried.close);
    return { surveys: [queried.survey], besideQuery: { users: queried.read, unread: queried.unread } };
  });

  const chosen = choosePlan(surveys, {
    // The result of a query over files is a table of no known system.
    from: source.from ?? (query !== undefined && isFilesOnly ? generic.name : undefined),
    settings: query === undefined ? source.settings : withActiveColumn(source.settings, surveys),
    hasSecret: source.hashingSecretId !== undefined,
  });
  if ('noPlan' in chosen) throw new CliError(chosen.noPlan);
  const { settings } = chosen;
  const unread = besideQuery === undefined ? [] : adviceOnUnreadTables(besideQuery, chosen);
  const plan: Plan = { ...chosen, advice: [...chosen.advice, ...unread] };
  checkSettings(plan.source, source.settings);
  const { signerKey } = settings;
  const registry = parseOnlyRegistry(signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64'));

  async function loadOnce({ nowMs = Date.now(), signal }: LoadOptions): Promise<LoadedUsers> {
    const loaded = await reading('looking at', () =>
      loadUsers(plan, {
        ...{ ...source, registry, nowMs, tally: new Tally(), keepsOriginals, tempDirectory, signal },
      }),
    );
    context.atEnd.push(loaded.close);
    return loaded;
  }
  let loading: Promise<LoadedUsers> | undefined;
  const load: Prepared['load'] = (options = {}) => {
    loading ??= loadOnce(options);
    return loading;
  };

  async function stopAtQuestions(about: QuestionsAbout, signal?: AbortSignal): Promise<void> {
    const { rows, tally } = await load({ signal });
    stopAt([...plan.advice, ...questionsOf(plan, tally)]);
    if (about === 'users') stopAt(questionsOnUsers(plan, source, { tally, rows }));
  }

  return { plan, source, registry, load, stopAtQuestions };
}

/**
 * Checks the hash families of --algorithm and --algorithm-of, before the files are read.
 * @throws {CliError} if there is no such family
 */
function checkFamilies({ algorithm, algorithmOf }: Settings): void {
  const registry = parseOnlyRegistry();
  const named = (algorithmOf ?? '').split(',').map((pair) => pair.slice(pair.lastIndexOf('=') + 1).trim());
  const unknown = [algorithm ?? '', ...named].find(
    (name) => name !== '' && registry.named(name) === undefined,
  );
  if (unknown === undefined) return;
  const flag = unknown === algorithm ? 'algorithm' : 'algorithm-of';
  const near = nearestNames(
    registry.all.map((one) => one.algorithm),
    0.5,
  )(unknown).slice(0, 5);
  const hint = near.length === 0 ? '' : ` Near to it are ${near.join(', ')}.`;
  throw new CliError(
    `--${flag} ${unknown}: there is no such family of hashes.${hint} docs/hash-formats.md lists them.`,
  );
}

/**
 * Adds the rule `active=true` if the result of the query has a column `active`. Rules of --active about other columns
 * must hold as well; a rule about this column replaces it.
 */
function withActiveColumn(settings: Settings, surveys: readonly Survey[]): Settings {
  const names = surveys.flatMap(({ tables }) =>
    tables.flatMap(({ name, columns }) => (name === QUERY_TABLE ? [...columns] : [])),
  );
  const own = names.filter((name) => name.toLowerCase() === 'active').map((name) => `${name}=true`);
  if (own.length === 0) return settings;
  return { ...settings, active: withRules(own, settings.active?.split('\n') ?? []).join('\n') };
}

/**
 * Divides the tables into those that the query reads and the others. A word of the query with the name of a table is
 * enough, because the database has already accepted the query.
 */
function namedIn(query: string, tables: readonly TableHead[]): UnreadTables {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}_$]+/gu));
  const isNamed = (table: TableHead) => words.has(baseName(table).toLowerCase());
  return { users: tables.filter(isNamed), unread: tables.filter((table) => !isNamed(table)) };
}

async function openDatabase(argument: string, context: CommandContext): Promise<OpenDatabase> {
  const { flags, io, interruption, terminal } = context;
  // npm leaves the driver out with `--omit=optional`.
  const { openPostgres } = await import('../databases/open-postgres.ts').catch((error) => {
    if (!hasErrno(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new CliError('Reading a live database needs the npm package pg: npm install pg');
  });
  const database = await openPostgres(argument, {
    query: flags.text('query'),
    env: io.env,
    signal: interruption.signal,
    warn: (message) => terminal.warn(message),
  });
  context.atEnd.push(database.close);
  return database;
}

const namedProblem = (name: string) => (error: unknown) => {
  throw error instanceof FileProblem ? new CliError(`${name}: ${error.message}`) : error;
};

/**
 * Ends the command with all questions at once, if there are any.
 * @throws {CliError} if any of the advice has the level `stop`
 */
export function stopAt(advice: readonly Advice[]): void {
  const questions = advice.filter(({ level }) => level === 'stop').map(({ text }) => text);
  if (questions.length > 0) throw new CliError(questions.join('\n\n'), EXIT.someFailed);
}

/**
 * Rejects settings of --set that the source would ignore.
 * @param given settings from flags only; settings in the files themselves are not checked
 * @throws {CliError} if the source has no such setting
 */
export function checkSettings(source: Source, given: Settings): void {
  const { name, title } = source;
  if (source.isOwnFormat && given.idPrefix !== undefined)
    throw new CliError(
      `--set idPrefix: the ids in rejects are as they will be sent, with the prefix of the import that wrote them. Leave it out. To give all users of a system a prefix, roll back its import, and import its own files with --set ${shellWord(`idPrefix=${given.idPrefix}`)}.`,
    );
  if (source.isOwnFormat && given.keep !== undefined)
    throw new CliError('--keep: rejects have the metadata of the import that wrote them. Leave it out.');
  const settings = settingsOf(source);
  const unknown = Object.keys(given).find((key) => !SHARED_FLAGS.has(key) && !Object.hasOwn(settings, key));
  if (unknown === undefined) return;
  const flag = COLUMN_FLAGS.get(unknown);
  if (flag !== undefined)
    throw new CliError(
      `--${flag} is not for exports of ${title} (--from ${name}). To read these files by their columns: --from ${generic.name}.`,
    );
  const names = Object.keys(settings);
  throw new CliError(
    `--set ${unknown}: there is no such setting for exports of ${title} (--from ${name}).${didYouMean(names, unknown) || ' docs/imports.md lists those of each system.'}`,
  );
}

/** Shows advice in commands that do not call `inspectRows`. The others show it as part of the inspection. */
export function sayAdvice(terminal: Terminal, advice: readonly Advice[], hasNotes: boolean): void {
  for (const { level, text } of advice)
    if (level !== 'note') terminal.say(`Warning: ${printableLines(text)}`);
    else if (hasNotes) terminal.say(`Note: ${printableLines(text)}`);
}
