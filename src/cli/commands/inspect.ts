import { shownName } from '../../sources/fields/shown-name.ts';
import { EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { type Inspection, inspectRows } from '../plan/inspection.ts';
import { inspectionText, questionsIn, tallyJson } from '../plan/inspection-text.ts';
import { nextCommand } from '../plan/next-command.ts';
import { type Prepared, prepare } from '../plan/prepare.ts';
import { signerKeys } from '../service-client/signer-keys.ts';
import { maskLine } from '../terminal/mask.ts';
import { commandText } from '../terminal/wrap.ts';

/** Shows export files and what an import would do. Calls the service only with --url, about signer keys. */
export const run: RunCommand = async (context) => {
  const { terminal, flags } = context;
  const prepared = await prepare(context);
  const { hashingSecretId } = prepared.source;
  const isShown = flags.has('show');
  const inspection = await inspectRows(prepared, terminal, {
    secretIdOf: flags.has('url')
      ? signerKeys(readServiceAddress(context), { namedId: hashingSecretId, isShown })
      : undefined,
  });
  const next = nextCommand(context, { advice: inspection.advice });
  await terminal.answer(inspectionJson(prepared, inspection, { isShown, next }), (paint) =>
    inspectionText(prepared.plan, inspection, { paint, isShown }),
  );
  const { verdicts, advice } = inspection;
  if (verdicts.of('import') > 0 || questionsIn(advice).length > 0) terminal.next(next);
  const isUseless = verdicts.of('import') === 0 || questionsIn(advice).length > 0;
  return verdicts.failed > 0 || isUseless ? EXIT.someFailed : EXIT.ok;
};

function inspectionJson(
  { plan: { source, forms, surveys, uses } }: Prepared,
  { verdicts, tally, advice, samples, failures }: Inspection,
  { isShown, next }: { isShown: boolean; next: readonly string[] },
): object {
  return {
    ...{ system: source.name, title: source.title, forms: forms.map(({ name }) => name) },
    files: surveys.map(({ name, container, sizeBytes, digest, tables }) => ({
      ...{ name, container, sizeBytes, digest },
      tables: tables.map((table) => ({
        name: shownName(table.name),
        columns: [...table.columns].map(shownName),
        cells: table.cells,
        use: uses.get(table)?.as ?? 'none',
      })),
    })),
    ...verdicts.toJSON(),
    hashes: [...tally.hashes].map(([name, users]) => {
      const [algorithm, strength] = name.split(' ');
      return { algorithm, class: strength, count: users };
    }),
    ...tallyJson(tally),
    questions: questionsIn(advice).map(({ text, question }) => ({ ...question, text })),
    advice: advice.map(({ level, text }) => ({ level, text })),
    failures,
    next: commandText(next),
    samples: samples.map((line) => (isShown ? JSON.parse(line) : maskLine(line))),
  };
}
