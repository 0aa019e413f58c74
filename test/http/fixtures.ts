import { expect } from 'vitest';
import type { ErrorCode } from '../../src/lib/errors.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import type { TestApp, UserBody } from '../support/app.ts';

/** Hashes other systems might have made, with their passwords. */
export const BCRYPT = {
  hash: '$2b$04$abcdefghijklmnopqrstuuFkqCYl1sZhFcdBXBznR1I2LdekaY3XO',
  password: 'old password',
};
export const OTHER_BCRYPT = {
  hash: '$2b$04$ABCDEFGHIJKLMNOPQRSTUue2.a.LIjFi87UFDouqvAWLeOmvp2SsC',
  password: 'other password',
};
export const ARGON2 = {
  hash: '$argon2id$v=19$m=64,p=1,t=1$c2FsdHNhbHRzYWx0c2FsdA$GPTl5wwgHXESSz40Lox4fpSNye4gkZ/d8PbK9CnEZqQ',
  password: 'old password',
};
/** The example of the public reference implementation, https://github.com/firebase/scrypt. */
export const EXTERNAL_SCRYPT = {
  hash: '$f_scrypt$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==',
  password: 'user1password',
};

export const IMPORT = '/recipe/user/passwordhash/import';
export const VERIFY = '/recipe/user/passwordhash/verify';

/** Ids as this service makes them. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A copy of `body` with the member at `path` (e.g. `email.id`) replaced, or left out where `value` is undefined. */
export function withMember(body: Record<string, unknown>, path: string, value: unknown): unknown {
  const copy = structuredClone(body);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const holder = steps.reduce((node, step) => node[step] as Record<string, unknown>, copy);
  holder[last] = value;
  return copy;
}

/** What an error answer looks like, for `toMatchObject`. */
export function failure(status: number, code: ErrorCode, messageStart: string) {
  const start = messageStart.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    status,
    body: { statusCode: status, code, message: expect.stringMatching(new RegExp(`^${start}`)) },
  };
}

/** Imports a user, who must be new. */
export async function importNew(service: TestApp, email: string, hash = BCRYPT.hash): Promise<UserBody> {
  const { body } = await service.send('POST', IMPORT, { email, passwordHash: hash });
  expect(body).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
  return body.user;
}

/** Signs in a third-party user, who must be new. */
export async function signInUpNew(
  service: TestApp,
  identity: { id: string; userId: string },
  email: string,
): Promise<UserBody> {
  const { body } = await service.send('POST', '/recipe/signinup', {
    thirdPartyId: identity.id,
    thirdPartyUserId: identity.userId,
    email: { id: email },
  });
  expect(body).toMatchObject({ status: 'OK', createdNewUser: true });
  return body.user;
}

export interface LinkedMethod {
  recipeUserId: string;
  externalId?: string;
  email: string;
  timeJoinedMs: number;
  /** A third-party login; without it a password login with BCRYPT's hash. */
  thirdParty?: { id: string; userId: string };
}

/** A user with several login methods, as a bulk import leaves it. */
export async function insertLinkedUser(
  db: Database,
  user: { id: string; externalId?: string; timeJoinedMs: number; methods: readonly LinkedMethod[] },
): Promise<void> {
  await db.query('insert into users (user_id, time_joined_ms) values ($1, $2)', [user.id, user.timeJoinedMs]);
  const alias = (text: string, kind: string, recipeUserId: string) =>
    db.query('insert into user_aliases (alias, kind, user_id, recipe_user_id) values ($1, $2, $3, $4)', [
      text,
      kind,
      user.id,
      recipeUserId,
    ]);
  const isLinked =
    user.methods.length > 1 || [user, ...user.methods].some(({ externalId }) => externalId !== undefined);
  if (user.externalId !== undefined) await alias(user.externalId, 'external', user.id);
  for (const { recipeUserId, externalId, email, timeJoinedMs, thirdParty } of user.methods) {
    if (recipeUserId !== user.id) await alias(recipeUserId, 'recipe_user', recipeUserId);
    if (externalId !== undefined) await alias(externalId, 'external', recipeUserId);
    const common = [email, user.id, recipeUserId, timeJoinedMs, isLinked];
    await (thirdParty === undefined
      ? db.query(
          `insert into password_logins
             (email, user_id, recipe_user_id, time_joined_ms, linked, password_hash, hash_algorithm, hash_set_by)
           values ($1, $2, $3, $4, $5, $6, 'bcrypt', 'import')`,
          [...common, BCRYPT.hash],
        )
      : db.query(
          `insert into third_party_logins
             (email, user_id, recipe_user_id, time_joined_ms, linked, third_party_id, third_party_user_id)
           values ($1, $2, $3, $4, $5, $6, $7)`,
          [...common, thirdParty.id, thirdParty.userId],
        ));
  }
}
