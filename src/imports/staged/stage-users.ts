import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Passwords } from '../../hashing/passwords.ts';
import type { Candidate } from '../candidate.ts';
import { ChunkIds } from '../chunk-ids.ts';
import { toJson } from '../exact-numbers.ts';
import { hashPasswords } from '../hash-passwords.ts';
import { readUserForm } from '../read-user-form.ts';
import type { StagedStore } from './store.ts';
import { type ToldIds, toldIds } from './told-ids.ts';
import { hashesOf, type UserForm, userForm } from './user-form.ts';

/** How many forms are read at a time, while other requests wait. */
const SLICE = 250;

export interface StageDeps {
  staged: StagedStore;
  passwords: Passwords;
  now(): number;
  /** Most bytes of one user: bounds what a batch of them takes. */
  maxUserBytes: number;
}

/** All that is wrong with the user in this place. */
export interface UserProblems {
  index: number;
  errors: string[];
}

/**
 * Lets users wait for their import: all of them or, where any has a problem, none. Passwords are hashed before anything
 * is stored, however long that takes; a caller who leaves meanwhile leaves nothing behind. Answers under which ids they will
 * be found, in the order in which they were sent.
 */
export async function stageUsers(
  deps: StageDeps,
  sent: readonly unknown[],
  signal?: AbortSignal,
): Promise<{ ids: ToldIds[] } | { problems: UserProblems[] }> {
  const problems: UserProblems[] = [];
  const users: { form: UserForm; json: string; candidate: Candidate }[] = [];
  for (const [index, one] of sent.entries()) {
    if (index % SLICE === SLICE - 1) await othersTurn();
    const read = readUser(deps, one);
    if ('errors' in read) problems.push({ index, errors: read.errors });
    else users.push(read);
  }
  if (problems.length > 0) return { problems };
  const candidates = users.map(({ candidate }) => candidate);
  await hashPasswords(deps.passwords, candidates, signal);
  signal?.throwIfAborted();
  const chunk = ChunkIds.create();
  await deps.staged.add(
    users.map(({ form, json, candidate }, index) => ({
      id: chunk.id(index),
      form: json,
      hashes: hashesOf(form, candidate),
    })),
  );
  return { ids: users.map(({ form, candidate }, index) => toldIds(chunk.id(index), form, candidate)) };
}

function readUser({ passwords: { registry }, now, maxUserBytes }: StageDeps, sent: unknown) {
  const read = readUserForm({ registry, now }, sent);
  if (Array.isArray(read)) return { errors: read.map(({ message }) => message) };
  const form = userForm(sent);
  const json = toJson(form);
  if (Buffer.byteLength(json) > maxUserBytes) {
    return {
      errors: [`The user is too large. Max size is ${maxUserBytes} bytes (bulk_import_max_line_bytes).`],
    };
  }
  return { form, json, candidate: read };
}
