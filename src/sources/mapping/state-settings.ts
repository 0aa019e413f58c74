import { NO_STATE } from '../fields/own-state.ts';
import { STATE_MEANINGS, STATE_SETTING } from '../fields/read-state.ts';
import type { Source } from '../source.ts';

/** How the setting of a word is shown: `state.WORD`. */
export const STATE_OF_WORD = `${STATE_SETTING}WORD`;

/** Returns whether the setting says what a word means. All systems take these. */
export const isStateSetting = (name: string): boolean => name.startsWith(STATE_SETTING);

/** Returns what is wrong with `--set state.WORD=MEANING`; undefined for what is right, and for other settings. */
export function stateSettingProblem(name: string, value: string): string | undefined {
  if (!isStateSetting(name)) return undefined;
  if (name === STATE_SETTING) return `${STATE_OF_WORD}: the word is missing`;
  if (Object.hasOwn(STATE_MEANINGS, value)) return undefined;
  return `${name}: expected ${Object.keys(STATE_MEANINGS).join(', ')}; got ${value}`;
}

/** The settings that a source takes, with those of columns that apps add. */
export const settingsOf = ({ settings, forms }: Source): Readonly<Record<string, string>> => ({
  ...settings,
  ...(forms.some(({ ownStates }) => ownStates !== undefined) && NO_STATE),
});
