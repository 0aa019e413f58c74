import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseOnlyRegistry } from '../../hashing/parse-only-registry.ts';
import type { RawLine } from '../../imports/input/line-splitter.ts';
import { isParsedUser, type ParsedUser, type ReadLine } from '../../imports/input/parsed-user.ts';
import { readLine } from '../../imports/input/read-line.ts';
import { didYouMean } from '../../lib/text/nearest-names.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import type { Target } from '../../targets/target.ts';
import { type FirstSignIn, TARGETS, TargetWriter } from '../../targets/targets.ts';
import { CliError, EXIT, readTextFile } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { MAX_LINE_BYTES, readImportLines } from '../files/import-lines.ts';
import { openSourceFiles } from '../files/source-files.ts';
import { openOutput } from '../files/verdict-files.ts';
import { NewDirectory, type WholeFile } from '../files/whole-file.ts';
import type { FlagName } from '../options/flags.ts';
import type { Flags } from '../options/read-arguments.ts';
import { SharedLogins } from '../rows/shared-logins.ts';
import { VerdictCounts, verdictSum } from '../rows/verdict-counts.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { columns, count, counted } from '../terminal/text.ts';
import { fileArgument, type OutputLine } from '../terminal/wrap.ts';

/** Flags of `convert` that may be combined with --to. */
const FLAGS = new Set<FlagName>([
  'to',
  'out',
  'signer-key-file',
  'without-end',
  'without-password',
  'shared-address',
  'first-sign-in',
  'waiting',
  'federation-link',
  'report',
  'force',
  'json',
  'quiet',
]);

/** Converts import lines (of `convert` or `export`) to the files that another auth system imports. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal, tempDirectory } = context;
  const { name, target } = targetOf(flags);
  const stray = flags.names.find((flag) => !FLAGS.has(flag));
  if (stray !== undefined)
    throw new CliError(
      `--to reads lines as export and convert write them, and has no --${stray}. Convert other files first: user-import convert FILE… | user-import convert --to ${name} --out DIRECTORY -`,
    );
  const out = flags.text('out');
  if (out === undefined) throw new CliError('Name a new directory for the files: --out DIRECTORY');
  const keepsWithoutPassword = readWithoutPassword(flags);
  const sharedAddress = flags.text('shared-address');
  const signerKey = readSignerKey(flags.text('signer-key-file'));
  const firstSignIn = readFirstSignIn(flags, name, target);
  const report = openOutput(context, 'report', terminal.isJson);
  const waiting = openOutput(context, 'waiting', terminal.isJson);
  const directory = new NewDirectory(out);
  context.atEnd.push(async () => directory.discard());
  const line = new ProgressLine(terminal, 'converting', (users) => counted(users, 'user'));
  const shared = new SharedLogins({ tempDirectory, sharedAddress });
  context.atEnd.push(async () => shared.close());
  const files = await openSourceFiles(words, {
    stdin: context.io.stdin,
    stdout: context.io.stdout,
    tempDirectory,
    atEnd: (close) => context.atEnd.push(async () => close()),
    onRead() {},
  });
  const deps = {
    registry: parseOnlyRegistry(signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64')),
    now: Date.now,
    keepsFactors: true,
    maxLineBytes: MAX_LINE_BYTES,
  };
  const parse = (raw: RawLine) => readLine(deps, raw);
  let read = 0;
  for (const file of files)
    for await (const lines of readImportLines(file, !flags.has('without-end'))) {
      shared.add(file.name, lines, lines.map(parse));
      read += lines.length;
      line.update(() => ({ amount: read, others: ['read'] }));
    }
  // Only now is it known to whom each address belongs.
  shared.settle();
  const writer = new TargetWriter(target, {
    create: (file) => directory.create(file),
    ...{ signerKey, firstSignIn, link: flags.text('federation-link') },
  });
  const conversion = new Conversion({ target, writer, keepsWithoutPassword, report, waiting });
  for (const held of shared.each()) {
    for (const { file, raw, problem } of held)
      conversion.add({ file, row: raw.line, text: raw.text }, parse(raw), problem);
    line.update(() => ({ amount: conversion.users, share: conversion.users / Math.max(1, read) }));
    await nextTurn();
  }
  // The commands are run where this one was.
  const inShell = (shell: string) =>
    directory.names.reduce((text, file) => text.replaceAll(file, shellWord(join(out, file))), shell);
  const steps = writer
    .end()
    .map((step) => (typeof step === 'string' ? step : { lead: '', parts: [inShell(step.shell)] }));
  conversion.endWaiting();
  directory.finish();
  report?.finish();
  waiting?.finish();
  if (terminal.isJson)
    await terminal.result(
      `${JSON.stringify({ target: name, directory: out, files: directory.names.length, ...conversion.result() })}\n`,
    );
  else for (const text of conversion.summary(out, steps)) terminal.say(text);
  const path = flags.text('waiting');
  if (path !== undefined) terminal.next(['user-import', 'import', fileArgument(path)]);
  return conversion.isWhole ? EXIT.ok : EXIT.someFailed;
};

function targetOf(flags: Flags): { name: string; target: Target } {
  const name = flags.text('to') ?? '';
  const target = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
  if (target === undefined)
    throw new CliError(
      `--to: there is no ${name}.${didYouMean(Object.keys(TARGETS), name) || ` Expected ${Object.keys(TARGETS).join(', ')}.`}`,
    );
  return { name, target };
}

/** @throws {CliError} if the flags do not fit together */
function readFirstSignIn(flags: Flags, name: string, target: Target): FirstSignIn | undefined {
  const mode = flags.text('first-sign-in') as FirstSignIn | undefined;
  const { firstSignIn } = target;
  const link = flags.text('federation-link');
  if (mode === undefined) {
    for (const flag of ['waiting', 'federation-link'] as const)
      if (flags.has(flag)) throw new CliError(`--${flag} needs --first-sign-in.`);
    return undefined;
  }
  if (firstSignIn === undefined)
    throw new CliError(`--to ${name} has no --first-sign-in: ${target.title} ${WITHOUT_FIRST_SIGN_IN}`);
  if (!flags.has('waiting'))
    throw new CliError('Name a file for the users who wait: --waiting FILE. Import it here afterwards.');
  if (firstSignIn.needsLink && link === undefined)
    throw new CliError(`--to ${name} with --first-sign-in needs --federation-link ID.`);
  if (!firstSignIn.needsLink && link !== undefined)
    throw new CliError(`--to ${name} has no --federation-link.`);
  return mode;
}

const WITHOUT_FIRST_SIGN_IN =
  'does not ask this service about users who exist there. docs/password-hooks.md says who does.';

function readWithoutPassword(flags: Flags): boolean {
  const choice = flags.text('without-password') ?? 'keep';
  if (choice !== 'keep' && choice !== 'skip')
    throw new CliError(`--without-password: expected keep or skip with --to; got ${choice}`);
  return choice === 'keep';
}

/** @throws {CliError} if the file has no signer key; the message does not show its content */
function readSignerKey(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const text = readTextFile(path, `--signer-key-file: ${path}`).trim();
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(text))
    throw new CliError(
      `--signer-key-file: ${path} is not a signer key: expected base64_signer_key alone, in one line.`,
    );
  return text;
}

interface ConversionDeps {
  target: Target;
  writer: TargetWriter;
  keepsWithoutPassword: boolean;
  report: WholeFile | undefined;
  waiting: WholeFile | undefined;
}

interface Line {
  file: string;
  row: number;
  text: string | undefined;
}

interface Failure {
  result: 'conflict' | 'error';
  reason: string;
  message: string | undefined;
}

/** Ways in which the users of the files get in. */
const WAYS = { withPassword: 0, waiting: 0, mustReset: 0, withProviderOnly: 0, withoutHash: 0 };

class Conversion {
  readonly #verdicts = new VerdictCounts();
  readonly #ways = { ...WAYS };
  readonly #waitingDigest = createHash('sha256');
  readonly #unverifiable = new Map<string, number>();
  readonly #leftOut = new Map<string, number>();
  readonly #deps: ConversionDeps;

  constructor(deps: ConversionDeps) {
    this.#deps = deps;
  }

  /** Everybody is in the files, and keeps a way to sign in. */
  get isWhole(): boolean {
    return this.#verdicts.failed + this.#ways.mustReset === 0;
  }

  get users(): number {
    return this.#verdicts.rows;
  }

  /** @param problem why the user must not be in the files, whatever else the line says */
  add({ text, ...place }: Line, parsed: ReadLine, problem: Failure | undefined): void {
    const user = isParsedUser(parsed) ? parsed : undefined;
    if (user !== undefined && problem === undefined) {
      this.#addUser({ ...place, text }, user);
      return;
    }
    const { code: reason = 'FIELD_INVALID', message } = isParsedUser(parsed) ? {} : (parsed ?? {});
    const failure = user === undefined ? { result: 'error' as const, reason, message } : problem;
    if (failure === undefined) return;
    this.#verdicts.add(failure);
    this.#report({ ...place, ...failure, ...(user && whoIs(user)) });
  }

  result() {
    const { rows: users, imported: written, skipped, conflicts, errors } = this.#verdicts.toJSON();
    const { withPassword, waiting, mustReset, withoutHash } = this.#ways;
    return {
      ...{ users, written, withPassword, ...(this.#deps.waiting && { waiting }), mustReset },
      ...{ skipped, conflicts, errors, reasons: Object.fromEntries(this.#reasons()), withoutHash },
      unverifiable: Object.fromEntries(this.#unverifiable),
      leftOut: Object.fromEntries(this.#leftOut),
    };
  }

  summary(out: string, steps: readonly OutputLine[]): OutputLine[] {
    const { target, keepsWithoutPassword } = this.#deps;
    const verdicts = this.#verdicts;
    const { withPassword, waiting, mustReset, withProviderOnly } = this.#ways;
    const ways = [
      `${counted(withPassword, 'user')} keep${withPassword === 1 ? 's' : ''} their password`,
      ...(this.#deps.waiting === undefined ? [] : [`${count(waiting)} wait for their first sign-in`]),
      `${count(mustReset)} must reset it`,
      ...(withProviderOnly === 0 ? [] : [`${count(withProviderOnly)} sign in at a provider only`]),
    ];
    const rows = (heading: string, counts: Iterable<[name: string, users: number]>) => {
      const sorted = [...counts].sort(([, a], [, b]) => b - a);
      return sorted.length === 0
        ? []
        : [heading, ...columns(sorted.map(([name, number]) => [count(number), name]))];
    };
    return [
      `${ways.join(', ')}.`,
      `${out}: ${counted(verdicts.rows, 'user')} = ${verdictSum(verdicts, undefined, 'written')}`,
      ...rows('Conflicts and errors (which users: --report FILE):', this.#reasons()),
      ...rows(
        `Passwords that ${target.title} cannot verify. Their users were ${keepsWithoutPassword ? 'written without a password' : 'skipped, or written without a password if they sign in at a provider'} (which: --report FILE):`,
        this.#unverifiable,
      ),
      ...rows(`Data that ${target.title} has no place for, by users:`, this.#leftOut),
      ...steps,
    ];
  }

  #reasons(): [reason: string, users: number][] {
    return (['conflict', 'error'] as const).flatMap((result) => this.#verdicts.reasonsOf(result));
  }

  /** Ends the file of users who wait as an export ends, so that an import knows that it is whole. */
  endWaiting(): void {
    const end = { users: this.#ways.waiting, sha256: this.#waitingDigest.digest('hex') };
    this.#deps.waiting?.write(`${JSON.stringify({ export: end })}\n`);
  }

  #addUser({ text, ...place }: Line, parsed: ParsedUser): void {
    const { writer, target, keepsWithoutPassword } = this.#deps;
    const { user, lostPassword, leftOut } = writer.prepare(parsed);
    const hasLogin = user.password !== undefined || user.waits !== undefined || user.identities.length > 0;
    const result = keepsWithoutPassword || hasLogin ? 'import' : 'skip';
    const row = { ...place, result, ...whoIs(parsed) };
    if (lostPassword !== undefined) {
      countIn(this.#unverifiable, lostPassword);
      const message = `${target.title} cannot verify ${lostPassword}`;
      this.#report({ ...row, reason: 'HASH_UNVERIFIABLE', message });
    } else if (!hasLogin) {
      this.#report({ ...row, reason: 'NO_LOGIN_METHOD' });
    }
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
