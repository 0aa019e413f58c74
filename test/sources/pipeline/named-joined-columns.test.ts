import { expect, it } from 'vitest';
import { questionsOf } from '../../../src/sources/pipeline/questions.ts';
import { Tally } from '../../../src/sources/pipeline/tally.ts';
import { fileOf } from '../containers/read-whole.ts';
import { planOf, verdictsOf } from '../samples.ts';

const users = ['ann', 'rej', 'new', 'two'].map(
  (name, index) => `(${index},'${name}','$P$Bwk4lSBqayRuXK23D3wyQpeVnpaemX1','${name}@example.com',0)`,
);
const DUMP = `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
CREATE TABLE wp_users (ID int, user_login text, user_pass text, user_email text, user_status int);
INSERT INTO wp_users VALUES ${users.join()};
CREATE TABLE wp_usermeta (umeta_id int, user_id int, meta_key text, meta_value text);
INSERT INTO wp_usermeta VALUES (1,0,'account_status','approved'),(2,1,'account_status','rejected'),
  (3,3,'account_status','approved'),(4,3,'account_status','rejected');
-- Dump completed on 2024-01-01 00:00:00
`;

async function read(options: Readonly<Record<string, string>>) {
  const plan = await planOf({ files: [fileOf(DUMP)], options });
  const tally = new Tally();
  const verdicts = await verdictsOf(plan, { tally });
  const stops = [...plan.advice, ...questionsOf(plan, tally)].filter(({ level }) => level === 'stop');
  return { verdicts, codes: stops.map(({ question }) => question?.code) };
}

it('asks about keys of joined tables that nothing accounts for', async () => {
  expect((await read({})).codes).toEqual(['COLUMNS_UNUSED']);
});

it('lets a rule decide by such a key, and by none of two values', async () => {
  const { verdicts, codes } = await read({ active: 'usermeta.account_status=approved,' });
  expect(verdicts.map(({ result, reason }) => reason ?? result)).toEqual([
    'import',
    'DISABLED',
    'import',
    'STATE_UNKNOWN',
  ]);
  expect(codes).not.toContain('COLUMNS_UNUSED');
});

it('keeps such a key', async () => {
  const { verdicts, codes } = await read({ keep: 'wanted=usermeta.account_status' });
  expect(codes).toEqual([]);
  expect(JSON.parse(verdicts[0]?.line ?? '').userMetadata).toMatchObject({ wanted: 'approved' });
});

it('stops at a key that nobody has', async () => {
  const { codes } = await read({
    active: 'usermeta.acount_status=approved',
    ignore: 'usermeta.account_status',
  });
  expect(codes).toHaveLength(1);
});
