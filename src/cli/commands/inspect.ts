import { shownName } from '../../sources/fields/shown-name.ts';
import { EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { type Inspection, inspectRows } from '../plan/inspection.ts';
import { inspectionText, questionsIn, tallyJson } from '../plan/inspection-text.ts';
import { nextCommand } from '../plan/next-command.ts';
import { type Prepared, prepare } from '../plan/prepare.ts';
import { SignerKeys } from '../service-client/signer-keys.ts';
import { maskLine } from '../terminal/mask.ts';
import { commandText } from '../terminal/wrap.ts';

/** Shows export files and what an import would do. Calls the service only with --url, about signer keys. */
export const run: RunCommand = async (context) => {
  const { terminal, flags } = context;
  const prepared = await prepare(context);
  const inspection = await inspectRows(prepared, terminal, { signerKeys: signerKeysOf(context, prepared) });
  const isShown = flags.has('show');
  const next = nextCommand(context, { advice: inspection.advice });
  await terminal.answer(inspectionJson(prepared, inspection, { isShown, next }), (paint) =>
    inspectionText(prepared.plan, inspection, { paint, isShown }),
  );
  terminal.next(next);
  const { failed } = inspection.verdicts;
  const isUseless = inspection.verdicts.of('import') === 0 || questionsIn(inspection.advice).length > 0;
  return failed > 0 || isUseless ? EXIT.someFailed : EXIT.ok;
};

function signerKeysOf(context: CommandContext, { source }: Prepared): SignerKeys | undefined {
  if (context.flags.text('url') === undefined) return undefined;
  return new SignerKeys(context, readServiceAddress(context), source.hashingSecretId);
}

function inspectionJson(
  { plan: { source, forms, surveys, uses } }: Prepared,
  { verdicts, tally, advice, samples, failures }: Inspection,
  { isShown, next }: { isShown: boolean; next: readonly string[] },
): object {
  return {
    system: source.name,
    title: source.title,
    forms: forms.map(({ name }) => name),
    files: surveys.map(({ name, container, sizeBytes, digest, tables }, index) => ({
      name,
      container,
      sizeBytes,
      digest,
      tables: tables.map(({ name: table, columns, cells }) => ({
        name: shownName(table),
        columns: [...columns].map(shownName),
        cells,
        use: uses[index]?.get(table)?.as ?? 'none',
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
