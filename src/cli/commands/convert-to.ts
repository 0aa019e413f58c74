import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseOnlyRegistry } from '../../hashing/registry.ts';
import type { RawLine } from '../../imports/input/line-splitter.ts';
import { isParsedUser, type ParsedUser } from '../../imports/input/parsed-user.ts';
import { readLine } from '../../imports/input/read-line.ts';
import { didYouMean } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import type { Target } from '../../targets/target.ts';
import { TARGETS, TargetWriter } from '../../targets/targets.ts';
import { CliError, EXIT, readTextFile } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { MAX_LINE_BYTES, readImportLines } from '../files/import-lines.ts';
import { openSourceFiles } from '../files/source-files.ts';
import { openOutput } from '../files/verdict-files.ts';
import { NewDirectory, type WholeFile } from '../files/whole-file.ts';
import { type FlagName, TARGET_FLAGS } from '../options/flags.ts';
import type { Flags } from '../options/read-arguments.ts';
import { VerdictCounts, verdictSum } from '../rows/verdict-counts.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { columns, count, counted, linesOf } from '../terminal/text.ts';
import { fileArgument } from '../terminal/wrap.ts';
import { SharedLogins } from './shared-logins.ts';

/** Flags of `convert` that may be combined with --to. */
const FLAGS = new Set<FlagName>([
  ...TARGET_FLAGS,
  ...(['without-password', 'shared-address', 'report', 'force', 'json', 'quiet'] as const),
]);

/** Converts import lines (of `convert` or `export`) to the files that another auth system imports. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const { name, target, ...options } = readOptions(flags);
  const { out, signerKey, firstSignIn, link } = options;
  const report = openOutput(context, 'report');
  const waiting = openOutput(context, 'waiting');
  const directory = new NewDirectory(out);
  context.atEnd.push(directory.discard);
  const line = new ProgressLine(terminal, 'converting', (users) => counted(users, 'user'));
  const shared = new SharedLogins(context.tempDirectory, flags.text('shared-address'));
  context.atEnd.push(() => shared.close());
  const files = await openSourceFiles(words, context);
  const deps = {
    registry: parseOnlyRegistry(signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64')),
    ...{ now: Date.now, keepsFactors: true, maxLineBytes: MAX_LINE_BYTES },
  };
  /** Yields all lines of the files, parsed. The first call finds shared addresses, and the second converts. */
  async function* users() {
    let number = 0;
    for (const file of files)
      for await (const lines of readImportLines(file, !flags.has('without-end')))
        for (const raw of lines) {
          number += 1;
          yield { file: file.name, raw, number, parsed: readLine(deps, raw) };
        }
  }
  let read = 0;
  for await (const { file, raw, number, parsed } of users()) {
    shared.add(file, raw, parsed);
    read = number;
    line.update(() => ({ amount: read, others: ['read'] }));
  }
  // Decides who gets each shared address. This needs all lines, because a later line may have the better claim.
  shared.settle();
  const create = (file: string) => directory.create(file);
  const writer = new TargetWriter(target, { create, signerKey, firstSignIn, link });
  const conversion = new Conversion({ ...options, target, writer, report, waiting });
  for await (const { file, raw, number, parsed } of users()) {
    const place = { file, row: raw.line };
    const problem = shared.problemOf(number);
    if (!isParsedUser(parsed)) {
      const { code: reason = 'FIELD_INVALID', message } = parsed ?? {};
      conversion.refuse({ ...place, result: 'error', reason, message });
    } else if (problem !== undefined) conversion.refuse({ ...place, ...problem, ...whoIs(parsed) });
    else conversion.add(place, raw, parsed);
    line.update(() => ({ amount: number, share: number / read }));
    if (number % ROWS_A_TURN === 0) await nextTurn();
  }
  // The next steps are run in the current directory, so file names in them get the path of --out.
  const inShell = (shell: string) =>
    directory.names.reduce((text, file) => text.replaceAll(file, shellWord(join(out, file))), shell);
  const steps = writer
    .end()
    .map((step) => (typeof step === 'string' ? step : { lead: '', parts: [inShell(step.shell)] }));
  conversion.endWaiting();
  directory.finish();
  report?.finish();
  waiting?.finish();
  const result = { target: name, directory: out, files: directory.names.length, ...conversion.result() };
  if (terminal.isJson) await terminal.result(`${JSON.stringify(result)}\n`);
  else for (const text of [...conversion.summary(), ...steps]) terminal.say(text);
  const path = flags.text('waiting');
  if (path !== undefined) terminal.next(['user-import', 'import', fileArgument(path)]);
  return conversion.isWhole ? EXIT.ok : EXIT.someFailed;
};

/** Number of rows between pauses in which Node handles signals such as Ctrl-C. */
const ROWS_A_TURN = 1000;

/** @throws {CliError} if the flags do not fit together */
function readOptions(flags: Flags) {
  const name = flags.text('to') ?? '';
  const names = Object.keys(TARGETS);
  const target = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
  if (target === undefined)
    throw new CliError(
      `--to: there is no ${name}.${didYouMean(names, name) || ` Expected ${names.join(', ')}.`}`,
    );
  const stray = flags.names.find((flag) => !FLAGS.has(flag));
  if (stray !== undefined)
    throw new CliError(
      `--to reads lines as export and convert write them, and has no --${stray}. Convert other files first: user-import convert FILE… | user-import convert --to ${name} --out DIRECTORY -`,
    );
  const out = flags.text('out');
  if (out === undefined) throw new CliError('Name a new directory for the files: --out DIRECTORY');
  const withoutPassword = flags.text('without-password') ?? 'keep';
  if (withoutPassword === 'legacy')
    throw new CliError(`--without-password: expected keep or skip with --to; got ${withoutPassword}`);
  const link = flags.text('federation-link');
  const signerKey = readSignerKey(flags.text('signer-key-file'));
  const firstSignIn = flags.text('first-sign-in');
  const asks = firstSignIn !== undefined;
  const { title, firstSignIn: form } = target;
  if (!asks && flags.has('waiting')) throw new CliError('--waiting needs --first-sign-in.');
  if (!asks && link !== undefined) throw new CliError('--federation-link needs --first-sign-in.');
  if (asks && form === undefined)
    throw new CliError(
      `--to ${name} has no --first-sign-in: ${title} does not ask this service about users who exist there. docs/password-hooks.md says who does.`,
    );
  if (asks && !flags.has('waiting'))
    throw new CliError('Name a file for the users who wait: --waiting FILE. Import it here afterwards.');
  if (asks && form?.needsLink && link === undefined)
    throw new CliError(`--to ${name} with --first-sign-in needs --federation-link ID.`);
  if (asks && !form?.needsLink && link !== undefined)
    throw new CliError(`--to ${name} has no --federation-link.`);
  const keepsWithoutPassword = withoutPassword === 'keep';
  return { name, target, out, keepsWithoutPassword, signerKey, firstSignIn, link };
}

/** @throws {CliError} if the file has no signer key; the message does not show its content */
function readSignerKey(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const text = readTextFile(path, `--signer-key-file: ${path}`).trim();
  if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(text)) return text;
  throw new CliError(
    `--signer-key-file: ${path} is not a signer key: expected base64_signer_key alone, in one line.`,
  );
}

interface ConversionDeps {
  target: Target;
  writer: TargetWriter;
  out: string;
  keepsWithoutPassword: boolean;
  report: WholeFile | undefined;
  waiting: WholeFile | undefined;
}

interface Place {
  file: string;
  row: number;
}

class Conversion {
  readonly #deps: ConversionDeps;
  readonly #verdicts = new VerdictCounts();
  /** Numbers of written users, by the way in which they will sign in. */
  readonly #ways = { withPassword: 0, waiting: 0, mustReset: 0, withProviderOnly: 0, withoutHash: 0 };
  readonly #waitingDigest = createHash('sha256');
  readonly #unverifiable = new Map<string, number>();
  readonly #leftOut = new Map<string, number>();

  constructor(deps: ConversionDeps) {
    this.#deps = deps;
  }

  /** Whether no user failed, and none must reset a password. */
  get isWhole(): boolean {
    return this.#verdicts.failed + this.#ways.mustReset === 0;
  }

  refuse(row: Place & { result: 'conflict' | 'error'; reason: string; message?: string | undefined }): void {
    this.#verdicts.add(row);
    this.#report(row);
  }

  add(place: Place, { text }: RawLine, parsed: ParsedUser): void {
    const { writer, target, keepsWithoutPassword } = this.#deps;
    const { user, lostPassword, leftOut } = writer.prepare(parsed);
    const hasLogin = user.password !== undefined || user.waits !== undefined || user.identities.length > 0;
    const result = keepsWithoutPassword || hasLogin ? 'import' : 'skip';
    const row = { ...place, result, ...whoIs(parsed) };
    if (lostPassword !== undefined) {
      countIn(this.#unverifiable, lostPassword);
      const message = `${target.title} cannot verify ${lostPassword}`;
      this.#report({ ...row, reason: 'HASH_UNVERIFIABLE', message });
    } else if (!hasLogin) this.#report({ ...row, reason: 'NO_LOGIN_METHOD' });
    this.#verdicts.add({ result });
    if (result === 'skip') return;
    writer.write(user);
    for (const kind of leftOut) countIn(this.#leftOut, kind);
    if (user.waits !== undefined) {
      this.#ways.waiting += 1;
      this.#waitingDigest.update(`${text}\n`);
      this.#deps.waiting?.write(`${text}\n`);
      return;
    }
    if (user.password !== undefined) this.#ways.withPassword += 1;
    else if (lostPassword !== undefined || !hasLogin) this.#ways.mustReset += 1;
    else this.#ways.withProviderOnly += 1;
    if (user.password === undefined && lostPassword === undefined) this.#ways.withoutHash += 1;
  }

  /**
   * Writes the last line of the file of waiting users. As in an export, it shows an import that the file is complete.
   */
  endWaiting(): void {
    const end = { users: this.#ways.waiting, sha256: this.#waitingDigest.digest('hex') };
    this.#deps.waiting?.write(`${JSON.stringify({ export: end })}\n`);
  }

  result() {
    const { rows: users, imported: written, skipped, conflicts, errors } = this.#verdicts.toJSON();
    const { withPassword, waiting, mustReset, withoutHash } = this.#ways;
    return {
      ...{ users, written, withPassword, ...(this.#deps.waiting && { waiting }), mustReset },
      ...{ skipped, conflicts, errors, withoutHash },
      reasons: Object.fromEntries(this.#verdicts.reasonsOf('conflict', 'error')),
      unverifiable: Object.fromEntries(this.#unverifiable),
      leftOut: Object.fromEntries(this.#leftOut),
    };
  }

  summary(): string[] {
    const { target, keepsWithoutPassword, out } = this.#deps;
    const verdicts = this.#verdicts;
    const { withPassword, waiting, mustReset, withProviderOnly } = this.#ways;
    const ways = linesOf(
      `${counted(withPassword, 'user')} keep${withPassword === 1 ? 's' : ''} their password`,
      this.#deps.waiting !== undefined && `${count(waiting)} wait for their first sign-in`,
      `${count(mustReset)} must reset it`,
      withProviderOnly > 0 && `${count(withProviderOnly)} sign in at a provider only`,
    );
    const rows = (heading: string, counts: Iterable<[name: string, users: number]>) => {
      const sorted = [...counts].sort(([, a], [, b]) => b - a);
      const cells = sorted.map(([name, number]) => [count(number), name]);
      return cells.length > 0 && [heading, ...columns(cells)];
    };
    return linesOf(
      `${ways.join(', ')}.`,
      `${out}: ${counted(verdicts.rows, 'user')} = ${verdictSum(verdicts, undefined, 'written')}`,
      rows('Conflicts and errors (which users: --report FILE):', verdicts.reasonsOf('conflict', 'error')),
      rows(
        `Passwords that ${target.title} cannot verify. Their users were ${keepsWithoutPassword ? 'written without a password' : 'skipped, or written without a password if they sign in at a provider'} (which: --report FILE):`,
        this.#unverifiable,
      ),
      rows(`Data that ${target.title} has no place for, by users:`, this.#leftOut),
    );
  }

  #report(row: object): void {
    this.#deps.report?.write(`${JSON.stringify(row)}\n`);
  }
}

function whoIs({ externalId, methods }: ParsedUser) {
  const login = methods.find(({ recipeId }) => recipeId === 'emailpassword') ?? methods[0];
  return { externalUserId: externalId, email: login.email };
}

const countIn = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};
