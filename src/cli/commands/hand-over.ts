import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { openOutput } from '../files/verdict-files.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService, pagesOf } from '../service-client/call-service.ts';
import { withRetries } from '../service-client/service-problem.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { confirmOrStop } from '../terminal/prompt.ts';
import type { Paint } from '../terminal/terminal.ts';
import { columns, count, counted, rowsOf, wordOf } from '../terminal/text.ts';

const PAUSE_MS = 1000;
/** Timeout of a dry run and of a start. For both, the service counts all users and calls the core. */
const COUNT_TIMEOUT_MS = 120_000;

/** Starts a hand-over, which runs in the service, and shows its progress, or undoes one (--undo). */
export const run: RunCommand = async (context) => {
  const { flags, terminal } = context;
  const service = readServiceAddress(context);
  const undo = flags.text('undo');
  if (undo !== undefined) return undoHandOver(context, service, undo);
  const unlinked = flags.has('unlinked');
  const { preflight } = await start(service, { dryRun: true, unlinked });
  if (!isJsonObject(preflight))
    throw new CliError(
      `${service.url}: the server is not this version of user-import-core. Correct --url, or use the command line of the server's version.`,
    );
  const obstacles = textsOf(preflight.obstacles);
  if (flags.has('dry-run') || obstacles.length > 0) {
    await terminal.answer({ preflight }, () => preflightText(preflight));
    if (obstacles.length > 0) throw new CliError(`The hand-over cannot start: ${obstacles.join(' ')}`);
    terminal.next(['user-import', 'hand-over']);
    return EXIT.ok;
  }
  terminal.say(preflightText(preflight).trimEnd());
  await confirmOrStop(context, `Create these ${count(Number(preflight.users))} users in the core?`);
  const begun = await start(service, { unlinked });
  const handOver = isJsonObject(begun.handOver) ? begun.handOver : {};
  const handOverId = wordOf(handOver.handOverId);
  terminal.say(
    begun.isNew
      ? `Hand-over ${handOverId} runs in the service, and continues if this command is interrupted.`
      : `Hand-over ${handOverId} was started before. It continues.`,
  );
  const ended = await watch(context, service, handOverId, 'RUNNING');
  if (flags.has('report')) await writeReport(context, service, handOverId);
  await terminal.done(ended, (paint) => handOverText(ended, paint));
  terminal.next(['user-import', 'status', handOverId]);
  return Number(loginsOf(ended).refused) > 0 ? EXIT.someFailed : EXIT.ok;
};

const start = (service: ServiceAddress, body: { dryRun?: boolean; unlinked: boolean }) =>
  callService(service, '/hand-over', { method: 'POST', body, timeoutMs: COUNT_TIMEOUT_MS });

async function undoHandOver(
  context: CommandContext,
  service: ServiceAddress,
  handOverId: string,
): Promise<number> {
  const { terminal } = context;
  const known = await find(service, handOverId);
  await confirmOrStop(
    context,
    `Remove the ${count(Number(loginsOf(known).waiting))} logins of ${handOverId} that wait from the core?`,
  );
  const path = `/hand-over/${encodeURIComponent(handOverId)}/undo`;
  const { status } = await callService(service, path, { method: 'POST' });
  if (status !== 'OK') throw new CliError(`Hand-over ${handOverId} was undone before.`);
  const ended = await watch(context, service, handOverId, 'UNDOING');
  await terminal.done(ended, (paint) => handOverText(ended, paint));
  terminal.next(['user-import', 'status', handOverId]);
  return EXIT.ok;
}

async function watch(
  { flags, terminal }: CommandContext,
  service: ServiceAddress,
  handOverId: string,
  status: string,
): Promise<JsonObject> {
  const retryForMs = flags.ms('retry-for', '10m');
  const line = new ProgressLine(terminal, 'in the core:', (logins) => counted(logins, 'login'));
  let said = '';
  for (;;) {
    const known = await withRetries(
      { retryForMs, onPause: ({ message }) => terminal.say(`${message} Trying again …`) },
      () => find(service, handOverId),
    );
    if (known.status !== status) {
      return known;
    }
    const problem = typeof known.problem === 'string' ? known.problem : '';
    if (problem !== '' && problem !== said) terminal.warn(`The hand-over does not advance: ${problem}`);
    said = problem;
    line.update(() => progressOf(known));
    await sleep(PAUSE_MS);
  }
}

function progressOf(known: JsonObject) {
  const { waiting, moved, changed, refused, sending } = loginsOf(known);
  const done = Number(waiting) + Number(moved) + Number(changed);
  const all = done + Number(refused) + Number(sending);
  const others = [`${count(Number(sending))} on the way`, `${count(Number(refused))} refused`];
  return { amount: done, share: all === 0 ? undefined : (done + Number(refused)) / all, others };
}

async function find(service: ServiceAddress, handOverId: string): Promise<JsonObject> {
  const { handOver } = await callService(service, `/hand-over/${encodeURIComponent(handOverId)}`);
  if (isJsonObject(handOver)) return handOver;
  throw new CliError(`There is no hand-over ${handOverId}: user-import status lists them.`);
}

async function writeReport(
  context: CommandContext,
  service: ServiceAddress,
  handOverId: string,
): Promise<void> {
  const file = openOutput(context, 'report', context.terminal.isJson);
  const path = `/hand-over/${encodeURIComponent(handOverId)}/refused`;
  for await (const { items } of pagesOf(service, path, {
    list: 'refused',
    next: 'nextAfter',
    cursor: 'after',
  }))
    for (const login of items) file?.write(`${JSON.stringify(login)}\n`);
  file?.finish();
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(wordOf) : []);

function preflightText(preflight: JsonObject): string {
  const core = isJsonObject(preflight.core) ? preflight.core : {};
  const features = textsOf(core.features);
  const versions = textsOf(core.versions);
  return [
    `${count(Number(preflight.users))} users are here:`,
    ...columns([
      ...rowsOf(objectsIn(preflight.passwordLogins), ['logins', 'algorithm']),
      [count(Number(preflight.thirdPartyLogins)), 'third-party logins'],
      [count(Number(preflight.linkedUsers)), 'users with several login methods'],
    ]),
    // Without a configured core, there are no CDI versions to show.
    ...(versions.length === 0
      ? []
      : [
          `The core speaks CDI ${versions.filter((version) => Number(version) >= 5).join(', ') || 'older than 5'}; licensed features: ${features.join(', ') || 'none'}.`,
        ]),
    ...textsOf(preflight.warnings).map((warning) => `Warning: ${warning}`),
    '',
  ].join('\n');
}

const STATES: readonly [state: string, meaning: string][] = [
  ['waiting', 'wait for their first sign-in'],
  ['moved', 'are in the core with their password, or have none'],
  ['changed', 'have got another password in the core'],
  ['refused', 'were refused by the core'],
  ['sending', 'are on the way'],
];

const HASH_STATES = STATES.slice(0, 4).map(([state]) => state);

const loginsOf = ({ logins }: JsonObject): JsonObject => (isJsonObject(logins) ? logins : {});

/** @param isShort leaves out the tables of hash families and of days */
export function handOverText(handOver: JsonObject, paint: Paint, isShort = false): string {
  const logins = loginsOf(handOver);
  const families = rowsOf(objectsIn(handOver.byAlgorithm), ['algorithm', ...HASH_STATES]);
  const days = rowsOf(objectsIn(handOver.movedByDay), ['day', 'logins']);
  return [
    `${paint.bold(`Hand-over ${wordOf(handOver.handOverId)}`)}: ${wordOf(handOver.status).toLowerCase()}`,
    ...(typeof handOver.problem === 'string' ? [`  It stands still: ${wordOf(handOver.problem)}`] : []),
    ...columns(
      STATES.filter(([state]) => Number(logins[state]) > 0).map(([state, meaning]) => [
        count(Number(logins[state])),
        `logins ${meaning}`,
      ]),
    ),
    ...(isShort || families.length === 0
      ? []
      : ['', ...columns([['hash', ...HASH_STATES], ...families], { hasHead: true })]),
    ...(isShort || days.length === 0 ? [] : ['', paint.bold('Moved'), ...columns(days)]),
    '',
    wordOf(handOver.advice),
    '',
  ].join('\n');
}
