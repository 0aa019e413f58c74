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
import { bytesText, columns, count, counted, linesOf, printable } from '../terminal/text.ts';
import type { Inspection } from './inspection.ts';

const MAX_COLUMNS = 8;
const MAX_PROVIDERS = 50;

interface TextOptions {
  paint: Paint;
  isShown: boolean;
}

/**
 * Returns the text of an inspection: summary, files, questions, uses of columns, counts, failures, advice,
 * lines.
 */
export function inspectionText(
  plan: Plan,
  inspection: Inspection,
  { paint, isShown }: TextOptions,
): string[] {
  const { verdicts, samples, failures, advice, tally } = inspection;
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 && ['', paint.bold(title), ...lines];
  const questions = questionsIn(advice);
  const others = advice.filter(({ level }) => level !== 'stop');
  const users = `${count(verdicts.of('import'))} of ${counted(verdicts.rows, 'user')} would be imported`;
  const open = questions.length === 0 ? '' : `; ${counted(questions.length, 'question')} to answer first`;
  const failed = failures.map(({ reason, message, users: number, ...place }) => [
    ...[count(number), reason, `${placeText(place)}: ${printable(message)}`],
  ]);
  return linesOf(
    paint.bold(`${users}${open}.`),
    `${plan.source.title} (--from ${plan.source.name}), as ${plan.forms.map(({ name }) => name).join(', ')}`,
    columns(fileRows(plan)),
    section(
      'Questions: an import needs the answers',
      questions.map(({ text }, index) => indented(`  ${index + 1}. `, text)),
    ),
    section('Uses of its columns (change them with --map)', columns(columnRows(plan))),
    section(`${count(verdicts.rows)} rows`, columns(verdictRows(verdicts))),
    section('Password hashes to import', columns(hashRows(inspection))),
    section('Failures, with an example of each', columns(failed)),
    section('Advice', [
      ...others.map(({ level, text }) =>
        indented(`  ${paint[level === 'warn' ? 'yellow' : 'dim'](level)}  `, text, '        '),
      ),
      ...leftOut(tally),
    ]),
    section(
      isShown ? 'First import lines' : 'First import lines, masked (unmasked with --show)',
      samples.map((line) => `  ${printable(isShown ? line : spaced(maskLine(line)))}`),
    ),
  );
}

/** Returns JSON with spaces between its members, at which a line can wrap. */
const spaced = (value: unknown) => JSON.stringify(value, null, 1).replace(/\n */g, ' ');

export const questionsIn = (advice: readonly Advice[]) => advice.filter(({ level }) => level === 'stop');

/** Returns the text behind `lead`. Its further lines are indented. */
const indented = (lead: string, text: string, indent = '     ') =>
  lead + text.split('\n').map(printable).join(`\n${indent}`);

/** Returns the files with their tables and columns, which show how the exporting system was recognised. */
function fileRows({ surveys, uses }: Plan): string[][] {
  return surveys.flatMap(({ name, container, sizeBytes, tables }) => {
    const head = [printable(name), sizeBytes === undefined ? '' : bytesText(sizeBytes), container];
    const used = tables.flatMap((table) => {
      const use = uses.get(table);
      return use === undefined ? [] : `${use.as === 'detail' ? use.detail : 'users'}: ${describe(table)}`;
    });
    if (used.length === 0) return [[...head, 'parameters']];
    return used.map((text, place) => [...(place === 0 ? head : ['', '', '']), text]);
  });
}

/** Returns the use of each column. Only tables of unknown systems are listed, whose columns are guessed or mapped. */
function columnRows({ source, surveys, uses, settings }: Plan): string[][] {
  if (source.name !== generic.name) return [];
  const tables = surveys.flatMap((survey) => survey.tables.filter((table) => uses.has(table)));
  return tables.flatMap((table) => {
    const explained = explainColumns(table, settings);
    if ('problem' in explained) return [];
    return explained.map(({ column, use, why }) => [printable(shownName(column)), use ?? 'left out', why]);
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
  const others = rows.reduce((rest, [, number]) => rest - number, verdicts.of('import'));
  const without = 'without a hash: third-party logins, plain passwords, users without a password';
  return [
    ...rows.map(([name, number]) => [count(number), ...name.split(' ')]),
    ...(others > 0 ? [[count(others), without]] : []),
  ];
}

export function leftOut({ dropped, unmappedProviders: unmapped }: Tally): string[] {
  const say = (counts: ReadonlyMap<string, number>) => {
    const texts = [...counts].map(([name, number]) => `${printable(name)} ${count(number)}`);
    return [...texts.slice(0, MAX_PROVIDERS), ...(texts.length > MAX_PROVIDERS ? ['…'] : [])].join(', ');
  };
  return linesOf(
    dropped.size > 0 && `  Has no place here: ${say(dropped)}.`,
    unmapped.size > 0 &&
      `  Logins left out, because their provider has no id here (--set provider.NAME=ID): ${say(unmapped)}.`,
  );
}

/** Returns the counts of data that an import leaves out, for `--json`. */
export const tallyJson = (tally: Tally): object => ({
  dropped: Object.fromEntries(tally.dropped),
  unmappedProviders: Object.fromEntries(tally.unmappedProviders),
});
