import { expectation, SETTINGS, type Setting, type SettingName } from '../../src/config/schema.ts';
import { code } from './doc-tables.ts';

/** Returns docs/configuration.md, generated from the table of settings. */
export function configurationDocs(): string {
  return `# Configuration

<!-- Made from src/config/schema.ts; \`npx vitest run test/config -u\` writes it anew. -->

Each setting may stand in a YAML file, \`config.yaml\` in the working directory or the one that \`CONFIG_FILE\` names, and in the
environment under its upper-cased name. The environment wins; an empty variable counts as unset. Secrets may also be read from a file:
\`API_KEYS_FILE=/run/secrets/api_keys\`. What is wrong with any of them is said at once, by name and never with a value, and the service does not
start. [config.yaml.example](../config.yaml.example) has all of them.

| setting | variable | default | must be | what it does |
| --- | --- | --- | --- | --- |
${SETTINGS.map(([name, setting]) => row(name, setting)).join('\n')}
`;
}

/** Returns config.yaml.example: every setting with its default, commented out. */
export function configurationExample(): string {
  const settings = SETTINGS.map(([name, setting]) =>
    [
      ...wrap(setting.description, 100).map((line) => `# ${line}`),
      `# Must be ${expectation(setting)}. Variable: ${variables(name, setting).join(', ')}`,
      `#${name}: ${example(setting)}`.trimEnd(),
    ].join('\n'),
  );
  return `# Copy this to config.yaml and take the # off the settings you change; all others are as shown.
# Environment variables win over this file. The same list as a table: docs/configuration.md

${settings.join('\n\n')}
`;
}

function row(name: SettingName, setting: Setting): string {
  const names = [name, ...(setting.alias ? [setting.alias] : [])].map(code).join(', also ');
  const cells = [
    names,
    variables(name, setting).map(code).join(', '),
    setting.defaultText ?? (setting.default === undefined ? 'none' : code(String(setting.default))),
    expectation(setting),
    setting.description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function variables(name: SettingName, { alias, secret }: Setting): string[] {
  const names = [name, ...(alias ? [alias] : [])].map((one) => one.toUpperCase());
  return secret ? names.flatMap((one) => [one, `${one}_FILE`]) : names;
}

function example(setting: Setting): string {
  if (setting.default !== undefined) return JSON.stringify(setting.default);
  return setting.defaultText === undefined ? '' : ` # ${setting.defaultText}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}
