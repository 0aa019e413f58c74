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
import { columns, count, counted, linesOf, rowsOf, section, table, wordOf } from '../terminal/text.ts';

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
  terminal.say(preflightText(preflight).join('\n'));
  await confirmOrStop(context, `Create these ${count(Number(preflight.users))} users in the core?`);
  const begun = await start(service, { unlinked });
  const handOverId = wordOf(isJsonObject(begun.handOver) ? begun.handOver.handOverId : undefined);
  terminal.say(
    begun.isNew
      ? `Hand-over ${handOverId} runs in the service, and continues if this command is interrupted.`
      : `Hand-over ${handOverId} was started before. It continues.`,
  );
  const ended = await watch(context, service, handOverId, 'RUNNING');
  if (flags.has('report')) await writeReport(context, service, handOverId);
  await showEnded(context, ended, handOverId);
  return Number(loginsOf(ended).refused) > 0 ? EXIT.someFailed : EXIT.ok;
};

const start = (service: ServiceAddress, body: { dryRun?: boolean; unlinked: boolean }) =>
  callService(service, '/hand-over', { method: 'POST', body, timeoutMs: COUNT_TIMEOUT_MS });

const pathOf = (handOverId: string) => `/hand-over/${encodeURIComponent(handOverId)}`;

async function undoHandOver(
  context: CommandContext,
  service: ServiceAddress,
  handOverId: string,
): Promise<number> {
  const { waiting } = loginsOf(await find(service, handOverId));
  await confirmOrStop(
    context,
    `Remove the ${count(Number(waiting))} logins of ${handOverId} that wait from the core?`,
  );
  const { status } = await callService(service, `${pathOf(handOverId)}/undo`, { method: 'POST' });
  if (status !== 'OK') throw new CliError(`Hand-over ${handOverId} was undone before.`);
  await showEnded(context, await watch(context, service, handOverId, 'UNDOING'), handOverId);
  return EXIT.ok;
}

async function showEnded({ terminal }: CommandContext, ended: JsonObject, handOverId: string): Promise<void> {
  await terminal.done(ended, (paint) => handOverText(ended, paint));
  terminal.next(['user-import', 'status', handOverId]);
}

/** Shows progress as long as the hand-over has this status, and resolves to its record when the status changes. */
async function watch(
  { flags, terminal }: CommandContext,
  service: ServiceAddress,
  handOverId: string,
  status: string,
): Promise<JsonObject> {
  const retryForMs = flags.ms('retry-for', '10m');
  const line = new ProgressLine(terminal, 'in the core:', (logins) => counted(logins, 'login'));
  const onPause = ({ message }: Error) => terminal.say(`${message} Trying again …`);
  for (let said = ''; ; await sleep(PAUSE_MS)) {
    const known = await withRetries({ retryForMs, onPause }, () => find(service, handOverId));
    if (known.status !== status) return known;
    const problem = typeof known.problem === 'string' ? known.problem : '';
    if (problem !== '' && problem !== said) terminal.warn(`The hand-over does not advance: ${problem}`);
    said = problem;
    line.update(() => progressOf(known));
  }
}

function progressOf(known: JsonObject) {
  const { waiting, moved, changed, refused, sending } = loginsOf(known);
  const amount = Number(waiting) + Number(moved) + Number(changed);
  const all = amount + Number(refused) + Number(sending);
  const others = [`${count(Number(sending))} on the way`, `${count(Number(refused))} refused`];
  return { amount, share: all === 0 ? undefined : (amount + Number(refused)) / all, others };
}

async function find(service: ServiceAddress, handOverId: string): Promise<JsonObject> {
  const { handOver } = await callService(service, pathOf(handOverId));
  if (isJsonObject(handOver)) return handOver;
  throw new CliError(`There is no hand-over ${handOverId}: user-import status lists them.`);
}

async function writeReport(
  context: CommandContext,
  service: ServiceAddress,
  handOverId: string,
): Promise<void> {
  const file = openOutput(context, 'report');
  const pages = pagesOf(service, `${pathOf(handOverId)}/refused`, {
    ...{ list: 'refused', cursor: 'after', next: ({ nextAfter }) => nextAfter },
  });
  for await (const { items } of pages) for (const login of items) file?.write(`${JSON.stringify(login)}\n`);
  file?.finish();
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(wordOf) : []);

function preflightText(preflight: JsonObject): string[] {
  const core = isJsonObject(preflight.core) ? preflight.core : {};
  const versions = textsOf(core.versions);
  const spoken = versions.filter((version) => Number(version) >= 5).join(', ') || 'older than 5';
  const features = textsOf(core.features).join(', ') || 'none';
  return linesOf(
    `${count(Number(preflight.users))} users are here:`,
    columns([
      ...rowsOf(objectsIn(preflight.passwordLogins), ['logins', 'algorithm']),
      [count(Number(preflight.thirdPartyLogins)), 'third-party logins'],
      [count(Number(preflight.linkedUsers)), 'users with several login methods'],
    ]),
    // Without a configured core, there are no CDI versions to show.
    versions.length > 0 && `The core speaks CDI ${spoken}; licensed features: ${features}.`,
    textsOf(preflight.warnings).map((warning) => `Warning: ${warning}`),
  );
}

const STATES = {
  waiting: 'wait for their first sign-in',
  moved: 'are in the core with their password, or have none',
  changed: 'have got another password in the core',
  refused: 'were refused by the core',
  sending: 'are on the way',
};

const HASH_STATES = Object.keys(STATES).filter((state) => state !== 'sending');

const loginsOf = ({ logins }: JsonObject): JsonObject => (isJsonObject(logins) ? logins : {});

/** @param isShort leaves out the tables of hash families and of days */
export function handOverText(handOver: JsonObject, paint: Paint, isShort = false): string[] {
  const logins = loginsOf(handOver);
  const states = Object.entries(STATES).filter(([state]) => Number(logins[state]) > 0);
  const families = rowsOf(objectsIn(handOver.byAlgorithm), ['algorithm', ...HASH_STATES]);
  const byHash = table(['hash', ...HASH_STATES], families);
  const days = section(paint.bold('Moved'), rowsOf(objectsIn(handOver.movedByDay), ['day', 'logins']));
  return linesOf(
    `${paint.bold(`Hand-over ${wordOf(handOver.handOverId)}`)}: ${wordOf(handOver.status).toLowerCase()}`,
    typeof handOver.problem === 'string' && `  It stands still: ${wordOf(handOver.problem)}`,
    columns(states.map(([state, meaning]) => [count(Number(logins[state])), `logins ${meaning}`])),
    !isShort && byHash.length > 0 && ['', ...byHash],
    !isShort && days,
    ['', wordOf(handOver.advice)],
  );
}
