import { ASSUMED, DISTRIBUTED } from './assumptions.ts';
import type { BoundBy } from './bulk-import.ts';
import { COSTS, HASHES, type HashName } from './costs.ts';
import { type Capacity, COORDINATOR, HASHING, type Use } from './plan-capacity.ts';
import type { Demand } from './read-demand.ts';
import { indexBytes, scatteredBytes, tableBytes } from './relations.ts';
import { coordinatorImportUs, coordinatorSignInUs, singleWalBytes, workerSignInUs } from './steady-load.ts';

/** A line of the plan: a quantity, its value, and its derivation. */
interface Line {
  what: string;
  value: string;
  how: string;
}

const GIB = 1024 ** 3;

const whole = (value: number) => Math.round(value).toLocaleString('en');
const short = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
const gib = (bytes: number) => `${short(bytes / GIB)} GiB`;
const mib = (bytes: number) => `${whole(bytes / 1024 ** 2)} MiB`;
const percent = (share: number) => `${short(share * 100)} %`;

/** Formats bytes in decimal units, as disks are sold. */
export function bytes(value: number): string {
  const [unit, size] =
    value < 1e6 ? ['kB', 1e3] : value < 1e9 ? ['MB', 1e6] : value < 1e12 ? ['GB', 1e9] : ['TB', 1e12];
  return `${short(value / Number(size))} ${unit}`;
}

function time(seconds: number): string {
  if (seconds < 120) return `${short(seconds)} s`;
  if (seconds < 7200) return `${short(seconds / 60)} min`;
  return `${short(seconds / 3600)} h`;
}

const BOUNDS: Record<BoundBy, string> = {
  instances: 'the streams of the instances',
  cores: 'CPU of Postgres',
  coordinator: 'CPU of the coordinator',
  disk: 'disk writes',
};

/** Formats calls a second times the cost of one. Single imports are omitted if there are none. */
function callsOf({ signIns, singleImports }: Demand, signIn: string, singleImport: string): string {
  const single = singleImports === 0 ? '' : ` + ${short(singleImports)}/s × ${singleImport}`;
  return `${short(signIns)}/s × ${signIn}${single}`;
}

/** Formats the plan for a terminal. */
export function capacityText(plan: Capacity): string {
  const sections: [string, Line[]][] = [
    ['Service', serviceLines(plan)],
    ['Postgres', postgresLines(plan)],
    ['Bulk import', importLines(plan)],
    [
      'Used, of what may be used',
      plan.uses.map(({ what, share }) => ({ what, value: percent(share), how: '' })),
    ],
  ];
  const widths = (['what', 'value'] as const).map((key) =>
    Math.max(...sections.flatMap(([, lines]) => lines.map((line) => line[key].length))),
  );
  const text = sections.map(([title, lines]) =>
    [
      title,
      ...lines.map(({ what, value, how }) =>
        `  ${what.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${how}`.trimEnd(),
      ),
    ].join('\n'),
  );
  return `${[headline(plan), ...text, ending(plan)].join('\n\n')}\n`;
}

function headline({ demand, beyondOne, nodes, load, inTime, uses }: Capacity): string {
  const { users, signIns, singleImports, hashes, cores, memoryGib, importHours } = demand;
  const names = Object.entries(hashes) as [HashName, number][];
  const lines = [
    singleImports === 0
      ? `${whole(users)} users, ${short(signIns)} sign-ins a second at the peak.`
      : `${whole(users)} users, ${short(signIns)} sign-ins and ${short(singleImports)} single imports a second at the peak.`,
    `Passwords: ${names.map(([name, share]) => `${percent(share)} ${HASHES[name].what}`).join('; ')}.`,
    '',
  ];
  const one = `One Postgres of ${cores} cores and ${short(memoryGib)} GiB`;
  if (beyondOne.length === 0) lines.push(`${one} is enough.`);
  else {
    lines.push(
      `${one} is not enough: ${beyondOne.join(', ')}.`,
      `A distributed one: a coordinator and ${nodes} workers, each of that size.`,
    );
    const coordinator = uses.find(({ what }) => what === COORDINATOR)?.share ?? 0;
    if (coordinator > 1)
      lines.push(
        `Not enough either: the coordinator would need ${whole(Math.ceil(cores * coordinator))} cores.`,
      );
    const wantedGib = Math.ceil(load.memoryBytes / GIB / ASSUMED.indexShare.value);
    if (beyondOne.length === 1 && wantedGib > memoryGib)
      lines.push(`Simpler: one Postgres with ${whole(wantedGib)} GiB would do.`);
  }
  if (!inTime) lines.push(`The import takes longer than ${short(importHours)} h: the coordinator bounds it.`);
  return lines.join('\n');
}

function serviceLines({ demand, load, instances, instancesFor, instanceBytes }: Capacity): Line[] {
  const { cores } = demand;
  const spare = `and ${ASSUMED.spareInstances.value} spare`;
  const calls = callsOf(demand, `${short(load.signInMs)} ms`, `${COSTS.singleServiceUs.value} µs`);
  const most = Math.max(...Object.values(instancesFor));
  const why = {
    cores: `${short(load.serviceCores)} cores ÷ (${cores} × ${ASSUMED.busy.value}), ${spare}`,
    eventLoops: `${short(load.loopCores)} event loops ÷ ${ASSUMED.busy.value}, ${spare}`,
    bulkImport: `streams of the bulk import, ${spare}`,
  };
  const reason = (Object.keys(why) as (keyof typeof why)[]).find((name) => instancesFor[name] === most);
  return [
    { what: 'cores at work', value: short(load.serviceCores), how: calls },
    { what: 'instances', value: `${whole(instances)} of ${cores} cores`, how: why[reason ?? 'cores'] },
    {
      what: 'memory of each',
      value: mib(instanceBytes),
      how: `${mib(COSTS.serviceBytes.value)} + ${cores} × ${mib(load.hashBytes)}`,
    },
  ];
}

function postgresLines(plan: Capacity): Line[] {
  const { demand, load, nodes, instances, connections, pooler } = plan;
  const { users, memoryGib } = demand;
  const calls = (signIn: number, single: number, unit: string) =>
    callsOf(demand, `${short(signIn)} ${unit}`, `${short(single)} ${unit}`);
  const each = (size: number) => `${whole(users)} × ${whole(size)} bytes`;
  return [
    {
      what: 'nodes',
      value: nodes === 1 ? '1' : `${whole(nodes)} + 1`,
      how: nodes === 1 ? 'a plain Postgres' : 'workers, and the coordinator',
    },
    { what: 'tables', value: bytes(plan.tableBytes), how: each(tableBytes) },
    { what: 'indexes', value: bytes(plan.indexBytes), how: each(indexBytes) },
    {
      what: 'memory for indexes',
      value: gib(load.memoryBytes),
      how: `${each(scatteredBytes)}; of ${whole(nodes)} × ${short(memoryGib)} GiB × ${ASSUMED.indexShare.value}`,
    },
    {
      what: 'cores at work',
      value: short(nodes === 1 ? load.postgresCores : load.workerCores),
      how: calls(
        nodes === 1 ? COSTS.signInPostgresUs.value : workerSignInUs,
        COSTS.singlePostgresUs.value,
        'µs',
      ),
    },
    ...(nodes === 1
      ? []
      : [
          {
            what: '– of the coordinator',
            value: short(load.coordinatorCores),
            how: calls(coordinatorSignInUs, coordinatorImportUs, 'µs'),
          },
        ]),
    {
      what: 'WAL at the peak',
      value: `${bytes(load.walBytes)}/s`,
      how: calls(COSTS.signInWalBytes.value, singleWalBytes, 'bytes'),
    },
    {
      what: 'connections',
      value: whole(connections),
      how: `${whole(instances)} × ${COSTS.connections.value}${nodes === 1 ? '' : `; to each worker up to ${DISTRIBUTED.workerConnections.value} for each: ${whole(plan.connectionsPerNode)}`}`,
    },
    {
      what: 'PgBouncer',
      value: pooler ? 'needed' : 'not needed',
      how: `a node serves ${ASSUMED.serverConnections.value} connections`,
    },
  ];
}

function importLines({
  demand,
  instances,
  nodes,
  import: { seconds, walBytes, diskMbs, boundBy, lastRate },
  walOnDiskBytes,
}: Capacity): Line[] {
  return [
    {
      what: 'time',
      value: time(seconds),
      how: `${short(lastRate)} lines/s in the end, bounded by ${BOUNDS[boundBy]}; a stream for each of ${whole(instances - ASSUMED.spareInstances.value)} instances`,
    },
    {
      what: '– at the measured pace',
      value: time(demand.users / COSTS.bulkRate.value),
      how: `${short(COSTS.bulkRate.value)} lines/s: one stream, two cores, 5,000,000 users`,
    },
    {
      what: 'WAL in all',
      value: bytes(walBytes),
      how: `${whole(walBytes / demand.users)} bytes a user, ${whole(COSTS.bulkWalBytes.value)} of them not page images`,
    },
    {
      what: 'WAL on disk',
      value: bytes(walOnDiskBytes),
      how: `${whole(nodes)} × max_wal_size ${bytes(ASSUMED.walOnDisk.value)}`,
    },
    {
      what: 'disk writes of a node',
      value: `${short(diskMbs)} MB/s`,
      how: `in the end; of ${short(demand.diskMbs)}`,
    },
  ];
}

function ending({ uses }: Capacity): string {
  const [first, ...others] = uses;
  if (first === undefined) throw new Error('a plan uses something');
  const shared = others.find(() => first.what === HASHING);
  const tell = ({ what, share }: Use) => `${what}, at ${percent(share)} of what may be used`;
  return [
    `First to give way: ${tell(first)}.`,
    ...(shared === undefined
      ? []
      : [`More instances help against that. Of what they share: ${tell(shared)}.`]),
  ].join('\n');
}
