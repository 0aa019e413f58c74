/**
 * Lets real writers write hostile rows, and compares what is read with what was written.
 * Usage: `npx tsx bench/fuzz-writers.ts [container or writer] [files of each writer] [seed]`
 * A file that is read wrongly is reported with its writer and seed, and kept.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checked, checkWriter } from '../test/sources/writers/check-writer.ts';
import { WRITERS } from '../test/sources/writers/registry.ts';
import type { Writer } from '../test/sources/writers/writer.ts';
import { installed } from '../test/support/installed.ts';

/** Files that take longer are reported. */
const SLOW_MS = 5000;

class Counts {
  files = 0;
  wrong = 0;
  readonly refused = { tame: 0, tameTold: 0, hostile: 0, hostileTold: 0 };
  tame = 0;

  add({ isTame, plain, told }: Checked): void {
    this.files += 1;
    if (isTame) this.tame += 1;
    if (plain.result === 'wrong' || told.result === 'wrong') this.wrong += 1;
    if (plain.result === 'refused') this.refused[isTame ? 'tame' : 'hostile'] += 1;
    if (told.result === 'refused') this.refused[isTame ? 'tameTold' : 'hostileTold'] += 1;
  }

  get text(): string {
    const { refused } = this;
    const hostile = this.files - this.tame;
    return (
      `${this.files} files, ${this.wrong} wrong; refused without options: ${refused.tame} of ${this.tame} tame, ` +
      `${refused.hostile} of ${hostile} hostile; with options: ${refused.tameTold} tame, ${refused.hostileTold} hostile`
    );
  }
}

async function check(writer: Writer, files: number, firstSeed: number, folder: string): Promise<number> {
  const running = await writer.start();
  const counts = new Counts();
  const messages = new Map<string, number>();
  try {
    for (let seed = firstSeed; seed < firstSeed + files; seed += 1) {
      const startMs = performance.now();
      const checked = await checkWriter(writer, running, seed);
      counts.add(checked);
      const ms = performance.now() - startMs;
      if (ms > SLOW_MS) console.log(`${writer.name} ${seed}: ${Math.round(ms)} ms: ${checked.how}`);
      for (const [name, outcome] of Object.entries({ plain: checked.plain, told: checked.told })) {
        if (outcome.result === 'read' || outcome.result === undefined) continue;
        if (outcome.result === 'refused') {
          const short = outcome.why.replaceAll(/\d+/g, 'N').slice(0, 120);
          messages.set(short, (messages.get(short) ?? 0) + 1);
          continue;
        }
        const path = join(folder, `${writer.name}-${seed}`);
        writeFileSync(path, checked.bytes);
        console.log(`WRONG ${writer.name} ${seed} (${name}; ${checked.how}): ${outcome.why}\n  ${path}`);
      }
    }
  } finally {
    await running.stop();
  }
  console.log(`${writer.name}: ${counts.text}`);
  for (const [message, count] of messages) console.log(`  ${count} × ${message}`);
  return counts.wrong;
}

const [which, filesText, seedText] = process.argv.slice(2);
const files = Number(filesText ?? 100);
const seed = Number(seedText ?? Date.now() % 1_000_000_000);
const folder = mkdtempSync(join(tmpdir(), 'fuzz-writers-'));
const chosen = WRITERS.filter(
  ({ name, container }) => which === undefined || which === container || which === name,
);
console.log(`${files} files each of ${chosen.map(({ name }) => name).join(', ')}, from seed ${seed}`);
let wrong = 0;
for (const writer of chosen) {
  const missing = writer.programs.filter((program) => installed(program) === undefined);
  if (missing.length === 0) wrong += await check(writer, files, seed, folder);
  else console.log(`${writer.name}: skipped, ${missing.join(', ')} is not installed`);
}
process.exitCode = wrong > 0 || chosen.length === 0 ? 1 : 0;
