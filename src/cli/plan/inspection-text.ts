import type { TableHead } from '../../sources/containers/table.ts';
import { shownName } from '../../sources/fields/shown-name.ts';
import { explainColumns } from '../../sources/mapping/column-plan.ts';
import type { Plan } from '../../sources/pipeline/plan.ts';
import type { Tally } from '../../sources/pipeline/tally.ts';
import type { Advice } from '../../sources/source.ts';
import { generic } from '../../sources/systems/generic.ts';
import { placeText, verdictRows } from '../rows/verdict-counts.ts';
import { maskLine } from '../terminal/mask.ts';
import type { Paint } from '../terminal/terminal.ts';
import { bytesText, columns, count, counted, printable } from '../terminal/text.ts';
import type { Inspection } from './inspection.ts';

const MAX_COLUMNS = 8;
const MAX_PROVIDERS = 50;

interface TextOptions {
  paint: Paint;
  isShown: boolean;
}

/** Says first what an import would do, then what stops it, then what it leaves out and why. */
export function inspectionText(plan: Plan, inspection: Inspection, { paint, isShown }: TextOptions): string {
  const { verdicts, samples, failures, advice } = inspection;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint.bold(title), ...lines];
  const questions = questionsIn(advice);
  const others = advice.filter(({ level }) => level !== 'stop');
  return [
    paint.bold(headline(inspection, questions.length)),
    `${plan.source.title} (--from ${plan.source.name}), as ${plan.forms.map(({ name }) => name).join(', ')}`,
    ...columns(fileRows(plan)),
    ...section(
      'Questions: an import needs the answers',
      questions.map(({ text }, index) => numbered(index + 1, text)),
    ),
    ...section('Uses of its columns (change them with --map)', columns(columnRows(plan))),
    ...section(`${count(verdicts.rows)} rows`, columns(verdictRows(verdicts))),
    ...section('Password hashes to import', columns(hashRows(inspection))),
    ...section('Failures, with an example of each', columns(failures.map(failureCells))),
    ...section('Advice', [...others.map((one) => adviceLine(one, paint)), ...leftOut(inspection)]),
    ...section(
      isShown ? 'First import lines' : 'First import lines, masked (unmasked with --show)',
      samples.map((line) => `  ${printable(isShown ? line : spaced(maskLine(line)))}`),
    ),
    '',
  ].join('\n');
}

/** JSON that wraps at its spaces. */
const spaced = (value: unknown) => JSON.stringify(value, null, 1).replace(/\n */g, ' ');

export const questionsIn = (advice: readonly Advice[]) => advice.filter(({ level }) => level === 'stop');

function headline({ verdicts }: Inspection, questions: number): string {
  const users = `${count(verdicts.of('import'))} of ${counted(verdicts.rows, 'user')} would be imported`;
  return questions === 0 ? `${users}.` : `${users}; ${counted(questions, 'question')} to answer first.`;
}

/** Further lines of a text are indented below the first. */
const numbered = (number: number, text: string) =>
  `  ${number}. ${text.split('\n').map(printable).join('\n     ')}`;

/** The rows show how the exporting system was recognised. */
function fileRows({ surveys, uses }: Plan): string[][] {
  return surveys.flatMap(({ name, container, sizeBytes, tables }, index) => {
    const head = [printable(name), sizeBytes === undefined ? '' : bytesText(sizeBytes), container];
    const used = tables.filter((table) => uses[index]?.has(table.name));
    if (used.length === 0) return [[...head, 'parameters']];
    return used.map((table, place) => {
      const use = uses[index]?.get(table.name);
      const what = use?.as === 'detail' ? use.detail : 'users';
      return [...(place === 0 ? head : ['', '', '']), `${what}: ${describe(table)}`];
    });
  });
}

/** Lists only tables of unknown systems, whose columns are guessed or mapped. */
function columnRows({ source, surveys, uses, settings }: Plan): string[][] {
  if (source.name !== generic.name) return [];
  const tables = surveys.flatMap((survey, index) =>
    survey.tables.filter((table) => uses[index]?.has(table.name)),
  );
  return tables.flatMap((table) => {
    const explained = explainColumns(table, settings);
    return 'problem' in explained
      ? []
      : explained.map(({ column, use, why }) => [printable(shownName(column)), use ?? 'left out', why]);
  });
}

function describe({ name, columns: names, cells }: TableHead): string {
  const list = [...names].slice(0, MAX_COLUMNS).map(shownName).join(', ');
  const more = names.size > MAX_COLUMNS ? ', …' : '';
  const shape = cells === undefined ? list && `has ${list}${more}` : `has no header, ${cells} cells`;
  return printable(`${shownName(name)} ${shape}`.trim());
}

function hashRows({ tally, verdicts }: Inspection): string[][] {
  const rows = [...tally.hashes].sort(([, a], [, b]) => b - a);
  const hashes = rows.reduce((sum, [, number]) => sum + number, 0);
  const others = verdicts.of('import') - hashes;
  return [
    ...rows.map(([name, number]) => [count(number), ...name.split(' ')]),
    ...(others > 0
      ? [[count(others), 'without a hash: third-party logins, plain passwords, users without a password']]
      : []),
  ];
}

const failureCells = ({ reason, message, users, ...place }: Inspection['failures'][number]) => [
  count(users),
  reason,
  `${placeText(place)}: ${printable(message)}`,
];

const MARKS = { stop: 'red', warn: 'yellow', note: 'dim' } as const;

function adviceLine({ level, text }: Advice, paint: Paint): string {
  return `  ${paint[MARKS[level]](level)}  ${text.split('\n').map(printable).join('\n        ')}`;
}

export function leftOut({ tally }: Pick<Inspection, 'tally'>): string[] {
  const say = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .slice(0, MAX_PROVIDERS)
      .map(([name, number]) => `${printable(name)} ${count(number)}`)
      .concat(counts.size > MAX_PROVIDERS ? '…' : [])
      .join(', ');
  return [
    ...(tally.dropped.size === 0 ? [] : [`  Has no place here: ${say(tally.dropped)}.`]),
    ...(tally.unmappedProviders.size === 0
      ? []
      : [
          `  Logins left out, because their provider has no id here (--set provider.NAME=ID): ${say(tally.unmappedProviders)}.`,
        ]),
  ];
}

/** Returns the counts of data that an import leaves out, for `--json`. */
export const tallyJson = (tally: Tally): object => ({
  dropped: Object.fromEntries(tally.dropped),
  unmappedProviders: Object.fromEntries(tally.unmappedProviders),
});
