import { questionsOf } from '../../sources/pipeline/questions.ts';
import type { Tally } from '../../sources/pipeline/tally.ts';
import { adviceOnRows, questionsOnUsers } from '../../sources/pipeline/user-advice.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { Advice } from '../../sources/source.ts';
import { CliError } from '../cli-error.ts';
import { type Place, placeOf, VerdictCounts } from '../rows/verdict-counts.ts';
import { nameSecret, type SecretIdOf } from '../service-client/signer-keys.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { counted } from '../terminal/text.ts';
import type { Prepared } from './prepare.ts';

const SAMPLES = 3;
/** Maximum number of reasons for which an example is kept. */
const MAX_REASONS = 50;
const MESSAGES = 20;

/** Expected result of an import, as far as it can be known without the service. */
export interface Inspection {
  verdicts: VerdictCounts;
  tally: Tally;
  /** Advice from the plan (files and tables), and advice that follows from all rows. */
  advice: readonly Advice[];
  samples: readonly string[];
  failures: readonly Failure[];
}

/** Rows that fail for the same reason, with the place and the message of the first. */
interface Failure extends Place {
  reason: string;
  message: string;
  users: number;
}

/** Counts the verdicts on all rows, without sending them. */
export async function inspectRows(
  prepared: Prepared,
  terminal: Terminal,
  { signal, secretIdOf }: { signal?: AbortSignal; secretIdOf?: SecretIdOf | undefined } = {},
): Promise<Inspection> {
  const verdicts = new VerdictCounts();
  const { rows: total, tally, verdicts: all } = await prepared.load({ signal });
  const samples: string[] = [];
  const failures = new Map<string, Failure>();
  const missing = new Map<string, Advice>();
  const line = new ProgressLine(terminal, 'looking at', (rows) => counted(rows, 'row'));
  for await (const batch of all(signal)) {
    for (const row of batch) {
      verdicts.add(row);
      if (secretIdOf !== undefined) await lookUpKey(row, secretIdOf, missing);
      if (row.line !== undefined && samples.length < SAMPLES) samples.push(row.line);
      if (row.result !== 'error' && row.result !== 'conflict') continue;
      const { reason = '', message = '' } = row;
      const known = failures.get(reason);
      if (known !== undefined) known.users += 1;
      else if (failures.size < MAX_REASONS)
        failures.set(reason, { ...placeOf(row), reason, message, users: 1 });
    }
    line.update(() => ({ amount: verdicts.rows, share: total === 0 ? undefined : verdicts.rows / total }));
  }
  const { plan, source } = prepared;
  const { rows } = verdicts;
  const advice = [
    ...[...plan.advice, ...questionsOf(plan, tally), ...missing.values()],
    ...questionsOnUsers(plan, source, { tally, rows }),
    ...adviceOnRows(tally, source, { plan, rows }),
  ];
  const grouped = [...failures.values()].sort((one, other) => other.users - one.users);
  return { verdicts, tally, advice, samples, failures: grouped };
}

/** Looks up whether the service has the signer key of a row. If not, advice to configure it is added to `missing`. */
async function lookUpKey(row: Verdict, secretIdOf: SecretIdOf, missing: Map<string, Advice>): Promise<void> {
  const { signerKey } = row;
  if (signerKey === undefined || missing.has(signerKey)) return;
  try {
    await nameSecret(row, secretIdOf);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (missing.size < MESSAGES) missing.set(signerKey, { level: 'stop', text: error.message });
  }
}
