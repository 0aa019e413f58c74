import { createReadStream, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { parseOnlyRegistry } from '../../hashing/parse-only-registry.ts';
import { ParsedHash } from '../../hashing/verifier.ts';
import { LineSplitter, type RawLine } from '../../imports/input/line-splitter.ts';
import { isParsedUser, type ParsedUser } from '../../imports/input/parsed-user.ts';
import { readLine } from '../../imports/input/read-line.ts';
import type { LeftOut, Target, TargetUser, TargetWriter } from '../../targets/target.ts';
import { TARGETS } from '../../targets/targets.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { NewDirectory } from '../files/new-directory.ts';
import { WholeFile } from '../files/whole-file.ts';
import type { FlagName } from '../options/flags.ts';
import type { Flags } from '../options/read-arguments.ts';
import { checkNotProtected, protectedFiles } from '../protected-files.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { columns, count, counted } from '../terminal/text.ts';

/** Flags of `convert` that may be combined with --to. */
const FLAGS = new Set<FlagName>([
  'to',
  'out',
  'signer-key-file',
  'without-password',
  'report',
  'json',
  'quiet',
]);
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const STDIN = '-';

/** Converts import lines (of `convert` or `export`) to the files that another auth system imports. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const { name, target } = targetOf(flags);
  const stray = flags.names.find((flag) => !FLAGS.has(flag));
  if (stray !== undefined)
    throw new CliError(
      `--to reads lines as export and convert write them, and has no --${stray}. Convert other files first: user-import convert FILE… | user-import convert --to ${name} --out DIRECTORY -`,
    );
  if (words.length === 0) throw new CliError('Name the files, or - for standard input.');
  const out = flags.text('out');
  if (out === undefined) throw new CliError('Name a new directory for the files: --out DIRECTORY');
  const keepsWithoutPassword = readWithoutPassword(flags);
  const signerKey = readSignerKey(flags.text('signer-key-file'));
  const report = openReport(context);
  let directory: NewDirectory | undefined;
  const line = new ProgressLine(terminal, 'converting');
  try {
    directory = new NewDirectory(out);
    const into = directory;
    const writer = target.open({ create: (file) => into.create(file), signerKey });
    const conversion = new Conversion({ target, writer, keepsWithoutPassword, report });
    const deps = {
      registry: parseOnlyRegistry(signerKey === undefined ? undefined : Buffer.from(signerKey, 'base64')),
      now: Date.now,
      keepsFactors: true,
      maxLineBytes: MAX_LINE_BYTES,
    };
    for (const file of words) {
      const input = file === STDIN ? context.io.stdin : createReadStream(file);
      for await (const lines of linesOf(input, file)) {
        for (const raw of lines) conversion.add(file, raw, readLine(deps, raw));
        line.update(() => ({
          amount: conversion.users,
          say: (amount) => counted(amount, 'user'),
          share: undefined,
          verdicts: [],
        }));
      }
      conversion.endFile(file);
    }
    const steps = writer.end();
    directory.finish();
    report?.finish();
    line.clear();
    if (terminal.isJson)
      await terminal.result(
        `${JSON.stringify({ target: name, directory: out, files: directory.files, ...conversion.result() })}\n`,
      );
    else for (const text of conversion.summary(out, steps)) terminal.say(text);
    return conversion.errors > 0 ? EXIT.someFailed : EXIT.ok;
  } catch (error) {
    line.clear();
    directory?.discard();
    report?.discard();
    throw error;
  }
};

function targetOf(flags: Flags): { name: string; target: Target } {
  const name = flags.text('to') ?? '';
  const target = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined;
  if (target === undefined)
    throw new CliError(`--to: expected ${Object.keys(TARGETS).join(', ')}; got ${name}`);
  return { name, target };
}

function readWithoutPassword(flags: Flags): boolean {
  const choice = flags.text('without-password') ?? 'keep';
  if (choice !== 'keep' && choice !== 'skip')
    throw new CliError(`--without-password: expected keep or skip with --to; got ${choice}`);
  return choice === 'keep';
}

/** @throws {CliError} if the file has no signer key; the message does not show its content */
function readSignerKey(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CliError(
      `--signer-key-file: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(text))
    throw new CliError(
      `--signer-key-file: ${path} is not a signer key: expected base64_signer_key alone, in one line.`,
    );
  return text;
}

function openReport(context: CommandContext): WholeFile | undefined {
  const path = context.flags.text('report');
  if (path === undefined) return undefined;
  const kept = protectedFiles(context);
  const checkTarget = () =>
    checkNotProtected(path, { name: `--report ${path}`, kept, usesStdout: context.terminal.isJson });
  return new WholeFile(path, { tempDirectory: context.tempDirectory, checkTarget });
}

async function* linesOf(input: Readable, file: string): AsyncGenerator<readonly RawLine[]> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  try {
    for await (const bytes of input) for (const { lines } of splitter.push(bytes)) yield lines;
    for (const { lines } of splitter.end()) yield lines;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'ENOENT' ? 'there is no such file' : code;
    throw new CliError(`${file} cannot be read: ${why}.`, { cause: error });
  }
}

interface ConversionDeps {
  target: Target;
  writer: TargetWriter;
  keepsWithoutPassword: boolean;
  report: WholeFile | undefined;
}

class Conversion {
  users = 0;
  errors = 0;
  #written = 0;
  #withPassword = 0;
  #withoutHash = 0;
  #disabled = 0;
  #skipped = 0;
  #usersOfFile = 0;
  /** Number of users that the last line of the service's export states. */
  #stated: number | undefined;
  readonly #unverifiable = new Map<string, number>();
  readonly #leftOut = new Map<LeftOut, number>();
  readonly #deps: ConversionDeps;

  constructor(deps: ConversionDeps) {
    this.#deps = deps;
  }

  add(file: string, { line, text }: RawLine, parsed: ReturnType<typeof readLine>): void {
    if (parsed === undefined) {
      this.#stated ??= statedUsers(text);
      return;
    }
    this.users += 1;
    this.#usersOfFile += 1;
    const place = { file, row: line };
    if (!isParsedUser(parsed)) {
      this.errors += 1;
      this.#report({ ...place, result: 'error', reason: parsed.code, message: parsed.message });
      return;
    }
    this.#addUser(place, parsed);
  }

  /** @throws {CliError} if the file is an export with another number of users than its last line states */
  endFile(file: string): void {
    const stated = this.#stated;
    if (stated !== undefined && stated !== this.#usersOfFile)
      throw new CliError(
        `${file} is not complete: it has ${count(this.#usersOfFile)} users, and its last line states ${count(stated)}. Export again.`,
      );
    this.#stated = undefined;
    this.#usersOfFile = 0;
  }

  result() {
    return {
      users: this.users,
      written: this.#written,
      withPassword: this.#withPassword,
      skipped: this.#skipped + this.#disabled,
      errors: this.errors,
      withoutHash: this.#withoutHash,
      unverifiable: Object.fromEntries(this.#unverifiable),
      leftOut: Object.fromEntries(this.#leftOut),
    };
  }

  summary(out: string, steps: readonly string[]): string[] {
    const { title } = this.#deps.target;
    const { keepsWithoutPassword } = this.#deps;
    const skipped = this.#skipped + this.#disabled;
    const rows = (counts: ReadonlyMap<string, number>) =>
      columns([...counts].sort(([, a], [, b]) => b - a).map(([name, number]) => [count(number), name]));
    return [
      `${out}: ${counted(this.users, 'user')} = ${count(this.#written)} written + ${count(skipped)} skipped + ${count(this.errors)} errors`,
      ...(this.#unverifiable.size === 0
        ? []
        : [
            `Hashes that ${title} cannot verify. Their users were ${keepsWithoutPassword ? 'written without a password' : 'skipped'} (which: --report FILE):`,
            ...rows(this.#unverifiable),
          ]),
      ...(this.#disabled === 0
        ? []
        : [
            `Disabled users were skipped, because ${this.#deps.writer.refusesDisabled}: ${count(this.#disabled)}`,
          ]),
      ...(this.#leftOut.size === 0
        ? []
        : [`Data that ${title} has no place for, by users:`, ...rows(this.#leftOut)]),
      ...steps,
    ];
  }

  #addUser(place: { file: string; row: number }, parsed: ParsedUser): void {
    const { writer, target, keepsWithoutPassword } = this.#deps;
    const { user, hash, furtherPasswords } = targetUserOf(parsed);
    const who = { externalUserId: user.externalId, email: user.email };
    if (user.isDisabled && writer.refusesDisabled !== undefined) {
      this.#disabled += 1;
      this.#report({ ...place, result: 'skip', reason: 'DISABLED', ...who });
      return;
    }
    const isVerifiable = hash !== undefined && writer.verifies(hash);
    const hasPassword = isVerifiable || user.plainText !== undefined;
    const isSkipped = !keepsWithoutPassword && !hasPassword && user.identities.length === 0;
    if (hash !== undefined && !isVerifiable) {
      countIn(this.#unverifiable, hash.algorithm);
      this.#report({
        ...place,
        result: isSkipped ? 'skip' : 'import',
        reason: 'HASH_UNVERIFIABLE',
        ...who,
        message: `${target.title} cannot verify ${hash.algorithm}`,
      });
    } else if (isSkipped) {
      this.#report({ ...place, result: 'skip', reason: 'NO_LOGIN_METHOD', ...who });
    }
    if (isSkipped) {
      this.#skipped += 1;
      return;
    }
    const leftOut = new Set(writer.add({ ...user, hash: isVerifiable ? hash : undefined }));
    if (furtherPasswords > 0) leftOut.add('further password logins');
    if (isVerifiable && hash.secondReading !== undefined) leftOut.add('other readings of the password');
    for (const kind of leftOut) countIn(this.#leftOut, kind);
    this.#written += 1;
    if (hasPassword) this.#withPassword += 1;
    else if (hash === undefined) this.#withoutHash += 1;
  }

  #report(row: Record<string, unknown>): void {
    this.#deps.report?.write(`${JSON.stringify(row)}\n`);
  }
}

const countIn = <Name>(counts: Map<Name, number>, name: Name): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

function statedUsers(text = ''): number | undefined {
  const stated = /^\{"export":\{"users":(\d{1,15}),/.exec(text)?.[1];
  return stated === undefined ? undefined : Number(stated);
}

/** Reduces a user to what all target systems can store: one address and one password. */
function targetUserOf({ externalId, profile, factors, disabled, methods }: ParsedUser): {
  user: TargetUser;
  hash: ParsedHash | undefined;
  furtherPasswords: number;
} {
  const passwords = methods.flatMap((method) => (method.recipeId === 'emailpassword' ? method : []));
  const identities = methods.flatMap((method) =>
    method.recipeId === 'thirdparty'
      ? { provider: method.identity.id, userId: method.identity.userId, email: method.email }
      : [],
  );
  const [password, ...further] = passwords;
  const login = password ?? methods[0];
  const credential = password?.credential;
  const hash = credential !== undefined && 'hash' in credential ? credential.hash : undefined;
  return {
    user: {
      ...{ externalId, profile, factors, identities },
      email: login.email,
      isVerified: login.verified,
      isDisabled: disabled === true,
      timeJoinedMs: login.timeJoinedMs,
      hash: undefined,
      plainText: credential !== undefined && 'plainText' in credential ? credential.plainText : undefined,
    },
    hash: hash instanceof ParsedHash ? hash : undefined,
    furtherPasswords: further.length,
  };
}
