import { nearestNames } from '../../lib/text/nearest-names.ts';
import { settingsOf } from '../../sources/mapping/shared-settings.ts';
import type { Settings, Source } from '../../sources/source.ts';
import { generic } from '../../sources/systems/generic.ts';
import { CliError } from '../cli-error.ts';

/** Maximum edits, per letter of the longer name, between a mistyped setting and the suggested one. */
const NEAR = 0.5;
/** Flags that all sources have. */
const SHARED: ReadonlySet<string> = new Set([
  'table',
  'keep',
  'active',
  'ignore',
  'ignoreTable',
  'ignoreRest',
  'withoutTable',
  'mfa',
]);
const FLAGS = new Map([
  ...['map', 'hash', 'true'].map((name) => [name, name] as const),
  ['dateFormat', 'date-format'],
]);

/**
 * Rejects settings of --set that the source would ignore.
 * @param given settings from flags only; settings in the files themselves are not checked
 * @throws {CliError} if the source has no such setting
 */
export function checkSettings(source: Source, given: Settings): void {
  const { name, title } = source;
  if (source.isOwnFormat && given.idPrefix !== undefined)
    throw new CliError(
      `--set idPrefix: the ids in rejects are as they will be sent, with the prefix of the import that wrote them. Leave it out. To give all users of a system a prefix, roll back its import, and import its own files with --set idPrefix=${given.idPrefix}.`,
    );
  if (source.isOwnFormat && given.keep !== undefined)
    throw new CliError('--keep: rejects have the metadata of the import that wrote them. Leave it out.');
  const settings = settingsOf(source);
  const unknown = Object.keys(given).find((key) => !SHARED.has(key) && !Object.hasOwn(settings, key));
  if (unknown === undefined) return;
  if (FLAGS.has(unknown))
    throw new CliError(
      `--${FLAGS.get(unknown)} is not for exports of ${title} (--from ${name}). To read these files by their columns: --from ${generic.name}.`,
    );
  const names = Object.keys(settings);
  const [nearest] = nearestNames(names, NEAR)(unknown);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new CliError(
    `--set ${unknown}: there is no such setting for exports of ${title} (--from ${name}).${hint} There are: ${[...names, 'provider.NAME'].join(', ')}.`,
  );
}
