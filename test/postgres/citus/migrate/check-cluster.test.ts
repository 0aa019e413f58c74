import { expect, it } from 'vitest';
import {
  adviceOn,
  type NodeSettings,
  refusalOf,
} from '../../../../src/postgres/citus/migrate/check-cluster.ts';

const node = (settings: NodeSettings['settings'] = {}): NodeSettings => ({
  node: '10.0.0.2:5432',
  settings: {
    lc_messages: 'C.UTF-8',
    max_connections: '100',
    max_prepared_transactions: '100',
    server_version_num: '150020',
    synchronous_commit: 'on',
    wal_level: 'logical',
    'citus.recover_2pc_interval': '5000',
    ...settings,
  },
});

it.each(['de_DE.UTF-8', 'es_AR', '', 'German_Germany.1252', 'enm'])(
  'refuses nodes whose messages are not in English: %j',
  (lc_messages) => {
    expect(refusalOf([node(), node({ lc_messages })])).toMatch(/^node 10\.0\.0\.2:5432 has lc_messages = /);
  },
);

it.each(['C', 'POSIX', 'C.UTF-8', 'en_US.utf8', 'en_GB', 'en', 'English_United States.1252'])(
  'accepts nodes with the locale %j',
  (lc_messages) => {
    expect(refusalOf([node({ lc_messages })])).toBeUndefined();
  },
);

it('refuses nodes that cannot prepare transactions', () => {
  expect(refusalOf([node({ max_prepared_transactions: '0' })])).toContain('max_prepared_transactions = 0');
});

it('reports nothing about suitable nodes', () => {
  expect(adviceOn([node(), node()], '13.2.2')).toEqual([]);
});

it.each<[string, NodeSettings['settings'], string]>([
  ['fewer prepared transactions than connections', { max_prepared_transactions: '99' }, 'is below'],
  ['a log that tables cannot be moved by', { wal_level: 'replica' }, 'wal_level = replica'],
  ['a node that forgets', { synchronous_commit: 'off' }, 'synchronous_commit = off'],
  ['a minute until lost transactions are ended', { 'citus.recover_2pc_interval': '60000' }, 'for up to 60 s'],
  ['no end of lost transactions', { 'citus.recover_2pc_interval': '-1' }, 'for ever'],
  ['another Postgres', { server_version_num: '170002' }, 'Citus 13.2.2 on PostgreSQL 15, 17;'],
])('reports %s', (_, settings, words) => {
  const advice = adviceOn([node(), node(settings)], '13.2.2');
  expect(advice).toHaveLength(1);
  expect(advice[0]).toContain(words);
});

it('reports another version of Citus', () => {
  expect(adviceOn([node()], '13.20')).toHaveLength(1);
  expect(adviceOn([node()], '12.1.5')).toHaveLength(1);
});
