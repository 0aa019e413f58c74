import { NO_STATE } from '../fields/own-state.ts';
import { STATE_MEANINGS, STATE_SETTING } from '../fields/read-state.ts';
import type { Source } from '../source.ts';

/** Placeholder for the setting of a word in messages: `state.WORD`. */
export const STATE_OF_WORD = `${STATE_SETTING}WORD`;

/** Returns whether the setting gives the meaning of a word. All sources accept such settings. */
export const isStateSetting = (name: string): boolean => name.startsWith(STATE_SETTING);

/** Returns what is wrong with `--set state.WORD=MEANING`, or undefined if it is valid or another setting. */
export function stateSettingProblem(name: string, value: string): string | undefined {
  if (!isStateSetting(name)) return undefined;
  if (name === STATE_SETTING) return `${STATE_OF_WORD}: the word is missing`;
  if (Object.hasOwn(STATE_MEANINGS, value)) return undefined;
  return `${name}: expected ${Object.keys(STATE_MEANINGS).join(', ')}; got ${value}`;
}

/** Returns the settings of a source, including `noState` if apps can add columns. */
export const settingsOf = ({ settings, forms }: Source): Readonly<Record<string, string>> => ({
  ...settings,
  ...(forms.some(({ ownStates }) => ownStates !== undefined) && NO_STATE),
});
