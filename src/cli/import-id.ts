import { createHash } from 'node:crypto';
import { IMPORT_ID } from '../imports/import-request.ts';
import type { Plan } from '../sources/pipeline/plan.ts';
import { CliError } from './cli-error.ts';
import type { SourceOptions } from './options/source-options.ts';

/** Version of the rules for import ids. Increase it if the same files and options would get another id than before. */
const VERSION = 3;
const DIGITS = 20;
const DERIVED_DIGITS = new RegExp(`^[0-9a-f]{${DIGITS}}(?:[.-]|$)`);
/** Maximum length of an import id, as the service enforces it. */
const MAX_ID = 64;
/** Maximum length of the system's name in an import id. Digits and suffixes of parts follow. */
const MAX_NAME = 24;

/** Options that the service stores with an import and that cannot change when it is resumed. */
export interface ImportOptions {
  onConflict: string;
  hashingSecretId: string | undefined;
  /** Undefined: rows match users by e-mail or provider identity. */
  matchBy?: 'externalId' | undefined;
  source?: string;
  /** With `matchBy`: the id of a row alone shows that it is about a user. */
  trustExternalIds?: boolean;
  /** Maximum number of missing users that the import may remove. Undefined to remove nobody. */
  deleteMissing?: number | undefined;
}

/** Derives the import id from the files and all options, so that the same command resumes the same import. */
export function importIdOf(plan: Plan, source: SourceOptions, options: ImportOptions): string {
  const pairs = (record: Readonly<Record<string, string>>) => Object.entries(record).sort();
  const { disabled, withoutPassword, mfa, sharedAddress, verifiedByDefault, providers } = source;
  const content = JSON.stringify([
    VERSION,
    plan.surveys.map(({ digest }) => digest),
    plan.source.name,
    plan.forms.map(({ name }) => name),
    pairs(plan.settings),
    Object.entries(source.options).sort(),
    pairs(providers),
    { disabled, withoutPassword, mfa, sharedAddress, verifiedByDefault },
    // How many missing users may be removed is known only after a dry run.
    { ...options, deleteMissing: options.deleteMissing !== undefined },
  ]);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, DIGITS);
  return `${nameInId(plan.source.name)}-${digest}`;
}

const nameInId = (system: string) => system.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, MAX_NAME);

/** Returns whether `importIdOf` derived the import id from files of the system. The id may have a suffix. */
export function isIdOfSystem(importId: string, system: string): boolean {
  const name = `${nameInId(system)}-`;
  return importId.startsWith(name) && DERIVED_DIGITS.test(importId.slice(name.length));
}

/** A dry run needs an id of its own because it starts over, `--new` because it imports the files again. */
export function freshId(importId: string, kind: 'dry' | 'new', nowMs: number = Date.now()): string {
  const suffix = `-${kind}${nowMs.toString(36)}`;
  // The id is cut before the suffix, because an --import-id may already have the maximum length.
  return importId.slice(0, MAX_ID - PART_SUFFIX_CHARACTERS - suffix.length) + suffix;
}

/** @throws {CliError} if the service would refuse the id, or the ids of its parts */
export function checkImportId(id: string, parallel = 1): string {
  const most = parallel === 1 ? MAX_ID : MAX_ID - PART_SUFFIX_CHARACTERS;
  if (IMPORT_ID.test(id) && id.length <= most) return id;
  throw new CliError(
    `An import id has 1 to ${most} of A-Z a-z 0-9 . _ -, and is not . or ..${parallel === 1 ? '' : ' (the parts of --parallel add to it)'}`,
  );
}

/** Returns the import id that is the only argument of a command. */
export function readImportId([id, more]: readonly string[], command: string): string {
  if (id !== undefined && more === undefined) return checkImportId(id);
  throw new CliError(`Name one import: user-import ${command} ID. user-import status lists them.`);
}

/**
 * Number of consecutive rows that go to the same part of an import (--parallel). Must not change: parts are
 * resumed by line number, and recorded failures have line numbers.
 */
const BLOCK = 100;

/** Length of the longest suffix of a part's import id, `.64of64`. */
const PART_SUFFIX_CHARACTERS = 7;

/**
 * Returns the import ids that the service sees. With --parallel 3 they are `ID.1of3` to `ID.3of3`, and
 * `ID.0of3` for rows that refer to the same user as an earlier row. Everywhere else, parts are numbered from
 * 0, and the part of duplicate rows is the last.
 */
export function partIdsOf(importId: string, parallel: number): string[] {
  if (parallel === 1) return [importId];
  const numbers = Array.from({ length: parallel }, (_, index) => index + 1);
  return [...numbers, 0].map((number) => `${importId}.${number}of${parallel}`);
}

interface PartName {
  importId: string;
  part: number;
  parallel: number;
}

/** Parses the import id of a part, such as `ID.1of3`. */
export function readPartId(id: string): PartName | undefined {
  const [, importId, number, of] = /^(.+)\.(0|[1-9]\d?)of([1-9]\d?)$/.exec(id) ?? [];
  const parallel = Number(of);
  if (importId === undefined || Number(number) > parallel || parallel < 2 || !IMPORT_ID.test(importId))
    return undefined;
  return { importId, part: number === '0' ? parallel : Number(number) - 1, parallel };
}

/** Returns the part of a row (numbered from 1), unless the row shares a user with an earlier row. */
export function partOf(row: number, parallel: number): number {
  return Math.floor((row - 1) / BLOCK) % parallel;
}

/** Returns the row of a part's line. The last part has a line for every row, blank unless a duplicate. */
export function rowOf(line: number, part: number, parallel: number): number {
  if (parallel === 1 || part === parallel) return line;
  const block = Math.floor((line - 1) / BLOCK) * parallel + part;
  return block * BLOCK + ((line - 1) % BLOCK) + 1;
}
