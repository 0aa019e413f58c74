import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../lib/errors.ts';
import { type CoreCalls, canBeCalled } from '../upstream/core-calls.ts';
import type { FactorVault } from '../users/factor-vault.ts';
import { factorWarnings } from './factors-for-core.ts';
import type { HandOver, HandOverStore } from './hand-over-store.ts';
import { secretCheck } from './placeholder.ts';

/** Licensed feature of the SuperTokens core that users with several login methods need. */
const LINKING = 'account_linking';

export interface Preflight {
  users: number;
  linkedUsers: number;
  thirdPartyLogins: number;
  passwordLogins: { algorithm: string; logins: number }[];
  core: { versions: string[]; features: string[] };
  /** Reasons why the hand-over cannot start. */
  obstacles: string[];
  warnings: string[];
}

export interface StartDeps {
  handOvers: HandOverStore;
  core: CoreCalls;
  vault: Pick<FactorVault, 'isOpen'>;
  secret: string | undefined;
  worker: { wake(): void };
}

export interface StartRequest {
  unlinked: boolean;
  keyName: string;
}

/** Inspects users and core, and changes nothing. @throws {AppError} CORE_UNAVAILABLE */
export async function inspectHandOver(
  { handOvers, front }: { handOvers: HandOverStore; front: Omit<StartDeps, 'worker'> | undefined },
  { unlinked }: Pick<StartRequest, 'unlinked'>,
): Promise<Preflight> {
  const counts = await handOvers.count();
  const without = (versions: string[], obstacle: string): Preflight => ({
    ...{ ...counts, core: { versions, features: [] }, obstacles: [obstacle], warnings: [] },
  });
  if (front === undefined) return without([], 'upstream_core_uri is not configured.');
  const { core, vault, secret } = front;
  const versions = await core.versions();
  if (!canBeCalled(versions))
    return without(
      versions,
      'The core speaks no CDI 5: a hand-over needs version 10.1 or later of the core.',
    );
  const warnings: string[] = [];
  const features = await core.features();
  // After the first hand-over, the users in the core are not counted for a warning, because most came from this
  // service.
  const others = (await handOvers.latest()) === undefined ? await core.countUsers() : 0;
  if (others > 0)
    warnings.push(
      `The core already has users: ${others}. Users with the same e-mail, identity or id will be refused, and the report names them.`,
    );
  const obstacles: string[] = [];
  if (secret === undefined) obstacles.push('hand_over_secret is not configured.');
  if (!vault.isOpen && counts.totpUsers + counts.roleUsers + counts.phoneUsers > 0)
    obstacles.push('Factors of users are stored, and factors_secret is not configured.');
  warnings.push(...(await factorWarnings(core, features, counts)));
  if (counts.disabledLogins > 0)
    warnings.push(
      `${counts.disabledLogins} logins belong to users who are disabled here. They are not handed over.`,
    );
  if (counts.linkedUsers > 0 && !features.includes(LINKING)) {
    const then = unlinked ? 'Each' : 'They will be refused. With --unlinked each';
    warnings.push(
      `${counts.linkedUsers} users have several login methods, which the core takes with the licensed feature ${LINKING} only. ${then} login method becomes a user of its own.`,
    );
  }
  return { ...counts, core: { versions, features }, obstacles, warnings };
}

/**
 * Starts a hand-over in the background, or continues the unfinished one.
 * @throws {AppError} CORE_UNAVAILABLE. HAND_OVER_REFUSED if there is an obstacle, or if an undo or a hand-over with
 * other options is running
 */
export async function startHandOver(
  deps: StartDeps,
  { unlinked, keyName }: StartRequest,
): Promise<{ handOver: HandOver; isNew: boolean; preflight: Preflight }> {
  const { handOvers, secret, worker } = deps;
  const preflight = await inspectHandOver({ handOvers, front: deps }, { unlinked });
  if (secret === undefined || preflight.obstacles.length > 0)
    throw new AppError('HAND_OVER_REFUSED', `The hand-over cannot start: ${preflight.obstacles.join(' ')}`);
  const handOverId = uuidv7();
  const begun = await handOvers.begin({
    handOverId,
    keyName,
    unlinked,
    secretCheck: secretCheck(secret, handOverId),
  });
  if (begun.handOver.undoStartedAtMs !== undefined)
    throw new AppError(
      'HAND_OVER_REFUSED',
      `The undo of hand-over ${begun.handOver.handOverId} is still running.`,
    );
  if (begun.handOver.unlinked !== unlinked)
    throw new AppError(
      'HAND_OVER_REFUSED',
      `Hand-over ${begun.handOver.handOverId} is running ${begun.handOver.unlinked ? 'with' : 'without'} --unlinked. Undo it first, or use the same option.`,
    );
  worker.wake();
  return { ...begun, preflight };
}

/**
 * Starts the undo, which removes users with the placeholder password from the core. Returns false if the hand-over is
 * unknown or was undone before.
 */
export async function undoHandOver(
  { handOvers, worker }: Pick<StartDeps, 'handOvers' | 'worker'>,
  handOverId: string,
): Promise<boolean> {
  const isBegun = await handOvers.beginUndo(handOverId);
  if (isBegun) worker.wake();
  return isBegun;
}
