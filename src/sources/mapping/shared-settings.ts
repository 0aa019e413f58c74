import { ID_PREFIX, idPrefixProblem } from '../fields/id-prefix.ts';
import { NO_STATE } from '../fields/own-state.ts';
import { STATE_MEANINGS, STATE_SETTING } from '../fields/read-state.ts';
import type { Source } from '../source.ts';

/** Name of the option in messages. */
export const STATE_OF_WORD = `${STATE_SETTING}WORD`;

/** Whether a `--set` option gives the meaning of a state. All sources accept these options. */
export const isStateSetting = (name: string): boolean => name.startsWith(STATE_SETTING);

/** What is wrong with the value of a shared option. Undefined if it is valid or not shared. */
export function settingProblem(name: string, value: string): string | undefined {
  if (Object.hasOwn(ID_PREFIX, name)) return idPrefixProblem(value);
  if (!isStateSetting(name)) return undefined;
  if (name === STATE_SETTING) return `${STATE_OF_WORD}: the word is missing`;
  if (Object.hasOwn(STATE_MEANINGS, value)) return undefined;
  return `${name}: expected ${Object.keys(STATE_MEANINGS).join(', ')}; got ${value}`;
}

/** Descriptions of all options of a source, including those that it shares with other sources. */
export const settingsOf = ({ settings, forms, isOwnFormat }: Source): Readonly<Record<string, string>> => ({
  ...settings,
  ...(forms.some(({ ownStates }) => ownStates !== undefined) && NO_STATE),
  ...(!isOwnFormat && ID_PREFIX),
});
