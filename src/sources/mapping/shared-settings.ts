import { ID_PREFIX, idPrefixProblem } from '../fields/id-prefix.ts';
import { KEEP_COLUMNS } from '../fields/keep-columns.ts';
import { NO_STATE } from '../fields/own-state.ts';
import { STATE_MEANINGS, STATE_SETTING } from '../fields/read-state.ts';
import type { Source } from '../source.ts';

/**
 * Name of the `--set` option for the meaning of a word in a column with users' states, as shown in messages:
 * `state.WORD`.
 */
export const STATE_OF_WORD = `${STATE_SETTING}WORD`;

/**
 * Returns whether a `--set` option gives the meaning of a word in a column with users' states. All sources
 * accept these options.
 */
export const isStateSetting = (name: string): boolean => name.startsWith(STATE_SETTING);

/**
 * Returns what is wrong with the value of a `--set` option that all sources share. Returns undefined if the
 * value is valid or if the option is not shared.
 */
export function settingProblem(name: string, value: string): string | undefined {
  if (Object.hasOwn(ID_PREFIX, name)) return idPrefixProblem(value);
  if (!isStateSetting(name)) return undefined;
  if (name === STATE_SETTING) return `${STATE_OF_WORD}: the word is missing`;
  if (Object.hasOwn(STATE_MEANINGS, value)) return undefined;
  return `${name}: expected ${Object.keys(STATE_MEANINGS).join(', ')}; got ${value}`;
}

/**
 * Returns the descriptions of all `--set` options of a source, including those that it shares with other
 * sources.
 */
export const settingsOf = ({ settings, forms, isOwnFormat }: Source): Readonly<Record<string, string>> => ({
  ...settings,
  ...(forms.some(({ ownStates }) => ownStates !== undefined) && NO_STATE),
  ...(!isOwnFormat && { ...ID_PREFIX, ...KEEP_COLUMNS }),
});
