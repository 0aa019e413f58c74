import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WorkDatabase } from '../../../src/lib/work-database.ts';
import { NO_CLAIMS } from '../../../src/sources/pipeline/claims.ts';
import { CHANGED_BY, Settlement } from '../../../src/sources/pipeline/settlement.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'uic-settlement-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Some thirty keys fill a piece that is stored, so these numbers of rows end at each place of a piece. */
it('any number of people may have one address', () => {
  const path = directory();
  for (let people = 2; people <= 64; people += 1) {
    const database = new WorkDatabase({ directory: path });
    const settlement = new Settlement(database, undefined);
    const addresses = new Map([['somebody.with.a.long.name@example.org', 1]]);
    for (let row = 1; row <= people; row += 1)
      settlement.add({
        ...{ place: 0, row, changedBy: CHANGED_BY.all, identities: [] },
        claims: { ...NO_CLAIMS, addresses },
      });
    settlement.settle();
    expect(settlement.changesBetween(1, people).size).toBe(people);
    database.close();
  }
});
