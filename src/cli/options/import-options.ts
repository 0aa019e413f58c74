import { createHash } from 'node:crypto';
import {
  changesUsers,
  DEFAULT_ON_CONFLICT,
  ON_CONFLICT,
  type OnConflict,
  SOURCE,
} from '../../imports/import-request.ts';
import { CliError } from '../cli-error.ts';
import type { Flags } from './read-arguments.ts';

/** Limit for --delete-missing in a dry run, which removes nobody: the maximum that the service accepts. */
const MAX_MISSING = 999_999_999_999_999;

/**
 * Options of an import, under the names of the service's query parameters. The service stores them with the import, so
 * they cannot change when it is resumed.
 */
export interface ImportOptions {
  onConflict: OnConflict;
  hashingSecretId: string | undefined;
  /** How rows find existing users. Undefined: by e-mail or provider identity. */
  matchBy: 'externalId' | undefined;
  /** Name of the system or installation that the rows come from. */
  source: string;
  /** With `matchBy`: whether the external id is enough to find a user, even if nothing else agrees. */
  trustExternalIds: boolean;
  /** Maximum number of earlier users to remove because the rows lack them. Undefined: none. */
  deleteMissing: number | undefined;
}

/** Facts from which the default of --source is derived. */
interface SourceFacts {
  /** Name of the system that the files come from. For an unknown system, the name of its table. */
  system: string;
  isKnownSystem: boolean;
  settings: Readonly<Record<string, string>>;
}

/** @throws {CliError} if the combination of flags is invalid */
export function readImportOptions(flags: Flags, facts: SourceFacts): ImportOptions {
  const policy = flags.text('on-conflict');
  const onConflict = ON_CONFLICT.find((name) => name === policy) ?? DEFAULT_ON_CONFLICT;
  const matchBy = flags.text('match') === 'external-id' ? ('externalId' as const) : undefined;
  const deletesMissing = flags.has('delete-missing');
  const trustExternalIds = flags.has('trust-external-ids');
  if (deletesMissing && matchBy === undefined)
    throw new CliError('--delete-missing needs --match external-id: missing users are found by their ids.');
  if (trustExternalIds && matchBy === undefined)
    throw new CliError('--trust-external-ids needs --match external-id.');
  if (flags.has('delete-at-most') && !deletesMissing)
    throw new CliError('--delete-at-most needs --delete-missing.');
  if (deletesMissing && !changesUsers(onConflict))
    throw new CliError(`--delete-missing and --on-conflict ${onConflict} exclude each other.`);
  const given = flags.text('source');
  if (given !== undefined && !SOURCE.test(given))
    throw new CliError('--source: expected 1 to 128 printable ASCII characters without spaces');
  const source = given ?? sourceName(facts);
  if (given === undefined && matchBy !== undefined && !facts.isKnownSystem)
    throw new CliError(
      `These files are of no known system. Add --source NAME, so that only users of the same source are matched: the NAME of the earlier import, which user-import status ID shows (${source}, if it was imported without --source).`,
    );
  return {
    ...{ onConflict, hashingSecretId: flags.text('hashing-secret-id'), matchBy, source, trustExternalIds },
    // A dry run only counts missing users, so the maximum number of removals is set after it.
    deleteMissing: deletesMissing ? MAX_MISSING : undefined,
  };
}

/** Returns whether the import disables users of earlier imports whom the old system has disabled since. */
export const disablesUsers = ({ matchBy, onConflict }: Pick<ImportOptions, 'matchBy' | 'onConflict'>) =>
  matchBy !== undefined && changesUsers(onConflict);

/** Derives the default of --source from the system, and settings that distinguish its installations. */
function sourceName({ system, settings: { realm, idPrefix } }: SourceFacts): string {
  const name = [system, realm && `realm=${realm}`, idPrefix && `idPrefix=${idPrefix}`]
    .filter((part) => part !== undefined)
    .join(':');
  if (SOURCE.test(name)) return name;
  return `${system}:${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}
