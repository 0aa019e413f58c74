import { createHash } from 'node:crypto';
import { IMPORT_ID } from '../imports/import-request.ts';
import type { Plan } from '../sources/pipeline/plan.ts';
import type { SourceOptions } from './options/source-options.ts';
import { PART_SUFFIX_CHARACTERS } from './parts.ts';
import { Stopped } from './stopped.ts';

/** Changes when the same files and options would give other ids than before. */
const VERSION = 1;
const DIGITS = 20;
/** Of an import id of the service, in characters. */
const MAX_ID = 64;
/** Room for the digits, and what is added, within the 64 characters of an import id. */
const MAX_NAME = 24;

/** The options of the service that an import keeps for ever. */
export interface ImportOptions {
  onConflict: string;
  hashingSecretId: string | undefined;
}

/** Names an import by what it imports: the same files with the same options are the same import, and go on where it broke off. */
export function importIdOf(plan: Plan, source: SourceOptions, options: ImportOptions): string {
  const pairs = (record: Readonly<Record<string, string>>) => Object.entries(record).sort();
  const content = JSON.stringify([
    VERSION,
    plan.surveys.map(({ digest }) => digest),
    plan.source.name,
    plan.forms.map(({ name }) => name),
    pairs(plan.settings),
    Object.entries(source.options).sort(),
    pairs(source.providers),
    source.includeDisabled,
    source.verifiedByDefault,
    options.onConflict,
    options.hashingSecretId ?? null,
  ]);
  const digest = createHash('sha256').update(content).digest('hex').slice(0, DIGITS);
  return `${plan.source.name.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, MAX_NAME)}-${digest}`;
}

/** An id that no other run has: of a dry run, which is done anew each time, or of an import that is to be. */
export function freshId(importId: string, kind: 'dry' | 'new', nowMs: number = Date.now()): string {
  const suffix = `-${kind}${nowMs.toString(36)}`;
  // One that was given may be as long as they get.
  return importId.slice(0, MAX_ID - PART_SUFFIX_CHARACTERS - suffix.length) + suffix;
}

/** @param parallel in how many parts it is sent. @throws {Stopped} for what cannot be one */
export function checkImportId(id: string, parallel = 1): string {
  const most = parallel === 1 ? MAX_ID : MAX_ID - PART_SUFFIX_CHARACTERS;
  if (IMPORT_ID.test(id) && id.length <= most) return id;
  throw new Stopped(
    `An import id has 1 to ${most} of A-Z a-z 0-9 . _ -, and is not . or ..${parallel === 1 ? '' : ' (the parts of --parallel add to it)'}`,
  );
}
