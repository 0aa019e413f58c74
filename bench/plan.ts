/**
 * Usage: `npm run plan -- --users 1e9 --sign-ins 5000`. Calculates the machines for this load from measured
 * costs, without starting anything. docs/capacity.md explains the calculation.
 */
import { capacityText } from './capacity/capacity-text.ts';
import { planCapacity } from './capacity/plan-capacity.ts';
import { HELP, readDemand } from './capacity/read-demand.ts';

const asked = readDemand(process.argv.slice(2));
if ('problem' in asked) {
  process.stderr.write(`${asked.problem}\n`);
  process.exitCode = 1;
} else if ('help' in asked) {
  process.stdout.write(HELP);
} else {
  const plan = planCapacity(asked.demand);
  process.stdout.write(asked.json ? `${JSON.stringify(plan, null, 2)}\n` : capacityText(plan));
}
