import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { FLAG_NAMES, type Flag, flagOf } from '../options/flags.ts';

/** Prints a completion script for a shell, generated from the tables of commands and flags. */
export const run: RunCommand = async ({ words, terminal, commands }) => {
  const [shell = ''] = words;
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined) throw new CliError(`Name a shell: ${Object.keys(SHELLS).join(', ')}`);
  const { SOURCES } = await import('../../sources/sources.ts');
  const { TARGETS } = await import('../../targets/targets.ts');
  const systems = SOURCES.map(({ name }) => name).sort();
  const ofTables: Values = { from: systems, to: Object.keys(TARGETS) };
  await terminal.result(script(commands, (flag) => flag.choices ?? ofTables[flag.name] ?? []));
  return EXIT.ok;
};

type Values = Readonly<Record<string, readonly string[]>>;
type Commands = CommandContext['commands'];
type ValuesOf = (flag: Flag) => readonly string[];

const FLAGS = FLAG_NAMES.map(flagOf);

function bash(commands: Commands, valuesOf: ValuesOf): string {
  const words = (list: readonly string[]) => `words='${list.join(' ')}' ;;`;
  const valued = FLAGS.filter((flag) => valuesOf(flag).length > 0);
  const others = FLAGS.filter((flag) => flag.value !== undefined && valuesOf(flag).length === 0);
  return `_user_import() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  case \${COMP_WORDS[COMP_CWORD-1]} in
${valued.map((flag) => `    --${flag.name}) ${words(valuesOf(flag))}`).join('\n')}
    ${others.map(({ name }) => `--${name}`).join('|')}) ;;
    *)
      case $COMP_CWORD:$word:\${COMP_WORDS[1]} in
        1:*) ${words([...Object.keys(commands), 'help'])}
${Object.entries(commands)
  .map(([name, { flags }]) => `        *:-*:${name}) ${words(flags.map((flag) => `--${flag}`))}`)
  .join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _user_import user-import
`;
}

function fish(commands: Commands, valuesOf: ValuesOf): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const lines = Object.entries(commands).map(
    ([name, { summary }]) =>
      `complete -c user-import -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  );
  for (const flag of FLAGS) {
    const users = Object.keys(commands).filter((name) => commands[name]?.flags.includes(flag.name));
    if (users.length === 0) continue;
    const values = valuesOf(flag);
    const takes = flag.value === undefined ? '' : flag.value === 'FILE' ? ' -r -F' : ' -x';
    const choices = values.length === 0 ? '' : ` -a ${quoted(values.join(' '))}`;
    lines.push(
      `complete -c user-import -n ${quoted(`__fish_seen_subcommand_from ${users.join(' ')}`)} -l ${flag.name}${takes}${choices} -d ${quoted(flag.help)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const SHELLS: Readonly<Record<string, (commands: Commands, valuesOf: ValuesOf) => string>> = {
  bash,
  zsh: (...tables) => `autoload -U +X bashcompinit && bashcompinit\n${bash(...tables)}`,
  fish,
};
