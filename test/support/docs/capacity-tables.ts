import { ASSUMED, DISTRIBUTED } from '../../../bench/capacity/assumptions.ts';
import { bytes, capacityText } from '../../../bench/capacity/capacity-text.ts';
import { COSTS, type Cost, HASHES } from '../../../bench/capacity/costs.ts';
import { planCapacity } from '../../../bench/capacity/plan-capacity.ts';
import { readDemand } from '../../../bench/capacity/read-demand.ts';
import { RELATIONS } from '../../../bench/capacity/relations.ts';
import { code, table } from './doc-tables.ts';

const short = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 4 });

const figure = (value: number, unit: string) =>
  unit === 'bytes' && value >= 1e6 ? bytes(value) : `${short(value)} ${unit}`.trim();

const costTable = (costs: Readonly<Record<string, Cost>>) =>
  table(
    ['what', 'figure', 'from'],
    Object.values(costs).map(({ what, value, unit, source }) => [what, figure(value, unit), source]),
  );

/** Returns what `npm run plan` prints for these arguments. */
export function planned(args: string): string {
  const asked = readDemand(args.split(' '));
  if (!('demand' in asked)) throw new Error(`the plan is not made: ${JSON.stringify(asked)}`);
  return capacityText(planCapacity(asked.demand));
}

const example = (args: string) => `\`\`\`text\n$ npm run -s plan -- ${args}\n\n${planned(args)}\`\`\``;

export const EXAMPLES = [
  '--users 1e8 --sign-ins 1000',
  '--users 1e9 --sign-ins 5000 --hash bcrypt=0.6,argon2=0.4',
] as const;

/** Generated parts of docs/capacity.md. */
export const CAPACITY_TABLES = {
  'measured costs': () => costTable(COSTS),
  'costs of hashes': () =>
    table(
      ['`--hash`', 'what', 'one core', 'memory', 'from'],
      Object.entries(HASHES).map(([name, { what, ms, memoryBytes, source }]) => [
        code(name),
        what,
        `${ms} ms`,
        `${memoryBytes / 1024 ** 2} MiB`,
        source,
      ]),
    ),
  'bytes a user': () =>
    table(
      ['relation', '', 'bytes a user', 'entries a user at random places'],
      RELATIONS.map(({ name, kind, bytes, scattered }) => [
        code(name),
        kind,
        bytes.toFixed(1),
        scattered === undefined ? '' : String(scattered),
      ]),
    ),
  assumptions: () => costTable(ASSUMED),
  distributed: () => costTable(DISTRIBUTED),
  'a hundred million': () => example(EXAMPLES[0]),
  'a billion': () => example(EXAMPLES[1]),
};
