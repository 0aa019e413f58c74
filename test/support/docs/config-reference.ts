import { expectation, SETTINGS, type Setting, type SettingName } from '../../../src/config/schema.ts';
import { code, table } from './doc-tables.ts';

/** Returns docs/configuration.md, made from the table of settings. */
export function configurationDocs(): string {
  return `# Configuration

<!-- Made from src/config/schema.ts by \`npm run docs\`. -->

Settings come from two places:

- a YAML file: \`config.yaml\` in the working directory, or the file that \`CONFIG_FILE\` names;
- environment variables with the upper-cased name of the setting. They win over the file; an empty variable
  counts as unset.

Secrets may also be files: \`API_KEYS_FILE=/run/secrets/api_keys\`. If settings are wrong, the service does not
start and lists all of them by name, never with a value.

Production needs \`POSTGRESQL_CONNECTION_URI\` and \`API_KEYS\`.
[config.yaml.example](../config.yaml.example) has all settings with their defaults.

${table(
  ['setting', 'default', 'value', 'meaning'],
  SETTINGS.map(([name, setting]) => [
    namesOf(name, setting).map(code).join(' or '),
    setting.defaultText ?? (setting.default === undefined ? 'none' : code(String(setting.default))),
    expectation(setting) + (setting.secret ? `; or a file: ${fileVariables(name, setting)}` : ''),
    setting.description,
  ]),
)}
`;
}

/** Returns config.yaml.example: every setting with its default, commented out. */
export function configurationExample(): string {
  const settings = SETTINGS.map(([name, setting]) =>
    [
      ...comment(setting.description),
      ...comment(`Value: ${expectation(setting)}`),
      ...comment(`Variable: ${variables(name, setting).join(', ')}`),
      `#${name}: ${example(setting)}`.trimEnd(),
    ].join('\n'),
  );
  return `# Copy this file to config.yaml and uncomment the settings that you change. All others have the
# values shown. Environment variables win over this file. As a table: docs/configuration.md

${settings.join('\n\n')}
`;
}

const namesOf = (name: SettingName, { alias }: Setting): string[] => [name, ...(alias ? [alias] : [])];

const fileVariables = (name: SettingName, setting: Setting) =>
  namesOf(name, setting)
    .map((one) => code(`${one.toUpperCase()}_FILE`))
    .join(' or ');

function variables(name: SettingName, setting: Setting): string[] {
  const names = namesOf(name, setting).map((one) => one.toUpperCase());
  return setting.secret ? names.flatMap((one) => [one, `${one}_FILE`]) : names;
}

function example(setting: Setting): string {
  if (setting.default !== undefined) return JSON.stringify(setting.default);
  return setting.defaultText === undefined ? '' : ` # ${setting.defaultText}`;
}

const COLUMNS = 100;

function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < COLUMNS) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(`# ${word}`);
  }
  return lines;
}
