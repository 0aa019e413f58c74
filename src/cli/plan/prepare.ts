import type { HashRegistry } from '../../hashing/registry.ts';
import { FileProblem } from '../../sources/containers/table.ts';
import type { ConvertDeps, UserIndex } from '../../sources/pipeline/convert.ts';
import { adviceOnCount } from '../../sources/pipeline/expected-users.ts';
import { newTally, type Tally } from '../../sources/pipeline/judge.ts';
import type { Plan, Survey } from '../../sources/pipeline/plan.ts';
import { questionsOf } from '../../sources/pipeline/questions.ts';
import { adviceOnRealms } from '../../sources/pipeline/realms.ts';
import { adviceOnSecondFactors } from '../../sources/pipeline/second-factor-advice.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { Advice } from '../../sources/source.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { databaseKind } from '../databases/database.ts';
import { openDatabase } from '../databases/open-database.ts';
import { openSourceFiles } from '../files/source-files.ts';
import { readSourceOptions, type SourceOptions } from '../options/source-options.ts';
import { checkStandardStreams, protectedFiles } from '../protected-files.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { bytesText } from '../terminal/text.ts';
import { checkSettings } from './check-settings.ts';

export type QuestionsAbout = 'realms' | 'states' | 'users';

/** The operator's files after a first pass, in which the exporting system was recognised. */
export interface Prepared {
  plan: Plan;
  source: SourceOptions;
  registry: HashRegistry;
  convert(nowMs: number, tally: Tally, signal?: AbortSignal): AsyncGenerator<readonly Verdict[]>;
  /**
   * Reads all users, once for all calls.
   * @throws {CliError} if there are users of several realms and none is chosen, if no user belongs to the chosen
   * realm; about `states` also at the other questions of `questionsOf`; about `users` also if users have second
   * factors and `--mfa` is missing, or if the number of users differs from the number that the files state, or from
   * `--expect-users`
   */
  stopAtQuestions(about: QuestionsAbout, signal?: AbortSignal): Promise<void>;
  /** Share of the files that the latest conversion has read, from 0 to 1. Undefined if it cannot be known. */
  readShare(): number | undefined;
}

/**
 * Reads all files once and determines their system.
 * @throws {CliError} if the files cannot be read or recognised
 */
export async function prepare(
  context: CommandContext,
  overrides: Partial<SourceOptions> = {},
): Promise<Prepared> {
  const { terminal, io, flags, words, tempDirectory } = context;
  const source = { ...readSourceOptions(flags), ...overrides };
  if (words.length === 0)
    throw new CliError('Name the files. Files that belong together must be named in one call.');
  checkStandardStreams(protectedFiles(context));
  const pipeline = await context.loadPipeline();

  let readBytes = 0;
  let onRead = () => {};
  const names = words.filter((word) => databaseKind(word) === undefined);
  const opened = await openSourceFiles(names, {
    stdin: io.stdin,
    tempDirectory,
    atEnd: (close) => context.atEnd.push(async () => close()),
    onRead(bytes) {
      readBytes += bytes;
      onRead();
    },
  });
  const files = new Map(names.map((name, index) => [name, opened[index]]));
  // A database has no known size. The total is then NaN, and no share is shown.
  const isFilesOnly = names.length === words.length;
  const totalBytes = opened.reduce(
    (sum, { sizeBytes = Number.NaN }) => sum + sizeBytes,
    isFilesOnly ? 0 : Number.NaN,
  );
  const shareFrom = (start: number) => {
    const share = (readBytes - start) / totalBytes;
    // The bytes of a file that is read twice count twice, so the share may exceed 1.
    return share > 0 && share <= 1 ? share : undefined;
  };

  const line = new ProgressLine(terminal, 'reading');
  onRead = () =>
    line.update(() => ({ amount: readBytes, say: bytesText, share: shareFrom(0), verdicts: [] }));
  const surveys: Survey[] = [];
  for (const word of words) {
    const file = files.get(word);
    surveys.push(
      file === undefined
        ? await surveyDatabase(word, context)
        : await pipeline.surveyFile(file, source.options).catch(namedProblem(file.name)),
    );
  }
  onRead = () => {};
  line.clear();

  const chosen = pipeline.choosePlan(surveys, {
    from: source.from,
    settings: source.settings,
    hasSecret: source.hashingSecretId !== undefined,
  });
  if ('noPlan' in chosen) throw new CliError(chosen.noPlan);
  const plan: Plan = chosen;
  checkSettings(plan.source, source.settings);
  // Loaded late, because the verifiers load native libraries.
  const { parseOnlyRegistry } = await import('../../hashing/parse-only-registry.ts');
  const { signerKey } = plan.settings;
  const registry = parseOnlyRegistry(signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64'));
  let conversionStart = 0;
  const depsOf = (tally: Tally, signal: AbortSignal | undefined, nowMs = Date.now()): ConvertDeps => {
    const { disabled, withoutPassword, mfa, sharedAddress } = source;
    const { verifiedByDefault, hashingSecretId, providers } = source;
    return {
      registry,
      nowMs,
      disabled,
      withoutPassword,
      mfa,
      sharedAddress,
      verifiedByDefault,
      hashingSecretId,
      providers,
      tally,
      tempDirectory,
      signal,
    };
  };
  let indexing: Promise<UserIndex> | undefined;
  const index = (signal: AbortSignal | undefined) => {
    indexing ??= pipeline.indexUsers(plan, depsOf(newTally(), signal)).then((found) => {
      context.atEnd.push(async () => found.close());
      return found;
    });
    return indexing;
  };
  const convert: Prepared['convert'] = async function* (nowMs, tally, signal) {
    const found = await index(signal);
    conversionStart = readBytes;
    yield* pipeline.convert(plan, depsOf(tally, signal, nowMs), found);
  };

  async function stopAtQuestions(about: QuestionsAbout, signal?: AbortSignal): Promise<void> {
    const { rows, withSecondFactor, ...found } = await index(signal);
    if (about === 'realms') return stopAt(adviceOnRealms(plan, found.tally.realms));
    for (const question of questionsOf(plan, found.tally)) stopAt(question);
    if (about === 'states') return;
    let { tally } = found;
    // Only a conversion can tell how many of the imported users have a second factor.
    if (source.mfa === undefined && withSecondFactor > 0) {
      tally = newTally();
      for await (const _ of convert(Date.now(), tally, signal));
    }
    for (const advice of questionsOnUsers(plan, source, { tally, rows, level: 'stop' })) stopAt(advice);
  }

  return {
    plan,
    source,
    registry,
    convert,
    stopAtQuestions,
    readShare: () => shareFrom(conversionStart),
  };
}

/** @param level `stop` ends the command, `warn` only shows the advice */
export function questionsOnUsers(
  plan: Plan,
  { mfa, expectUsers }: Pick<SourceOptions, 'mfa' | 'expectUsers'>,
  { tally, rows, level }: { tally: Tally; rows: number; level: 'stop' | 'warn' },
): Advice[] {
  const count = adviceOnCount(plan, { tally, rows, expected: expectUsers });
  return [count && { ...count, level }, adviceOnSecondFactors(tally, mfa, level)].filter(
    (one) => one !== undefined,
  );
}

async function surveyDatabase(argument: string, context: CommandContext): Promise<Survey> {
  const { flags, io, interruption, terminal } = context;
  const database = await openDatabase(argument, {
    query: flags.text('query'),
    env: io.env,
    signal: interruption.signal,
    warn: (message) => terminal.warn(message),
  });
  if (database === undefined) throw new Error('an argument is neither a file nor a database');
  context.atEnd.push(() => database.close());
  return database.survey;
}

const namedProblem = (name: string) => (error: unknown) => {
  throw error instanceof FileProblem ? new CliError(`${name}: ${error.message}`) : error;
};

/** @throws {CliError} if the advice has the level `stop` */
export function stopAt(advice: Advice | undefined): void {
  if (advice?.level === 'stop') throw new CliError(advice.text, { exitCode: EXIT.someFailed });
}

/** @throws {CliError} if the plan has advice of the level `stop` */
export function stopWhereAdvised({ advice }: Plan): void {
  const reasons = advice.filter(({ level }) => level === 'stop');
  if (reasons.length > 0) throw new CliError(reasons.map(({ text }) => text).join('\n'));
}
