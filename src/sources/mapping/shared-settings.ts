import { ID_PREFIX, idPrefixProblem } from '../fields/id-prefix.ts';
import type { Source } from '../source.ts';

/** What is wrong with the value of an option that all sources share. Undefined if it is valid or not shared. */
export const settingProblem = (name: string, value: string): string | undefined =>
  Object.hasOwn(ID_PREFIX, name) ? idPrefixProblem(value) : undefined;

/** Descriptions of all options of a source, including those that it shares with other sources. */
export const settingsOf = ({ settings, isOwnFormat }: Source): Readonly<Record<string, string>> => ({
  ...settings,
  ...(!isOwnFormat && ID_PREFIX),
});
