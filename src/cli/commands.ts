import type { Command } from './command.ts';
import {
  type FlagName,
  flagOf,
  IMPORT_FLAGS,
  OUTPUT_FLAGS,
  SERVICE_FLAGS,
  SOURCE_FLAGS,
  TARGET_FLAGS,
} from './options/flags.ts';
import { columns } from './terminal/text.ts';
import type { OutputLine } from './terminal/wrap.ts';

const ALWAYS: readonly FlagName[] = ['json', 'quiet', 'help'];

/** All commands, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  inspect: {
    takes: 'FILE…',
    summary: 'show what files contain, and what an import would do',
    details:
      'Shows the system and form, the users, hashes by family and class, what will be imported, skipped and refused and why, what is missing, and three rows as they will be sent. Sends nothing; with --url it asks the service which signer keys it has. Files that belong together (users and their hashes, tables of one database) go into one call.',
    flags: [...SOURCE_FLAGS, 'show', ...SERVICE_FLAGS, ...ALWAYS],
    examples: [
      'user-import inspect users.json hash_config.txt',
      'user-import inspect people.csv --map id=nr,email=mail,hash=pw',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: `${…}` is the syntax of --hash
      "user-import inspect people.csv --map id=nr,email=mail --hash '$pbkdf2-sha256$i=27500${pw_salt|hex}${pw|hex}'",
      "user-import inspect postgres://reader@db/app --query 'select * from people order by id' --map email=mail,hash=pw",
      'pg_restore -f - db.dump | user-import inspect -',
    ],
    load: () => import('./commands/inspect.ts'),
  },
  prove: {
    takes: 'FILE… --email ADDRESS',
    summary: "try one person's password, before anything is imported",
    details:
      'Asks for the password without showing it (or reads it from stdin), and sends that one hash to the service. If it does not match, the answer names the likely mistake. Exit code 0: it matches; 2: it does not.',
    flags: ['email', 'insecure-http', ...SERVICE_FLAGS, ...SOURCE_FLAGS, 'timeout', ...ALWAYS],
    examples: [
      'user-import prove users.json hash_config.txt --email ada@example.com',
      'user-import prove people.csv --map email=mail,hash=pw --email ada@example.com < password.txt',
    ],
    load: () => import('./commands/prove.ts'),
  },
  import: {
    takes: 'FILE…',
    summary: 'send users to the service',
    details:
      'Inspects, does a dry run, asks, imports and reports. If it is run again, it continues where it stopped: the same files with the same options are the same import, and nothing is done twice. Exit code 0: all in; 2: some rows failed; 1: it did not run, or not to the end.',
    flags: [
      ...[...SERVICE_FLAGS, ...IMPORT_FLAGS, ...OUTPUT_FLAGS, ...SOURCE_FLAGS],
      ...(['yes', 'dry-run', 'retry-for', 'timeout', 'show'] as const),
      ...ALWAYS,
    ],
    examples: [
      'user-import import users.json hash_config.txt',
      'user-import import users.csv --yes --report report.ndjson --rejects rejects.ndjson',
      'user-import import rejects.ndjson --yes        # once they are mended',
      'user-import import users.json --match external-id --delete-missing      # the same export, a week later',
    ],
    load: () => import('./commands/import.ts'),
  },
  convert: {
    takes: 'FILE…',
    summary: 'write the lines to stdout, or with --to what other systems import; without a service',
    details:
      'One line a user, as POST /bulk-import/stream takes them. Rows that are skipped or refused have none: --report says why. With --to, FILE has such lines, as export and convert write them. The files for the other system are in the directory --out. Users whose password it cannot verify are counted, and in --report. Exit code 0: all users are written and keep their password; 2: some are not, or must reset it; 1: it did not run.',
    flags: [...TARGET_FLAGS, ...OUTPUT_FLAGS, ...SOURCE_FLAGS, 'show', ...ALWAYS],
    examples: [
      'user-import convert users.json hash_config.txt > users.ndjson',
      'user-import convert dump.sql | head -1000 > sample.ndjson',
      'user-import convert --to keycloak --out keycloak users.ndjson --report report.ndjson',
      'user-import convert dump.sql | user-import convert --to kratos --out kratos -',
      'user-import convert --to kratos --out kratos users.ndjson --first-sign-in unverifiable --waiting waiting.ndjson',
    ],
    load: () => import('./commands/convert.ts'),
  },
  export: {
    takes: 'FILE',
    summary: 'save all users of the service, with their hashes',
    details:
      'One line a user, as an import takes them. FILE appears only if it is complete: number and digest are checked. The key needs the right `export`. - is stdout; its last line is missing if the export is incomplete.',
    flags: [...SERVICE_FLAGS, 'force', 'without-factors', 'timeout', 'show', ...ALWAYS],
    examples: [
      'user-import export users.ndjson',
      'user-import export - | gzip > users.ndjson.gz',
      'user-import export - | user-import convert --to kratos --out kratos -',
    ],
    load: () => import('./commands/export.ts'),
  },
  status: {
    takes: '[ID]',
    summary: 'list imports and hand-overs, or show one',
    details:
      'Shows when an import began, with which key, its progress, and the results of its lines. With --waiting FILE it writes who waits to move to an identity provider (address, external id, family), and shows who has moved.',
    flags: [...SERVICE_FLAGS, 'waiting', 'force', 'rehearsal', ...ALWAYS],
    examples: [
      'user-import status',
      'user-import status --waiting waiting.ndjson',
      'user-import status firebase-0123456789abcdef0123 --json',
    ],
    load: () => import('./commands/status.ts'),
  },
  rollback: {
    takes: 'ID',
    summary: 'undo an import',
    details:
      'Removes the users it created and restores what it replaced, except for users who have signed in or were changed since. Asks for the id to be typed, unless --yes.',
    flags: [...SERVICE_FLAGS, 'yes', 'retry-for', ...ALWAYS],
    examples: ['user-import rollback firebase-0123456789abcdef0123'],
    load: () => import('./commands/rollback.ts'),
  },
  rejects: {
    takes: 'ID',
    summary: 'list the lines of an import that the service refused',
    details:
      'Line (the number of the row, over all files), code and message, separated by tabs; with --json one object per line. Rows that this tool itself refused were never sent: --rejects and --report of the import have those.',
    flags: [...SERVICE_FLAGS, ...ALWAYS],
    examples: ['user-import rejects firebase-0123456789abcdef0123'],
    load: () => import('./commands/rejects.ts'),
  },
  delete: {
    takes: 'ADDRESS|ID',
    summary: 'delete one person',
    details:
      'Deletes the user with this address or id, with all logins, and staged copies. Asks first, unless --yes. If several users have the address, it lists their ids and deletes nobody. The key needs the rights `read`, `manage` and, for staged copies, `import`.',
    flags: [...SERVICE_FLAGS, 'yes', ...ALWAYS],
    examples: ['user-import delete ada@example.com'],
    load: () => import('./commands/delete.ts'),
  },
  'hand-over': {
    takes: '',
    summary: 'create all users in the SuperTokens core behind the service',
    details:
      'The service does the work in the background (upstream_core_uri); this command starts it, watches it and says what to do next. If it is run again, it continues, or hands over the users who came since. --undo ID removes those from the core who still wait there. Exit code 0: all are in the core; 2: the core refused some (--report); 1: it did not run.',
    flags: [
      ...SERVICE_FLAGS,
      'dry-run',
      'unlinked',
      'undo',
      'report',
      'force',
      'yes',
      'retry-for',
      ...ALWAYS,
    ],
    examples: [
      'user-import hand-over --dry-run',
      'user-import hand-over --yes --report refused.ndjson',
      'user-import hand-over --undo 01a20da9-89bc-7589-9e25-5a6b4190ebfb',
    ],
    load: () => import('./commands/hand-over.ts'),
  },
  hooks: {
    takes: 'check HOOK',
    summary: 'ask a hook as an identity provider would, about nobody',
    details:
      'HOOK is hash, rehearse, verify, kratos, keycloak or okta, --url its address as the provider reaches it, with any proxy between. Expects "no match" for a wrong password and a fault for a wrong key. Exit code 0: it is safe to use; 2: it is not.',
    flags: [...SERVICE_FLAGS, ...ALWAYS],
    examples: ['user-import hooks check kratos --url https://hooks.example.com --api-key-file kratos.key'],
    load: () => import('./commands/hooks.ts'),
  },
  census: {
    takes: '',
    summary: 'count the hashes that users have, and who has signed in',
    details:
      'Shows who has which hash, and how many of these users have signed in since. Users who have not still have the hash of the old system.',
    flags: [...SERVICE_FLAGS, ...ALWAYS],
    examples: ['user-import census'],
    load: () => import('./commands/census.ts'),
  },
  completion: {
    takes: 'SHELL',
    summary: 'print completions for bash, zsh or fish',
    details: 'Completes commands, flags and their values. The shell must read what it prints at its start.',
    flags: ['help'],
    examples: [
      "echo 'source <(user-import completion bash)' >> ~/.bashrc",
      "echo 'source <(user-import completion zsh)' >> ~/.zshrc      # after compinit",
      'user-import completion fish > ~/.config/fish/completions/user-import.fish',
    ],
    load: () => import('./commands/completion.ts'),
  },
};

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
    'Commands other than inspect and convert call the service: set USER_IMPORT_API_KEY (--api-key-file), and USER_IMPORT_URL (--url) if it is not at http://localhost:3567. FILE may also be a database, postgres://…, or - for stdin.',
    '',
    'Usual order: inspect FILE…, prove FILE… --email ADDRESS, import FILE…. Details: user-import help COMMAND',
  ].join('\n');
}

export function commandHelp(name = '', { takes, details, flags, examples }: Command): OutputLine[] {
  return [
    `Usage: user-import ${name} ${takes}`.trimEnd(),
    '',
    details,
    '',
    ...columns(flags.map(flagCells)),
    '',
    'Examples:',
    ...examples.map((example) => ({ lead: '  ', parts: [example] })),
  ];
}

function flagCells(name: FlagName): string[] {
  const { value, short, help } = flagOf(name);
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return [short === undefined ? long : `-${short}, ${long}`, help];
}
