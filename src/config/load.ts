import { Value } from '@sinclair/typebox/value';
import { parse } from 'yaml';
import { nearestNames } from '../lib/text/nearest-names.ts';
import { readApiKeys } from './api-keys.ts';
import { readHashingSecrets } from './read-hashing-secrets.ts';
import {
  type Config,
  ConfigSchema,
  expectation,
  REPLACED_SETTINGS,
  SETTINGS,
  type Setting,
  type SettingName,
} from './schema.ts';
import { openFile, weakSecrets } from './secret-warnings.ts';
import { idleSettings, type Machine, machineDefaults, settingsInConflict } from './settings-in-conflict.ts';

export interface ConfigSources {
  env: Readonly<Record<string, string | undefined>>;
  /** The configuration file: its text, and its name in messages. */
  file?: { name: string; text: string };
  /** Reads the file of a secret setting, which a `<NAME>_FILE` variable names. */
  readSecret(path: string): string;
  /** Whether every user of the machine can read a file. */
  isOpenToAll(path: string): boolean;
  machine: Machine;
}

/** The configuration with warnings for the log, or its problems. Neither has values of settings. */
export type ConfigResult =
  | { ok: true; config: Config; warnings: string[] }
  | { ok: false; problems: string[] };

/**
 * Merges environment, file and defaults, in this order of precedence. Problems never contain the value of a setting.
 */
export function loadConfig(given: ConfigSources): ConfigResult {
  const problems: string[] = [];
  const secretFiles: string[] = [];
  const readSecret: ConfigSources['readSecret'] = (path) => {
    const secret = given.readSecret(path);
    secretFiles.push(path);
    return secret;
  };
  const sources = { ...given, readSecret };
  const inFile = fromFile(sources.file, problems);
  if (given.file && SETTINGS.some(([name, { secret }]) => secret && holdsSecret(inFile[name])))
    secretFiles.push(given.file.name);
  const values = { ...machineDefaults(sources.machine), ...inFile };
  Object.assign(values, fromEnvironment(sources, problems));
  if (Array.isArray(values.api_keys)) {
    values.api_keys = readApiKeys(values.api_keys, sources.readSecret, problems);
  }
  if (Array.isArray(values.hashing_secrets)) {
    values.hashing_secrets = readHashingSecrets(values.hashing_secrets, sources.readSecret, problems);
  }

  for (const [name, setting] of SETTINGS) {
    if (values[name] === undefined && setting.default !== undefined) values[name] = setting.default;
    const problem = values[name] === undefined ? undefined : settingProblem(name, values[name]);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length === 0 && Value.Check(ConfigSchema, values)) {
    problems.push(...settingsInConflict(values, sources.machine));
    if (problems.length === 0) {
      const open = [...new Set(secretFiles)].filter(given.isOpenToAll);
      return {
        ok: true,
        config: Object.freeze(values),
        warnings: [...idleSettings(values), ...weakSecrets(values), ...open.map(openFile)],
      };
    }
  }
  return { ok: false, problems };
}

/** Returns whether a secret setting holds a secret, not only names of files or digests. */
const holdsSecret = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some((entry) => SECRET_MEMBERS.some((name) => entry?.[name] !== undefined))
    : value !== undefined;

const SECRET_MEMBERS = ['key', 'secret', 'secret_base64'];

/** Returns a sentence about the problem of a setting, without its value, or undefined if the value is valid. */
export function settingProblem(name: SettingName, value: unknown): string | undefined {
  const setting = ConfigSchema.properties[name] as Setting;
  return Value.Check(setting, value) ? undefined : `${name}: must be ${expectation(setting)}`;
}

type Values = Partial<Record<SettingName, unknown>>;

const NAMES = new Map<string, SettingName>(
  SETTINGS.flatMap(([name, { alias }]) => [
    [name, name] as const,
    ...(alias ? [[alias, name] as const] : []),
  ]),
);

function fromFile(file: ConfigSources['file'], problems: string[]): Values {
  if (file === undefined) return {};
  const document = parseYaml(file.name, file.text, problems) ?? {};
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    problems.push(`${file.name}: must be a mapping of settings to values`);
    return {};
  }
  const values: Values = {};
  for (const [key, value] of Object.entries(document)) {
    const name = NAMES.get(key);
    if (Object.hasOwn(REPLACED_SETTINGS, key)) problems.push(replaced(key));
    else if (name === undefined)
      problems.push(`${key}: is not a setting; did you mean ${nearestNames([...NAMES.keys()])(key)[0]}?`);
    else if (values[name] !== undefined) problems.push(`${name}: is given twice, also as ${key}`);
    else if (value !== null) values[name] = value;
  }
  return values;
}

/** Returns a sentence about a setting of an earlier version. */
function replaced(name: string): string {
  const by = REPLACED_SETTINGS[name.toLowerCase()];
  return `${name}: is no longer a setting; ${by} bounds every hash, whatever its family: remove ${name}, and set ${by} if the default is not right`;
}

function parseYaml(name: string, text: string, problems: string[]): unknown {
  try {
    // Warnings of the YAML parser quote the text, which may contain keys.
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    // The message of the YAML parser quotes the text, which may contain keys, so only the position is shown.
    const position = (error as { linePos?: [{ line: number; col: number }] }).linePos?.[0];
    problems.push(
      `${name}: is not valid YAML${position ? ` (line ${position.line}, column ${position.col})` : ''}`,
    );
    return undefined;
  }
}

function fromEnvironment(sources: ConfigSources, problems: string[]): Values {
  const values: Values = {};
  for (const name of Object.keys(REPLACED_SETTINGS)) {
    if (sources.env[name.toUpperCase()]) problems.push(replaced(name.toUpperCase()));
  }
  for (const [name, setting] of SETTINGS) {
    const given = [name, ...(setting.alias ? [setting.alias] : [])].flatMap((key) =>
      readVariable(key.toUpperCase(), setting, sources, problems),
    );
    if (given.length > 1) problems.push(`${name}: is given by several environment variables; set one`);
    const [value] = given;
    if (value === undefined) continue;
    values[name] = isList(value, setting) ? parseYaml(name, value, problems) : typed(value, setting);
  }
  return values;
}

/**
 * Returns the values of a setting's variable and of its `…_FILE` variable, if they are set. An empty variable counts as
 * unset, because compose files and unit files pass empty ones.
 */
function readVariable(
  variable: string,
  setting: Setting,
  sources: ConfigSources,
  problems: string[],
): string[] {
  const found: string[] = [];
  const direct = sources.env[variable];
  if (direct) found.push(direct);
  const path = setting.secret ? sources.env[`${variable}_FILE`] : undefined;
  if (path) {
    try {
      const text = sources.readSecret(path);
      // White space before the first line of a YAML list is significant.
      found.push(isList(text, setting) ? text : text.trim());
    } catch (error) {
      problems.push(
        `${variable}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      );
    }
  }
  return found;
}

/** Returns whether the text of a setting, from a variable or a secret file, is a list in YAML or JSON. */
const isList = (text: string, setting: Setting) =>
  setting.type === 'array' || (setting.maybeList === true && /^\s*(?:\[|- )/.test(text));

/**
 * Converts text to the type of the setting. Text that is no valid number or boolean stays as it is, and the schema
 * refuses it.
 */
function typed(value: string, setting: Setting): unknown {
  if (setting.type === 'integer' && /^\d{1,15}$/.test(value)) return Number(value);
  if (setting.type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  return value;
}
