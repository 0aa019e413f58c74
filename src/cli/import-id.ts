import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { IMPORT_ID } from '../imports/import-request.ts';
import type { Plan } from '../sources/pipeline/plan.ts';
import { CliError } from './cli-error.ts';
import type { ImportOptions } from './options/import-options.ts';
import type { SourceOptions } from './options/source-options.ts';
import { printable } from './terminal/text.ts';

/** Version of the rules for import ids, which is part of their digest. Increase it when the rules change. */
const VERSION = 4;
const DIGITS = 20;
const DERIVED_DIGITS = new RegExp(`^[0-9a-f]{${DIGITS}}(?:[.-]|$)`);
/** Maximum length of an import id, as the service enforces it. */
const MAX_ID = 64;
/** Maximum length of the system's name in an import id. Digits and a suffix follow. */
const MAX_NAME = 24;
/** Maximum length of the name that the service shows, as it enforces it. */
const MAX_SHOWN = 256;

/**
 * Derives the import id from the files and all options, so that the same command resumes the same import. For a
 * database, the id ends with a digest of the snapshot; `command` is the id without it, which is the same for all
 * imports by the same command.
 */
export function importIdOf(
  plan: Plan,
  source: SourceOptions,
  options: ImportOptions,
): { command: string; importId: string } {
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
    // How many missing users may be removed is known only after a dry run, so only the presence of the flag counts.
    { ...options, deleteMissing: options.deleteMissing !== undefined },
  ]);
  const command = `${nameInId(plan.source.name)}-${digestOf(content).slice(0, DIGITS)}`;
  const moments = plan.surveys.flatMap(({ moment }) => moment ?? []);
  const importId = moments.length === 0 ? command : `${command}-${digestOf(moments.join()).slice(0, 8)}`;
  return { command, importId };
}

const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');

/** Returns the name under which the service shows the import: the system and its files, without their folders. */
export function importNameOf({ source, surveys }: Plan): string {
  const names = surveys.map(({ name, sizeBytes }) => (sizeBytes === undefined ? name : basename(name)));
  return printable(`${source.name}: ${names.join(', ')}`).slice(0, MAX_SHOWN);
}

const nameInId = (system: string) => system.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, MAX_NAME);

/** Returns whether `importIdOf` derived the import id from files of the system. The id may have a suffix. */
export function isIdOfSystem(importId: string, system: string): boolean {
  const name = `${nameInId(system)}-`;
  return importId.startsWith(name) && DERIVED_DIGITS.test(importId.slice(name.length));
}

/**
 * Returns a new import id with a time in it. A dry run needs a new id because it never resumes, `--new` because it
 * imports the same files again.
 */
export function freshId(importId: string, kind: 'dry' | 'new', nowMs: number = Date.now()): string {
  const suffix = `-${kind}${nowMs.toString(36)}`;
  // The id is cut before the suffix, because an --import-id may already have the maximum length.
  return importId.slice(0, MAX_ID - suffix.length) + suffix;
}

/** Returns the beginning of all ids that --new makes for the same files and options. */
export const newIdStart = (importId: string): string =>
  freshId(importId, 'new').replace(/(-new)[^-]*$/, '$1');

/** @throws {CliError} if the service would refuse the id */
export function checkImportId(id: string): string {
  if (IMPORT_ID.test(id) && id.length <= MAX_ID) return id;
  throw new CliError(`An import id has 1 to ${MAX_ID} of A-Z a-z 0-9 . _ -, and is not . or ..`);
}
