import { createHash } from 'node:crypto';
import { SOURCE } from '../../imports/import-request.ts';
import { CliError } from '../cli-error.ts';
import type { Flags } from './read-arguments.ts';

export interface MatchOptions {
  /** Undefined: rows match users by e-mail or provider identity. */
  matchBy: 'externalId' | undefined;
  /** Name of the system or installation that the rows come from. */
  source: string;
  trustExternalIds: boolean;
  deletesMissing: boolean;
  /** Maximum number of users to remove without asking the operator. */
  deleteAtMost: number | undefined;
}

/** Facts from which the default of --source is derived. */
export interface SourceFacts {
  /** Name of the system that the files come from. For an unknown system, the name of its table. */
  system: string;
  isKnownSystem: boolean;
  settings: Readonly<Record<string, string>>;
}

/** @throws {CliError} if the combination of flags is invalid */
export function readMatchOptions(flags: Flags, facts: SourceFacts): MatchOptions {
  const matchBy = flags.text('match') === 'external-id' ? 'externalId' : undefined;
  const deletesMissing = flags.has('delete-missing');
  const deleteAtMost = flags.number('delete-at-most');
  if (deletesMissing && matchBy === undefined)
    throw new CliError('--delete-missing needs --match external-id: missing users are found by their ids.');
  const trustExternalIds = flags.has('trust-external-ids');
  if (trustExternalIds && matchBy === undefined)
    throw new CliError('--trust-external-ids needs --match external-id.');
  if (deleteAtMost !== undefined && !deletesMissing)
    throw new CliError('--delete-at-most needs --delete-missing.');
  const onConflict = flags.text('on-conflict');
  if (deletesMissing && (onConflict === 'skip' || onConflict === 'fail'))
    throw new CliError(`--delete-missing and --on-conflict ${onConflict} exclude each other.`);
  const given = flags.text('source');
  if (given !== undefined && !SOURCE.test(given))
    throw new CliError('--source: expected 1 to 128 printable ASCII characters without spaces');
  if (given === undefined && matchBy !== undefined && !facts.isKnownSystem)
    throw new CliError(
      `These files are of no known system. Add --source NAME, so that only users of the same source are matched: the NAME of the earlier import, which user-import status ID shows (${sourceName(facts)}, if it was imported without --source).`,
    );
  const source = given ?? sourceName(facts);
  return { matchBy, source, trustExternalIds, deletesMissing, deleteAtMost };
}

/** Derives the default of --source from the system, and settings that distinguish its installations. */
function sourceName({ system, settings }: SourceFacts): string {
  const { realm, idPrefix } = settings;
  const name = [system, realm && `realm=${realm}`, idPrefix && `idPrefix=${idPrefix}`]
    .filter((part) => part !== undefined)
    .join(':');
  if (SOURCE.test(name)) return name;
  return `${system}:${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}
