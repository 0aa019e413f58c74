import { COMMANDS, type Command } from './commands.ts';
import { type FlagName, flagOf } from './options/flags.ts';
import { columns } from './terminal/text.ts';

export function generalHelp(): string {
  const commands = Object.entries(COMMANDS).map(([name, { takes, summary }]) => [
    `${name} ${takes}`,
    summary,
  ]);
  return [
    'Usage: user-import COMMAND [FLAGS] …',
    '',
    'Reads what other auth systems export, as it is, and imports it into user-import-core with the old passwords.',
    '',
    ...columns(commands),
    '',
    'prove, import, export, status, rollback, rejects, hand-over, census call the service: set USER_IMPORT_API_KEY (--api-key-file), and USER_IMPORT_URL (--url)',
    'if it is not at http://localhost:3567. FILE may also be a database, postgres://… or mysql://…, or - for stdin.',
    '',
    'user-import help COMMAND shows details. Usual order: inspect FILE…, prove FILE… --email ADDRESS, import FILE…',
    '',
  ].join('\n');
}

export function commandHelp(name: string, { takes, details, flags, examples }: Command): string {
  return [
    `Usage: user-import ${name} ${takes}`.trimEnd(),
    '',
    details,
    '',
    ...columns(flags.map(flagCells)),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

function flagCells(name: FlagName): string[] {
  const { value, short, help } = flagOf(name);
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return [short === undefined ? long : `-${short}, ${long}`, help];
}
